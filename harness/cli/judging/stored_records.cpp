#include "harness/cli/judging/stored_records.h"

#include "harness/cli/judging/learned_policy.h"

namespace harness {

Result<std::unique_ptr<Store>> open_for_reading(const StoreOption& option) {
  Result<std::unique_ptr<Store>> store = Store::open_existing(option.url);
  if (store || option.url != default_store || store.error().kind != ErrorKind::missing) return store;
  return Store::open("sqlite::memory:");
}

Result<Selected> read_record(const SelectionOptions& from, const std::string& name) {
  const auto store = open_for_reading(from.store);
  if (!store) return fail(store.error());
  return select_current(**store, name, from.select());
}

Checked<Policy> policy_in_force(Store& store, const PolicyOptions& options, const Record& current) {
  const Result<Policy> policy = options.policy();
  if (!policy) return tl::unexpected(std::vector<Error>{policy.error()});
  Checked<Policy> complete = options.with_waivers(*policy, current.suite.file);
  if (!complete) return complete;
  return with_learned(store, std::move(*complete), current);
}

}  // namespace harness
