#include "harness/verdict/tune/halving.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "harness/verdict/compare.h"
#include "harness/verdict/read/process_values.h"

namespace harness {
namespace {

constexpr std::size_t fixed_arm = 0;

using CasesById = std::map<std::string_view, const CaseRecord*>;

CasesById cases_of(const Record& record) {
  CasesById cases;
  for (const CaseRecord& one : record.cases) cases.emplace(one.id, &one);
  return cases;
}

// The time of a case by the processes after `searched`, as a case called `id` that is judged by itself: any
// change counts.
CaseRecord timed_as(const std::string& id, const CaseRecord& one, int searched) {
  CaseRecord timed = one;
  timed.id = id;
  timed.gate.margin = 0;
  timed.gate.metrics.clear();
  timed.gate.looks.clear();
  std::erase_if(timed.processes, [&](const ProcessResult& result) { return result.process <= searched; });
  if (timed.series.size() > 1) timed.series.erase(timed.series.begin() + 1, timed.series.end());
  for (Series& series : timed.series)
    std::erase_if(series.processes,
                  [&](const ProcessSamples& samples) { return samples.process <= searched; });
  return timed;
}

// Two sides of one session, so that no variance between sessions is added.
Record side_like(const Record& record) {
  Record side;
  side.id = record.id;
  side.suite = record.suite;
  side.machines = record.machines;
  side.started = record.started;
  side.finished = record.started;
  side.estimator = record.estimator;
  side.pairing = Pairing{record.id, Pairing::Kind::session};
  return side;
}

Policy policy_of(double alpha, int processes) {
  Policy policy;
  policy.alpha = alpha;
  policy.margin = 0;
  policy.min_processes = processes;
  return policy;
}

// By arm: the processes that have a time, and their centre.
void read_time(TuneArm& arm, const CaseRecord& one, std::string& unit) {
  arm.processes = 0;
  if (one.series.empty()) return;
  const std::vector<double> values = process_values(one.series.front());
  arm.processes = static_cast<int>(values.size());
  if (values.empty()) return;
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  arm.time = std::exp(sum / static_cast<double>(values.size()));
  unit = one.series.front().unit;
}

void read_arm(TuneArm& arm, const CasesById& cases, std::string& unit) {
  const auto found = cases.find(arm.case_id);
  if (found == cases.end()) {
    arm.end = ArmEnd::unmeasured;
    return;
  }
  const CaseRecord& one = *found->second;
  read_time(arm, one, unit);
  if (one.outcome == Outcome::measured && arm.time) return;
  const bool waits =
      one.outcome == Outcome::skipped && one.reason && one.reason->code == CauseCode::not_measured;
  arm.end = waits                              ? ArmEnd::unmeasured
            : one.outcome == Outcome::skipped  ? ArmEnd::skipped
            : one.outcome == Outcome::measured ? ArmEnd::unmeasured
                                               : ArmEnd::failed;
  arm.reason = one.reason;
}

// Places of the open arms, the fastest first.
std::vector<std::size_t> ranked(const TunePoint& point) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < point.arms.size(); ++i)
    if (point.arms[i].end == ArmEnd::open && point.arms[i].time) places.push_back(i);
  std::stable_sort(places.begin(), places.end(), [&](std::size_t one, std::size_t other) {
    return *point.arms[one].time < *point.arms[other].time;
  });
  return places;
}

// Marks open arms that the gate calls slower than the best of their point.
void leave_slower(std::vector<TunePoint>& points, const Record& record, const CasesById& cases,
                  double alpha) {
  Record best = side_like(record), others = side_like(record);
  std::map<std::string, TuneArm*> arms;
  for (TunePoint& point : points) {
    const std::vector<std::size_t> order = ranked(point);
    for (std::size_t place = 1; place < order.size(); ++place) {
      TuneArm& arm = point.arms[order[place]];
      best.cases.push_back(timed_as(arm.case_id, *cases.at(point.arms[order[0]].case_id), 0));
      others.cases.push_back(timed_as(arm.case_id, *cases.at(arm.case_id), 0));
      arms[arm.case_id] = &arm;
    }
  }
  if (arms.empty()) return;
  for (const ComparisonRow& row : verdicts(best, others, policy_of(alpha, 2)))
    if (row.verdict == Verdict::regressed) arms.at(row.case_id)->end = ArmEnd::slower;
}

