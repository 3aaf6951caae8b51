// Every inconclusive row has a diagnostic that would settle it: a number of processes, a margin, a way to
// measure, or something to repair first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "facts.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;

// Whether somebody can act on it.
bool settles(const Diagnostic& diagnostic) {
  switch (diagnostic.code) {
    case DiagnosticCode::more_processes:
    case DiagnosticCode::more_shared:
    case DiagnosticCode::few_processes:
    case DiagnosticCode::wider_margin:
    case DiagnosticCode::zero_margin:
    case DiagnosticCode::near_margin:
    case DiagnosticCode::near_margin_unpaired:
    case DiagnosticCode::sessions_dominate:
    case DiagnosticCode::last_look_taken:
    case DiagnosticCode::baseline_fixed:
    case DiagnosticCode::forced_gates:
    case DiagnosticCode::throttled:
    case DiagnosticCode::shared_device: return true;
    default: return false;
  }
}

void expect_a_way_out(const Record& before, const Record& after, const Policy& policy,
                      const std::string& of) {
  for (const ComparisonRow& row : compare(before, after, policy).rows) {
    if (row.verdict != Verdict::inconclusive) continue;
    EXPECT_NE(row.reason.code, ReasonCode::none) << of;
    EXPECT_TRUE(row.reason.code == ReasonCode::awaits_look ||
                std::any_of(row.diagnostics.begin(), row.diagnostics.end(), settles))
        << of << ": " << testing::PrintToString(row.reason) << testing::PrintToString(row.diagnostics);
  }
}

// `count` values about a center whose logs have this sd, in no particular order.
std::vector<double> spread(int count, double center, double sd, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, sd);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(center * std::exp(noise(random)));
  return values;
}

TEST(Inconclusive, SaysWhatWouldSettleItWhateverTheNumbers) {
  int inconclusive = 0;
  for (const int before : {1, 2, 3, 5, 12})
    for (const int after : {1, 3, 8})
      for (const double change : {0.0, 0.004, 0.0099, 0.0105, 0.02})
        for (const double sd : {0.0005, 0.004, 0.05})
          for (const double session_sd : {0.0, 0.001, 0.02})
            for (const double margin : {0.0, 0.01}) {
              Policy policy;
              policy.session_sd = session_sd;
              policy.margin = margin;
              const Record baseline = record_of(spread(before, 20, sd, 1));
              const Record current = record_of(spread(after, 20 * (1 + change), sd, 2));
              inconclusive += only_row(compare(baseline, current, policy)).verdict == Verdict::inconclusive;
              expect_a_way_out(baseline, current, policy,
                               std::to_string(before) + " against " + std::to_string(after));
            }
  EXPECT_GT(inconclusive, 200);
}

TEST(Inconclusive, SaysWhatWouldSettleItAtEveryLook) {
  for (const int baseline : {3, 5, 20})
    for (const int current : {2, 5, 7, 10, 20})
      for (const double sd : {0.004, 0.03})
        for (const double change : {0.005, 0.012}) {
          Record before = record_of(spread(baseline, 20, sd, 3));
          Record after = record_of(spread(current, 20 * (1 + change), sd, 4));
          before.cases[0].gate.looks = after.cases[0].gate.looks = {5, 10, 20};
          expect_a_way_out(before, after, {}, "looks, " + std::to_string(current));
        }
}

TEST(Inconclusive, SaysWhatWouldSettleItWhereBuildsSharedProcesses) {
  for (const int common : {0, 1, 2, 3, 6})
    for (const double sd : {0.002, 0.03})
      for (const double change : {0.0, 0.009, 0.011}) {
        Record before = record_of(spread(6, 20, sd, 5)),
               after = record_of(spread(6, 20 * (1 + change), sd, 6));
        before.pairing = after.pairing = Pairing{"run", Pairing::Kind::process};
        for (std::size_t i = static_cast<std::size_t>(common); i < 6; ++i)
          after.cases[0].series[0].processes[i].process += 100;
        expect_a_way_out(before, after, {}, std::to_string(common) + " in common");
      }
}

TEST(Inconclusive, SaysWhatToRepairWhereTheMeasurementIsInDoubt) {
  const Record good = record_of(about(20));
  Record forced = good, hot = good, shared = good;
  for (Placement* placement : {&forced.cases[0].series[0].processes[0].placements[0],
                               &forced.cases[0].series[0].processes[1].placements[0]})
    placement->forced_gates = 3;
  for (std::size_t i = 0; i < 5; ++i) {
    Conditions throttled, crowded;
    throttled.throttled = {"thermal"};
    crowded.other_processes = 2;
    hot.cases[0].series[0].processes[i].placements[0].conditions = throttled;
    shared.cases[0].series[0].processes[i].placements[0].conditions = crowded;
  }
  for (const Record* bad : {&forced, &hot, &shared}) {
    EXPECT_EQ(only_row(compare(good, *bad, {})).verdict, Verdict::inconclusive);
    expect_a_way_out(good, *bad, {}, "in doubt");
  }
}

TEST(Diagnose, SaysThatValuesDoNotVaryAndDecidesAllTheSame) {
  const ComparisonRow row =
      only_row(compare(record_of(std::vector<double>(5, 20.0)), record_of(std::vector<double>(5, 21.0)), {}));
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_THAT(row.diagnostics,
              Contains(fact(DiagnosticCode::zero_variance, {{"side", "baseline"}, {"processes", 5}})));
}

TEST(Diagnose, NamesProcessesWithoutSamples) {
  Record gap = record_of(about(20));
  gap.cases[0].series[0].processes[3].placements[0].samples.clear();
  EXPECT_THAT(only_row(compare(record_of(about(20)), gap, {})).diagnostics,
              Contains(fact(DiagnosticCode::empty_processes, {{"side", "current"}, {"processes", "4"}})));
}

}  // namespace
}  // namespace harness
