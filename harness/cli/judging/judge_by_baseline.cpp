#include "harness/cli/judging/judge_by_baseline.h"

#include <fmt/format.h>

#include <cstdio>

#include "harness/base/text.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/deciding_waivers.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/output/rescue.h"
#include "harness/cli/provenance/unbuilt_programs.h"
#include "harness/store/baselines.h"
#include "harness/store/lost_baseline.h"
#include "harness/verdict/compare.h"

namespace harness {

void explain_status(const Comparison& comparison, int status) {
  Policy strict = comparison.policy;
  strict.allow_inconclusive = false;
  strict.allow_missing = false;
  strict.allow_not_comparable = false;
  strict.allow_skipped = false;
  if (const int without = exit_code_by(strict, comparison); without != status)
    fmt::print(stderr, "warning: exit status {} was allowed by --allow; the verdict is `{}`\n", without,
               name_of(comparison.verdict));
  Policy lenient = comparison.policy;
  lenient.fail_on_improved = false;
  if (status == 1 && exit_code_by(lenient, comparison) != 1)
    fmt::print(stderr,
               "failed by --fail-on improved: the baseline is slower than the code, so it would hide a later "
               "regression back to it; promote a new one with `harness baseline promote {} --author NAME "
               "--reason TEXT` and commit it\n",
               comparison.current.id.empty() ? "HEAD" : shell_quoted(comparison.current.id));
}

namespace {

// Whether a baseline was found, on the device of the current side or where another one is allowed.
bool can_judge(const Result<Selected>& baseline, const Selected& current, const Policy& policy) {
  if (!baseline) return baseline.error().kind != ErrorKind::missing;
  const Machine* before = primary_machine(baseline->record);
  const Machine* now = primary_machine(current.record);
  return policy.allow_other_device || before == nullptr || now == nullptr ||
         before->device_uuid == now->device_uuid;
}

}  // namespace

int judge_by_baseline(Store& store, const BaselineChoice& choice, Selected current, const Policy& policy,
                      SuiteOutputs& outputs, const Reproduction& made_by) {
  Result<Selected> baseline = select_baseline(store, choice.name, current, judged_by(policy, choice.select));
  const bool first = choice.first_passes && !can_judge(baseline, current, policy) &&
                     is_first_here(store, choice.name, current, choice.select);
  if (first) {
    baseline = Selected{};
    baseline->source.found = {SourceCode::none, {{"first", true}}};
  }
  if (!baseline) {
    Error error = baseline.error();
    if (error.kind == ErrorKind::missing && !choice.advice_if_missing.empty())
      error.advice += (error.advice.empty() ? "" : "; ") + choice.advice_if_missing;
    const int status = report_error(error);
    if (baseline.error().kind != ErrorKind::missing || choice.report_only) return status;
    // The reports are written anyway, so that a CI job can show them. Every case is new.
    baseline = Selected{};
    if (is_measured_otherwise(store, choice.name, current, choice.select))
      baseline->source.found = {SourceCode::none, {{"elsewhere", true}}};
  }
  if (choice.adapt) choice.adapt(baseline->record);
  Policy deciding = policy;
  if (const Status decided = decide_waivers(deciding, baseline->source, current.source); !decided)
    return report_error(decided.error());
  Comparison comparison = compare(baseline->record, current.record, deciding);
  if (first) comparison.policy.allow_missing = true;
  comparison.unbuilt = unbuilt_programs(baseline->record, current.record);
  return report_comparison(store, choice, {std::move(*baseline), std::move(current), std::move(comparison)},
                           !choice.report_only && !first, outputs, made_by);
}

int report_comparison(Store& store, const BaselineChoice& choice, ComparedSides sides, bool explain,
                      SuiteOutputs& outputs, const Reproduction& made_by) {
  Comparison& comparison = sides.comparison;
  comparison.baseline = sides.baseline.source;
  comparison.current = sides.current.source;
  if (choice.annotate) choice.annotate(comparison);
  if (choice.keep_verdict)
    if (const Status kept = keep_verdict(store, sides.current.record.id, comparison); !kept)
      return report_error(rescued(sides.current.record, kept.error()));
  const int status = choice.report_only ? exit_ok : exit_code(comparison);
  if (explain) explain_status(comparison, status);
  const std::string suite = sides.current.record.suite.name;
  if (!outputs.draws(Format::html)) {
    sides.baseline.record = {};
    sides.current.record = {};
  }
  outputs.add(suite,
              judged_report(std::move(comparison), std::move(sides.baseline.record),
                            std::move(sides.current.record), made_by),
              status);
  return status;
}

}  // namespace harness
