#include "harness/verdict/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "harness/verdict/check/comparable.h"
#include "harness/verdict/decide/gates.h"
#include "harness/verdict/trace.h"

namespace harness {
namespace {

const CaseRecord* case_named(const Record& record, const std::string& id) {
  for (const CaseRecord& one : record.cases)
    if (one.id == id) return &one;
  return nullptr;
}

const Series* series_named(const CaseRecord* record, const std::string& metric) {
  if (record == nullptr) return nullptr;
  for (const Series& series : record->series)
    if (series.metric == metric) return &series;
  return nullptr;
}

// Of the processes that the row's look takes.
std::vector<ProcessEvidence> processes_of(const Series* series, const LookState& look) {
  std::vector<ProcessEvidence> found;
  if (series == nullptr) return found;
  stats::ProcessEstimator estimator;
  for (const ProcessSamples& process : series->processes) {
    if (look.number > 0 && !look.declared.empty() &&
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
    if (!evidence.placements.empty()) found.push_back(std::move(evidence));
  }
  return found;
}

// The values are those of the row, which the verdict used.
void set_values(std::vector<ProcessEvidence>& processes, const Side& side) {
  if (processes.size() != side.process_values.size()) return;  // a sample without a logarithm
  for (std::size_t i = 0; i < processes.size(); ++i) processes[i].value = side.process_values[i];
}

std::string machine_text(const Record& record, const std::string& device) {
  const auto found = record.machines.find(device);
  if (found == record.machines.end()) return "no machine named";
  return std::string(trim(found->second.machine_class + " " + found->second.device_uuid));
}

class Explainer {
 public:
  Explainer(const Record& baseline, const Record& current, const Policy& policy)
      : baseline_(baseline), current_(current), policy_(policy) {
    explanation_.comparison = compare(baseline, current, policy, trace_);
  }

  Retelling run(const std::string& pattern, const std::string& metric) {
    for (const ComparisonRow& row : explanation_.comparison.rows)
      if (wildcard_match(pattern, row.case_id) && (metric.empty() || names_metric(metric, row.metric)))
        explanation_.rows.push_back(explained(row));
    return std::move(explanation_);
  }

 private:
  RowExplanation explained(const ComparisonRow& row) {
    RowExplanation one;
    one.row = row;
    const CaseRecord* before = case_named(baseline_, row.case_id);
    const CaseRecord* after = case_named(current_, row.case_id);
    const Series* old = series_named(before, row.metric);
    const Series* now = series_named(after, row.metric);
    one.checks.push_back(
        {"both sides have it", old != nullptr && now != nullptr ? "" : row.reason,
         fmt::format("{} in the baseline, {} now", old != nullptr ? "measured" : "not measured",
                     now != nullptr ? "measured" : "not measured")});
    if (old != nullptr && now != nullptr) add_checks(one, *before, *after, *old, *now);
    one.baseline = processes_of(old, row.look);
    one.current = processes_of(now, row.look);
    set_values(one.baseline, row.baseline);
    set_values(one.current, row.current);
    one.test = test_of(row);
    Comparison alone;
    alone.policy = policy_;
    alone.rows = {row};
    one.alone = exit_code(alone);
    return one;
  }

  void add_checks(RowExplanation& one, const CaseRecord& before, const CaseRecord& after, const Series& old,
                  const Series& now) const {
    const MachineMatch match = match_machines(baseline_, current_, after.device, policy_);
    one.checks.push_back(
        {"machine and device", match.obstacle,
         fmt::format("{} -> {}{}{}{}", machine_text(baseline_, after.device),
                     machine_text(current_, after.device),
                     match.other_device ? ", another device of the model, allowed" : "",
                     match.information.empty() ? "" : "; also different: ", join(match.information, "; "))});
    one.checks.push_back({"sampling", sampling_obstacle(before, after),
                          after.device == "import" ? "another tool's" : "the same settings"});
    one.checks.push_back({"estimator", estimator_obstacle(baseline_, current_), current_.estimator});
    one.checks.push_back({"metric", series_obstacle(old, now),
                          fmt::format("{} in {}, {} is better", now.metric,
                                      now.unit.empty() ? "no unit" : now.unit, name_of(now.direction))});
    one.checks.push_back({"gate", gate_obstacle(one.row.margin, one.row.alpha),
                          fmt::format("margin {:.4g} %, alpha {:.4g} %{}", one.row.margin * 100,
                                      one.row.alpha * 100, one.row.informative ? ", informative" : "")});
  }

  [[nodiscard]] std::optional<TestEvidence> test_of(const ComparisonRow& row) const {
    const auto found = std::find_if(trace_.rows.begin(), trace_.rows.end(), [&](const Trace::Row& one) {
      return one.case_id == row.case_id && one.metric == row.metric;
    });
    if (found == trace_.rows.end()) return std::nullopt;
    const Evidence& evidence = found->evidence;
    if (evidence.looks.empty()) return std::nullopt;
    const LookEvidence& look = evidence.looks[evidence.shown];
    TestEvidence test;
    test.effect = look.effect.difference;
    test.standard_error = look.effect.standard_error;
    test.known_variance = evidence.known_variance;
    if (look.differences) {
      test.differences = look.differences->count;
      test.difference_sd = std::sqrt(look.differences->variance);
    }
    test.degrees_of_freedom = look.effect.degrees_of_freedom;
    test.margin = std::log1p(row.margin);
    test.t_worse = (test.effect - test.margin) / test.standard_error;
    test.t_better = (test.effect + test.margin) / test.standard_error;
    test.lo = look.bounds.lo;
    test.hi = look.bounds.hi;
    test.rank_worse = evidence.rank_worse;
    test.rank_better = evidence.rank_better;
    test.family = trace_.family;
    test.doubt = look.doubt;
    for (const LookEvidence& other : evidence.looks)
      test.looks.push_back(
          {other.number,
           row.look.declared.empty() ? 0 : row.look.declared[static_cast<std::size_t>(other.number) - 1],
           other.p_worse, other.p_better, other.bounds.lo, other.bounds.hi});
    test.p_worse = evidence.p_worse;
    test.p_better = evidence.p_better;
    return test;
  }

  const Record& baseline_;
  const Record& current_;
  const Policy& policy_;
  Trace trace_;
  Retelling explanation_;
};

}  // namespace

Retelling explain(const Record& baseline, const Record& current, const Policy& policy,
                  const std::string& pattern, const std::string& metric) {
  return Explainer(baseline, current, policy).run(pattern, metric);
}

}  // namespace harness
