#include "harness/study/false_alarms.h"

#include <algorithm>
#include <span>
#include <utility>

#include "harness/stats/estimate/random.h"
#include "harness/stats/hypothesis/proportion.h"
#include "harness/verdict/decide/call_verdicts.h"

namespace harness {
namespace {

constexpr double confidence = 0.95;

// Two sessions of one build, or the same one twice where there are no two.
std::pair<std::size_t, std::size_t> two_sessions(const MeasuredCase& one, bool halves,
                                                 stats::Random& random) {
  const auto count = static_cast<std::uint32_t>(one.sessions.size());
  const std::size_t first = random.below(count);
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < one.sessions.size(); ++i)
    if (i != first && one.sessions[i].build == one.sessions[first].build) others.push_back(i);
  if (others.empty() || halves) return {first, first};
  return {first, others[random.below(static_cast<std::uint32_t>(others.size()))]};
}

// The processes a side that every case can give.
int side_size(const std::vector<MeasuredCase>& measured, const CalibrationOptions& options) {
  int size = options.most_processes;
  for (const MeasuredCase& one : measured) {
    if (!one.decides) continue;
    if (!options.halves) size = std::min(size, one.calibrated.planned_processes);
    for (const SessionValues& session : one.sessions) {
      bool alone = true;
      if (options.halves) {
        size = std::min(size, static_cast<int>(session.log_values.size()) / 2);
        continue;
      }
      for (const SessionValues& other : one.sessions)
        alone &= &other == &session || other.build != session.build;
      const int there = static_cast<int>(session.log_values.size());
      size = std::min(size, alone ? there / 2 : there);
    }
  }
  return size;
}

SideReading reading_of(std::vector<double> values) {
  SideReading reading;
  reading.moments = stats::moments(values);
  reading.with_samples = values.size();
  reading.outlier_rates.assign(values.size(), 0);
  reading.log_values = std::move(values);
  return reading;
}

std::pair<SideReading, SideReading> split(const MeasuredCase& one, bool halves, int size,
                                          std::uint64_t seed) {
  stats::Random random(seed);  // the same for all cases, so that those measured together stay together
  const auto [a, b] = two_sessions(one, halves, random);
  std::vector<double> left = one.sessions[a].log_values;
  random.shuffle(std::span(left));
  std::vector<double> right;
  if (a == b) {
    right.assign(left.begin() + size, left.begin() + 2 * static_cast<std::ptrdiff_t>(size));
  } else {
    right = one.sessions[b].log_values;
    random.shuffle(std::span(right));
    right.resize(static_cast<std::size_t>(size));
  }
  left.resize(static_cast<std::size_t>(size));
  return {reading_of(std::move(left)), reading_of(std::move(right))};
}

// The cases at `places` that a comparison of random halves calls regressed, by the code behind compare(),
// corrected by Holm over all of them.
std::vector<bool> alarms_of(const std::vector<MeasuredCase>& measured, const std::vector<std::size_t>& places,
                            int size, std::uint64_t seed, const CalibrationOptions& options) {
  std::vector<ComparisonRow> rows(places.size());
  std::vector<Evidence> evidence;
  std::vector<CaseSpread> spreads;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const MeasuredCase& one = measured[places[i]];
    const auto [left, right] = split(one, options.halves, size, seed);
    rows[i].margin = one.calibrated.margin;
    rows[i].alpha = one.calibrated.alpha;
    rows[i].verdict = Verdict::inconclusive;
    const double sd = options.halves ? 0 : one.calibrated.session_sd;
    const std::string kind = kind_of(one.calibrated.device, one.calibrated.metric, one.calibrated.unit);
    for (const SideReading* side : {&left, &right}) spreads.push_back(spread_between_processes(kind, *side));
    if (auto look = weigh(rows[i], 1, left, right, {sd * sd}, options.policy))
      evidence.push_back({i, kind, size, {std::move(*look)}});
  }
  test_looks(rows, evidence, UsualSpreads(spreads));
  call_verdicts(rows, evidence, options.policy);
  std::vector<bool> alarms;
  for (const ComparisonRow& row : rows) alarms.push_back(row.verdict == Verdict::regressed);
  return alarms;
}

// Whether some session has another of its build to be compared with.
bool compares_sessions(const std::vector<MeasuredCase>& measured) {
  for (const MeasuredCase& one : measured)
    for (std::size_t i = 0; i < one.sessions.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (one.sessions[i].build == one.sessions[j].build) return true;
  return false;
}

}  // namespace

void count_alarms(std::vector<MeasuredCase>& measured, CalibrationReport& report,
                  const CalibrationOptions& options) {
  const int size = side_size(measured, options);
  if (measured.empty() || size < least_processes(options.policy)) return;
  report.split_processes = size;
  report.splits = options.splits;
  report.between_sessions = !options.halves && compares_sessions(measured);
  report.halves_alone = options.halves;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < measured.size(); ++i)
    if (measured[i].decides && measured[i].calibrated.margin > 0) places.push_back(i);
  for (std::size_t trial = 0; trial < options.splits; ++trial) {
    const std::vector<bool> alarms = alarms_of(measured, places, size, options.seed + trial, options);
    bool any = false;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (alarms[i]) ++measured[places[i]].calibrated.alarms;
      any = any || alarms[i];
    }
    report.suite_alarms += any ? 1 : 0;
  }
  report.alarm_bound = stats::clopper_pearson(report.suite_alarms, report.splits, confidence).hi;
}

}  // namespace harness
