#include "harness/cli/judging/judge_by_baseline.h"

#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <string_view>
#include <vector>

#include "harness/base/environment.h"
#include "harness/base/text.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/deciding_waivers.h"
#include "harness/cli/judging/deleted_suites.h"
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

namespace {

// A case without its results.
CaseRecord as_planned(const CaseRecord& one) {
  CaseRecord planned;
  planned.id = one.id;
  planned.workload = one.workload;
  planned.variant = one.variant;
  planned.device = one.device;
  planned.params = one.params;
  planned.gate = one.gate;
  planned.sampling = one.sampling;
  planned.where = one.where;
  return planned;
}

struct LeftOut {
  std::vector<CaseRecord> cases;
  std::size_t all = 0;  // with those that are judged
};

// Cuts the baseline to what the current side selected.
LeftOut cut_baseline(const BaselineChoice& choice, Record& baseline, const Record& current) {
  LeftOut left;
  if (!choice.adapt) return left;
  if (current.partial)
    for (const CaseRecord& one : baseline.cases)
      if ((one.outcome == Outcome::measured || one.outcome == Outcome::looked_at) &&
          !choice.other_devices.contains(one.device))
        left.cases.push_back(as_planned(one));
  left.all = left.cases.size();
  choice.adapt(baseline);
  std::set<std::string_view> kept;
  for (const CaseRecord& one : baseline.cases) kept.insert(one.id);
  std::erase_if(left.cases, [&](const CaseRecord& one) { return kept.contains(one.id); });
  return left;
}

// Both sides have the case again, and nothing of it is known.
void count_left_out(const std::vector<CaseRecord>& cases, Record& baseline, Record& current) {
  for (const CaseRecord& one : cases) {
    baseline.cases.push_back(one);
    CaseRecord& open = current.cases.emplace_back(one);
    open.outcome = Outcome::skipped;
    open.reason = Cause{CauseCode::left_out};
  }
}

}  // namespace

int judge_by_baseline(Store& store, const BaselineChoice& choice, Selected current, const Policy& policy,
                      SuiteOutputs& outputs, const Reproduction& made_by) {
  Result<Selected> baseline = select_baseline(store, choice.name, current, judged_by(policy, choice.select));
  const bool lost = !environment::target_of_change().empty() && is_measured_on_another_branch(store, current);
  const bool first = choice.first_passes && !lost && !can_judge(baseline, current, policy) &&
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
    if (lost || is_measured_otherwise(store, choice.name, current, choice.select))
      baseline->source.found = {SourceCode::none, {{"elsewhere", true}}};
  }
  const LeftOut left = cut_baseline(choice, baseline->record, current.record);
  if (choice.left_out_counts && !policy.allow_left_out)
    count_left_out(left.cases, baseline->record, current.record);
  Policy deciding = policy;
  if (const Status decided = decide_waivers(deciding, baseline->source, current.source); !decided)
    return report_error(decided.error());
  Comparison comparison = compare(baseline->record, current.record, deciding);
  if (first) comparison.policy.allow_missing = true;
  if (!left.cases.empty())
    comparison.remarks.push_back({RemarkCode::left_out, {{"cases", left.cases.size()}, {"all", left.all}}});
  if (const std::string files = deleted_suites(choice.name, current); !files.empty())
    comparison.remarks.push_back({RemarkCode::suites_deleted, {{"files", files}}});
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
