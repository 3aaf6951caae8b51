#include "harness/cli/judging/stored_records.h"

#include <fmt/format.h>

#include <cstdio>

#include "harness/cli/judging/learned_policy.h"
#include "harness/verdict/compare.h"

namespace harness {

Result<std::unique_ptr<Store>> open_for_reading(const StoreOption& option) {
  Result<std::unique_ptr<Store>> store = Store::open_existing(option.url);
  if (store || !option.is_usual() || store.error().kind != ErrorKind::missing) return store;
  return Store::empty(option.url);
}

Status check_side(const StoreOption& from, const std::string& option, const std::string& name) {
  auto store = Store::open_read_only(from.url);
  if (!store && store.error().kind == ErrorKind::missing) store = Store::empty(from.url);
  if (!store) return fail(store.error());
  Status checked = check_side_name(**store, name, ".");
  if (!checked) checked.error().message = option + ": " + checked.error().message;
  return checked;
}

Result<std::vector<Selected>> read_records(const SelectionOptions& from, const std::string& name) {
  const auto store = open_for_reading(from.store);
  if (!store) return fail(store.error());
  return select_current_of_suites(**store, name, "", from.select());
}

Checked<Policy> policy_in_force(Store& store, const PolicyOptions& options, const Record& current) {
  const Result<Policy> policy = options.policy();
  if (!policy) return fail_checked(policy.error());
  Checked<Policy> complete = options.with_waivers(*policy, current.suite.file);
  if (!complete) return complete;
  return with_learned(store, std::move(*complete), current);
}

SelectOptions judged_by(const Policy& policy, SelectOptions select) {
  Policy bare = policy;  // nobody knows yet which waivers count, and a change must not accept itself
  bare.waivers.clear();
  select.passes = [policy = std::move(bare)](const Record& baseline, const Record& current) {
    return case_verdicts(compare(baseline, current, policy).rows);
  };
  return select;
}

Status keep_verdict(Store& store, const std::string& id, const Comparison& comparison) {
  const SourceCode found = comparison.baseline.found.code;
  const bool own_history = found == SourceCode::ancestor || found == SourceCode::pinned;
  const Result<bool> may = store.may_judge();
  if (!may) return fail(may.error());
  if (!*may) {
    fmt::print(stderr,
               "the verdict is not kept in {}: the user's role may not judge "
               "(share/harness/roles.sql of an installation lists the roles)\n",
               store.place());
    return {};
  }
  return store.set_verdicts(id, std::string(name_of(verdict_without_waivers(comparison.rows))),
                            case_verdicts(comparison.rows),
                            own_history ? JudgedBy::own_history : JudgedBy::another);
}

}  // namespace harness