void leave_lower_half(TunePoint& point, const std::vector<std::size_t>& order) {
  for (std::size_t place = (order.size() + 1) / 2; place < order.size(); ++place) {
    ArmEnd& end = point.arms[order[place]].end;
    if (end == ArmEnd::open) end = ArmEnd::lower_half;
  }
}

void lead(TunePoint& point, std::size_t best) {
  point.best = best;
  point.arms[best].end = ArmEnd::leader;
}

// Without a right result of the fixed values there is nothing to compare with.
bool has_fixed(TunePoint& point) {
  const ArmEnd end = point.arms[fixed_arm].end;
  if (end == ArmEnd::failed) point.outcome = TuneOutcome::failed;
  if (end == ArmEnd::skipped) point.outcome = TuneOutcome::skipped;
  return end != ArmEnd::failed && end != ArmEnd::skipped && end != ArmEnd::unmeasured;
}

void read_arms(std::vector<TunePoint>& points, const CasesById& cases) {
  for (TunePoint& point : points) {
    for (TuneArm& arm : point.arms)
      if (arm.end == ArmEnd::open) read_arm(arm, cases, point.unit);
    if (has_fixed(point)) continue;
    for (TuneArm& arm : point.arms)
      if (arm.end == ArmEnd::open) arm.end = ArmEnd::unmeasured;
  }
}

// Whether a fresh process failed, so that nothing is left to judge.
bool fails_now(TunePoint& point, const CasesById& cases) {
  for (const std::size_t place : {fixed_arm, point.best}) {
    TuneArm& arm = point.arms[place];
    const CaseRecord& one = *cases.at(arm.case_id);
    if (one.outcome == Outcome::measured) continue;
    arm.end = ArmEnd::failed;
    arm.reason = one.reason;
    point.outcome = place == fixed_arm ? TuneOutcome::failed : TuneOutcome::kept;
    return true;
  }
  return false;
}

}  // namespace

void end_rung(std::vector<TunePoint>& points, const Record& record, double alpha) {
  const CasesById cases = cases_of(record);
  read_arms(points, cases);
  std::vector<std::vector<std::size_t>> orders;
  for (const TunePoint& point : points) orders.push_back(ranked(point));
  leave_slower(points, record, cases, alpha);
  for (std::size_t i = 0; i < points.size(); ++i) {
    leave_lower_half(points[i], orders[i]);
    if (const std::vector<std::size_t> left = ranked(points[i]); left.size() == 1)
      lead(points[i], left.front());
  }
}

void end_search(std::vector<TunePoint>& points, const Record& record) {
  read_arms(points, cases_of(record));
  for (TunePoint& point : points)
    if (const std::vector<std::size_t> left = ranked(point); !left.empty()) lead(point, left.front());
}

bool is_searching(const std::vector<TunePoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const TunePoint& point) {
    return std::any_of(point.arms.begin(), point.arms.end(),
                       [](const TuneArm& arm) { return arm.end == ArmEnd::open; });
  });
}

void verify(std::vector<TunePoint>& points, const Record& record, int searched, double alpha) {
  const CasesById cases = cases_of(record);
  Record fixed = side_like(record), best = side_like(record);
  std::map<std::string, TunePoint*> judged;
  for (TunePoint& point : points) {
    const TuneArm leader = point.arms[point.best];
    if (leader.end != ArmEnd::leader) continue;
    if (point.best == fixed_arm) point.outcome = TuneOutcome::kept;
    if (fails_now(point, cases) || point.best == fixed_arm) continue;
    fixed.cases.push_back(timed_as(point.id, *cases.at(point.arms[fixed_arm].case_id), searched));
    best.cases.push_back(timed_as(point.id, *cases.at(leader.case_id), searched));
    judged[point.id] = &point;
  }
  if (judged.empty()) return;
  for (const ComparisonRow& row : verdicts(fixed, best, policy_of(alpha, Policy{}.min_processes))) {
    TunePoint& point = *judged.at(row.case_id);
    point.processes = std::min(row.baseline.processes, row.current.processes);
    if (row.ratio > 0) point.ratio = row.ratio;
    point.interval = row.interval;
    point.p = row.p_improved_adjusted;
    // Only rows that were judged together have an adjusted p: those with enough undisturbed processes.
    const bool decided = row.verdict == Verdict::inconclusive ? row.p_adjusted.has_value() : row.ratio > 0;
    if (row.verdict == Verdict::improved)
      point.outcome = TuneOutcome::replaced;
    else if (decided)
      point.outcome = TuneOutcome::kept;
  }
}

}  // namespace harness
