#include "harness/verdict/explain.h"

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "harness/model/device_kinds.h"
#include "harness/verdict/alone.h"
#include "harness/verdict/check/comparable.h"
#include "harness/verdict/compare.h"
#include "harness/verdict/compared_records.h"
#include "harness/verdict/decide/gates.h"
#include "harness/verdict/place/elsewhere.h"
#include "harness/verdict/trace.h"

namespace harness {
namespace {

const CaseRecord* case_named(const Record& record, const std::string& id) {
  for (const CaseRecord& one : record.cases)
    if (one.id == id) return &one;
  return nullptr;
}

const Series* series_of(const CaseRecord* record, const ComparisonRow& row) {
  if (record == nullptr || !is_judged_alone(row))
    return record == nullptr ? nullptr : series_named(*record, row.metric);
  const auto alone = std::find_if(record->alone.begin(), record->alone.end(),
                                  [&](const Series& one) { return one.metric == row.metric; });
  return alone == record->alone.end() ? nullptr : &*alone;
}

// Whether the row shows all processes together, because fresh ones did not confirm it.
bool shows_all(const ComparisonRow& row) {
  return row.confirmation && !row.confirmation->confirmed;
}

// The processes of a side that the row takes: those of its look, without a look all.
std::vector<ProcessEvidence> processes_of(const Series* series, const ComparisonRow& row,
                                          const LookState& look = {}) {
  std::vector<ProcessEvidence> found;
  if (series == nullptr) return found;
  stats::ProcessEstimator estimator;
  for (const ProcessSamples& process : series->processes) {
    if (confirms(process.process) && !shows_all(row)) continue;  // the row's confirmation tells of them
    if (!shows_all(row) && look.number > 0 && !look.declared.empty() &&
        process.process > look.declared[static_cast<std::size_t>(look.number) - 1])
      continue;
    ProcessEvidence evidence{process.process, {}, std::nan("")};
    estimator.begin(process.placements.size());
    for (std::size_t i = 0; i < process.placements.size(); ++i)
      estimator.add_placement(i, process.placements[i].samples);
    for (const stats::ProcessEstimate& one : estimator.finish())
      if (one.samples > 0)
        evidence.placements.push_back(
            {one.samples, one.outliers.mild, one.outliers.far, std::exp(one.log_value)});
    if (process.figures) {
      const ProcessFigures& held = *process.figures;
      evidence.pinned = {static_cast<std::size_t>(held.samples), static_cast<std::size_t>(held.mild),
                         static_cast<std::size_t>(held.far), std::exp(held.log_value)};
    }
    if (evidence.pinned || !evidence.placements.empty()) found.push_back(std::move(evidence));
  }
  return found;
}

// The values are those of the row, which the verdict used.
void set_values(std::vector<ProcessEvidence>& processes, const Side& side) {
  if (processes.size() != side.process_values.size()) return;  // a sample without a logarithm
  for (std::size_t i = 0; i < processes.size(); ++i) processes[i].value = side.process_values[i];
}

// Class and UUID of a machine; "" where the record names none.
std::string machine_text(const Record& record, const std::string& device) {
  const auto found = record.machines.find(device);
  if (found == record.machines.end()) return {};
  return std::string(trim(found->second.machine_class + " " + found->second.device_uuid));
}

// Both records, with the policy in force between them.
struct Compared {
  const Record& baseline;
  const Record& current;
  const Policy& policy;
  Trace trace = {};
};

std::vector<ComparabilityCheck> checks_of(const Compared& compared, const ComparisonRow& row,
                                          const CaseRecord& before, const CaseRecord& after,
                                          const Series& old, const Series& now) {
  MachineMatch match = match_machines(compared.baseline, compared.current, after.device, compared.policy);
  return {
      {{CheckCode::machine,
        {{"baseline", machine_text(compared.baseline, after.device)},
         {"current", machine_text(compared.current, after.device)},
         {"other_device", match.other_device}}},
       std::move(match.obstacle),
       std::move(match.information)},
      {{CheckCode::sampling, {{"import", after.device == import_device}}}, sampling_obstacle(before, after)},
      {{CheckCode::estimator, {{"estimator", compared.current.estimator}}},
       estimator_obstacle(compared.baseline, compared.current)},
      {{CheckCode::metric}, series_obstacle(old, now)},
      {{CheckCode::gate}, gate_obstacle(row.margin, row.alpha)}};
}

std::optional<TestEvidence> test_of(const ComparisonRow& row, const Trace& trace, bool in_turn) {
  const auto found = std::find_if(trace.rows.begin(), trace.rows.end(), [&](const Trace::Row& one) {
    return one.case_id == row.case_id && one.metric == row.metric;
  });
  if (found == trace.rows.end()) return std::nullopt;
  const Evidence& evidence = found->evidence;
  if (evidence.looks.empty()) return std::nullopt;
  const bool pooled = shows_all(row) && evidence.pooled;
  const LookEvidence& look = pooled ? *evidence.pooled : evidence.looks[evidence.shown];
  TestEvidence test;
  test.effect = look.effect.difference;
  test.standard_error = look.effect.standard_error;
  test.known_variance = look.contrast.known;
  test.moderation = look.moderation;
  if (look.differences) {
    test.in_turn = in_turn;
    test.differences = look.differences->count;
    test.difference_sd = std::sqrt(look.differences->variance);
  }
  test.degrees_of_freedom = look.effect.degrees_of_freedom;
  test.margin = effect_margin(row);
  test.t_worse = (test.effect - test.margin) / test.standard_error;
  test.t_better = (test.effect + test.margin) / test.standard_error;
  test.lo = look.bounds.lo;
  test.hi = look.bounds.hi;
  test.rank_worse = pooled ? 0 : evidence.rank_worse;
  test.rank_better = pooled ? 0 : evidence.rank_better;
  test.family = trace.family;
  test.doubt = look.doubt;
  for (const LookEvidence& other : evidence.looks)
    test.looks.push_back(
        {other.number,
         row.look.declared.empty() ? 0 : row.look.declared[static_cast<std::size_t>(other.number) - 1],
         other.p_worse, other.p_better, other.p_passes, other.bounds.lo, other.bounds.hi});
  test.p_worse = evidence.p_worse;
  test.p_better = evidence.p_better;
  test.p_slow = evidence.p_slow;
  return test;
}

// The exit code if this row were the only one.
int exit_code_of(const ComparisonRow& row, const Policy& policy) {
  Comparison alone;
  alone.policy = policy;
  alone.rows = {row};
  return exit_code(alone);
}

RowExplanation explained(const ComparisonRow& row, const Compared& compared) {
  RowExplanation one;
  one.row = row;
  const CaseRecord* before = case_named(compared.baseline, row.case_id);
  const CaseRecord* after = case_named(compared.current, row.case_id);
  const Series* old = series_of(before, row);
  const Series* now = series_of(after, row);
  const bool both = old != nullptr && now != nullptr;
  if (both) one.checks = checks_of(compared, row, *before, *after, *old, *now);
  ComparabilityCheck first{
      {CheckCode::both_sides, {{"baseline", old != nullptr}, {"current", now != nullptr}}}};
  if (!both) first.obstacle = Obstacle{row.reason, row.differences};
  one.checks.insert(one.checks.begin(), std::move(first));
  if (row.proven || row.unproven)
    one.checks.insert(one.checks.begin() + 1,
                      ComparabilityCheck{{CheckCode::identity, {{"proven", row.proven}}}});
  one.baseline = processes_of(old, row);
  one.current = processes_of(now, row, row.look);
  set_values(one.baseline, row.baseline);
  set_values(one.current, row.current);
  const bool in_turn = pairing_of(compared.baseline, compared.current) == Pairing::Kind::session;
  one.test = test_of(row, compared.trace, in_turn);
  one.alone = exit_code_of(row, compared.policy);
  return one;
}

}  // namespace

Retelling explain(const Record& baseline, const Record& current, const Policy& policy,
                  const std::string& pattern, const std::string& metric) {
  // Rows tell of other places of the code (`over_places`).
  const std::optional<Record> old = where_it_lies(baseline), now = where_it_lies(current);
  Compared compared{old ? *old : baseline, now ? *now : current, policy};
  Retelling explanation;
  explanation.comparison = compare(baseline, current, policy, compared.trace);
  for (const ComparisonRow& row : explanation.comparison.rows)
    if (wildcard_match(pattern, row.case_id) && (metric.empty() || names_metric(metric, row.metric)))
      explanation.rows.push_back(explained(row, compared));
  return explanation;
}

}  // namespace harness
