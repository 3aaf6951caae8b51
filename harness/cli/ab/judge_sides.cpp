#include "harness/cli/ab/judge_sides.h"

#include <fmt/format.h>

#include <utility>

#include "harness/cli/ab/red_counters.h"
#include "harness/cli/deciding/confirm_red.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/code_causes.h"
#include "harness/cli/judging/deciding_waivers.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/measuring/lock_clocks.h"
#include "harness/cli/measuring/lock_devices.h"
#include "harness/cli/output/rescue.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/verdict/compare.h"

namespace harness {
namespace {

Comparison compare_sides(const AbRecords& records, const AbJudging& how) {
  Comparison comparison = compare(records.baseline, records.current, how.policy);
  comparison.baseline.found = how.baseline;
  comparison.current.found = how.current;
  return comparison;
}

// Where the files of a build lie. A suite's programs may lie anywhere in the tree.
std::filesystem::path files_of(const AbSide& side) {
  const bool in_tree = side.worktree || side.here;
  if (side.here && has_programs(side.prepared.plan)) return {};  // beside builds of other kinds
  if (!in_tree || has_programs(side.prepared.plan) || side.program.empty()) return side.root;
  return side.program.parent_path().parent_path();
}

int conclude(Store& store, const AbRecords& records, const AbSides& sides,
             const std::optional<PairedBuilds>& pair, const AbJudging& how, SuiteOutputs& outputs,
             const Reproduction& made_by) {
  const int also = how.on_measured ? how.on_measured(records) : exit_ok;
  Comparison comparison = compare_sides(records, how);
  tell_way(comparison, how.instead);
  tell_confirmations(comparison, !how.look.no_confirm);
  tell_places(comparison, records.unshifted, records.hidden);
  if (const Status kept = keep_verdict(store, records.current.id, comparison); !kept)
    return report_error(rescued(records.current, rescued(records.baseline, kept.error())));
  add_code(comparison, {files_of(sides.baseline), files_of(sides.current)});
  add_counters(comparison, read_counters(sides.baseline, sides.current, pair, records.baseline, comparison));
  const int status = exit_code(comparison);
  explain_status(comparison, status);
  outputs.add(records.current.suite.name,
              judged_report(std::move(comparison), records.baseline, records.current, made_by), status);
  return worst_status(also, status);
}

// The commit of a side, for its waivers.
RecordSource source_of(const AbSide& side) {
  RecordSource source;
  source.revision = side.here.value_or(Revision{side.commit, {}, false});
  return source;
}

}  // namespace

int stopped(const char* what) {
  fmt::print(stderr, "interrupted: {}\n", what);
  return exit_interrupted;
}

int judge_sides(Store& store, const AbSides& sides, AbJudging how, SuiteOutputs& outputs,
                const Reproduction& made_by) {
  if (const Status decided = decide_waivers(how.policy, source_of(sides.baseline), source_of(sides.current));
      !decided)
    return report_error(decided.error());
  Prepared both = devices_of_both(sides);
  const auto locks = lock_devices(both, {how.measuring.wait});
  if (!locks && InterruptGuard::interrupted()) return stopped("nothing was measured");
  if (!locks) return report_error(locks.error());
  auto clocks = lock_clocks(both, how.clocks);
  if (!clocks) return report_error(clocks.error());
  Result<std::optional<PairedBuilds>> pair = choose_pairing(sides, how.pair, *how.loaded);
  if (InterruptGuard::interrupted()) return stopped("nothing was measured");
  if (!pair) return report_error(pair.error());
  AbMeasuring measuring;
  measuring.pair = std::move(*pair);
  measuring.quiet = how.measuring.quiet;
  measuring.facts = both.facts;
  measuring.partial = how.partial;
  measuring.look = how.look.measure == MeasureChoice::changed;
  if (!how.look.no_confirm) {
    measuring.red = [&](const AbRecords& measured) { return red_cases(compare_sides(measured, how)); };
    measuring.movable = [&](const AbRecords& measured) {
      return movable_cases(compare_sides(measured, how));
    };
    measuring.hidden = [&](const AbRecords& measured) {
      return hidden_cases(compare_sides(measured, how), measured.baseline, measured.current, how.place_budget,
                          [&](const MovableCases& cases) -> Unshifted {
                            if (!measuring.pair) return {};
                            Result<ShiftedBuilds> moved = shifted_builds(*measuring.pair, cases, 0);
                            return moved ? std::move(moved->refused) : Unshifted{};
                          });
    };
  }
  measuring.doubtful = [&](const AbRecords& measured) {
    return doubtful_cases(compare_sides(measured, how));
  };
  // If this process is killed, the report files say that it did not finish.
  measuring.on_begin = [&](const AbRecords& planned) {
    const Status begun = outputs.begin(planned.current.suite.name, measured_report(planned.current, made_by));
    if (!begun) report_error(begun.error());
  };
  const Result<AbRecords> records = measure_both(store, sides.baseline, sides.current, measuring);
  clocks->clear();  // judging needs no locked clock
  if (!records) return report_error(records.error());
  if (!records->interrupted) return conclude(store, *records, sides, measuring.pair, how, outputs, made_by);
  return stopped("what was measured is in the store, but not enough for a verdict");
}

}  // namespace harness
