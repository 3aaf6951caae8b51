#include "harness/cli/judging/judge_by_baseline.h"

#include "harness/cli/exit_status.h"
#include "harness/cli/judging/learned_policy.h"
#include "harness/cli/output/render_with_sources.h"
#include "harness/verdict/compare.h"

namespace harness {
Result<std::unique_ptr<Store>> open_for_reading(const std::string& url) {
  Result<std::unique_ptr<Store>> store = Store::open_existing(url);
  if (store || url != default_store || store.error().kind != ErrorKind::missing) return store;
  return Store::open("sqlite::memory:");
}

Result<Selected> read_record(const std::string& url, const std::string& name, const std::string& suite) {
  const auto store = open_for_reading(url);
  if (!store) return fail(store.error());
  SelectOptions select;
  select.folder = ".";
  select.suite = suite;
  return select_current(**store, name, select);
}

Checked<Policy> effective_policy(Store& store, const PolicyArguments& arguments, const Record& current) {
  const Result<Policy> policy = make_policy(arguments);
  if (!policy) return tl::unexpected(std::vector<Error>{policy.error()});
  Checked<Policy> complete = with_waivers(*policy, arguments, current.suite.file);
  if (!complete) return complete;
  return with_learned(store, std::move(*complete), current);
}

int judge(Store& store, const BaselineChoice& choice, const Selected& current, const Policy& policy,
          const OutputArguments& output) {
  Result<Selected> baseline = select_baseline(store, choice.name, current, choice.select);
  if (!baseline) {
    const int status = report_error(baseline.error());
    if (baseline.error().kind != ErrorKind::missing || choice.report_only) return status;
    // The reports are written all the same, so that a CI job has something to show: every case is new.
    baseline = Selected{};
    baseline->source.described = "none";
  }
  if (choice.adapt) choice.adapt(baseline->record);
  Comparison comparison = compare(baseline->record, current.record, policy);
  comparison.baseline = baseline->source;
  comparison.current = current.source;
  if (choice.annotate) choice.annotate(comparison);
  if (choice.on_verdict)
    if (const Status kept = choice.on_verdict(verdict_without_waivers(comparison.rows)); !kept)
      return report_error(kept.error());
  const auto render = [&](Format format, const Style& style) {
    return render_judged(comparison, baseline->record, current.record, format, style);
  };
  if (choice.report_only) return emit(output, render, exit_ok);
  const int status = exit_code(comparison);
  explain_status(comparison, status);
  return emit(output, render, status);
}

}  // namespace harness
