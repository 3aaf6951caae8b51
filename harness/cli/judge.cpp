#include "harness/cli/judge.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "harness/base/units.h"
#include "harness/cli/exit_status.h"
#include "harness/compare/compare.h"

namespace harness {
namespace {

void warn_of_allowances(const Comparison& comparison, int status) {
  Comparison strict = comparison;
  strict.policy.allow_inconclusive = false;
  strict.policy.allow_missing = false;
  strict.policy.allow_not_comparable = false;
  const int without = exit_code(strict);
  if (without != status)
    fmt::print(stderr, "warning: exit status {} was allowed by --allow; the verdict is `{}`\n", without,
               name_of(comparison.verdict));
}

}  // namespace

void add_policy_options(CLI::App& command, PolicyArguments& arguments) {
  command
      .add_option("--margin", arguments.margin,
                  "changes this small do not matter, e.g. 0.5%; wins over the suite")
      ->type_name("PERCENT");
  command
      .add_option("--alpha", arguments.alpha, "one-sided error rate after correction; wins over the suite")
      ->type_name("FRACTION");
  command.add_option("--allow", arguments.allow, "verdicts that do not fail the command")
      ->delimiter(',')
      ->check(CLI::IsMember({"inconclusive", "missing", "not-comparable"}));
  command.add_flag("--allow-other-device", arguments.allow_other_device,
                   "compare across GPUs of the same model, at the price of their spread");
}

Result<Policy> make_policy(const PolicyArguments& arguments) {
  Policy policy;
  if (!arguments.margin.empty()) {
    const Result<double> margin = parse_fraction(arguments.margin);
    if (!margin) return fail(ErrorKind::usage, "--margin: " + margin.error().message, margin.error().advice);
    policy.margin = *margin;
  }
  if (!arguments.alpha.empty()) {
    const Result<double> alpha = parse_fraction(arguments.alpha);
    if (!alpha || *alpha <= 0 || *alpha >= 0.5)
      return fail(ErrorKind::usage,
                  fmt::format("--alpha: `{}` is not above 0 and below 0.5", arguments.alpha),
                  "0.01 is the default; 0.05 finds more and errs more");
    policy.alpha = *alpha;
  }
  for (const std::string& allowed : arguments.allow) {
    policy.allow_inconclusive |= allowed == "inconclusive";
    policy.allow_missing |= allowed == "missing";
    policy.allow_not_comparable |= allowed == "not-comparable";
  }
  policy.allow_other_device = arguments.allow_other_device;
  return policy;
}

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
  if (choice.on_verdict)
    if (const Status kept = choice.on_verdict(comparison.verdict); !kept) return report_error(kept.error());
  const auto render = [&](Format format, const Style& style) {
    return render_comparison(comparison, format, style);
  };
  if (choice.report_only) return emit(output, render, exit_ok);
  const int status = exit_code(comparison);
  warn_of_allowances(comparison, status);
  return emit(output, render, status);
}

}  // namespace harness
