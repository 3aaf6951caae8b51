#include "harness/verdict/check/diagnose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

std::vector<Diagnostic> diagnostics_of(const Record& before, const Record& after) {
  return only_row(compare(before, after, Policy{})).diagnostics;
}

// Five processes of 100 samples each, of which the first `slow` are half as slow again.
Record with_slow_samples(int slow, double spread = 0.001) {
  Record record = record_of(about(20));
  for (ProcessSamples& process : record.cases[0].series[0].processes) {
    const double center = process.placements[0].samples[0];
    process.placements[0].samples.clear();
    for (int i = 0; i < 100; ++i)
      process.placements[0].samples.push_back(center * (1 + spread * ((i * 37) % 100 - 50) / 50) *
                                              (i < slow + process.process % 2 ? 1.5 : 1));
  }
  return record;
}

TEST(Diagnose, HasNothingToSayOfAnOrdinaryPair) {
  EXPECT_THAT(diagnostics_of(record_of(about(20)), record_of(about(20))), IsEmpty());
}

TEST(Diagnose, SeesASlowModeThatTheTrimmedMeanHides) {
  const Record before = with_slow_samples(2), after = with_slow_samples(6);
  const ComparisonRow row = only_row(compare(before, after, Policy{}));
  EXPECT_EQ(row.verdict, Verdict::unchanged) << name_of(row.reason.code);
  EXPECT_NEAR(row.baseline.outlier_rate, 0.026, 1e-9);
  EXPECT_NEAR(row.current.outlier_rate, 0.066, 1e-9);
  EXPECT_THAT(row.diagnostics,
              Contains(fact(DiagnosticCode::outliers, {{"baseline", 0.026}, {"current", 0.066}})));
  EXPECT_THAT(diagnostics_of(after, before), Contains(fact(DiagnosticCode::outliers, {{"change", -0.04}})));
  EXPECT_THAT(diagnostics_of(before, with_slow_samples(2, 0.002)), IsEmpty());
}

TEST(Diagnose, DoesNotTakeAScatteredOutlierRateForAChange) {
  // The means differ by more than a point, but only because one process of five had a bad moment.
  Record after = with_slow_samples(2);
  std::vector<double>& samples = after.cases[0].series[0].processes[4].placements[0].samples;
  for (std::size_t i = 0; i < 15; ++i) samples[i] = 30;
  const ComparisonRow row = only_row(compare(with_slow_samples(2), after, Policy{}));
  EXPECT_GT(row.current.outlier_rate - row.baseline.outlier_rate, 0.01);
  EXPECT_THAT(row.diagnostics, Not(Contains(coded(DiagnosticCode::outliers))));
}

TEST(Diagnose, CountsForcedGatesAndBeyondAShareGivesNoVerdict) {
  Record after = record_of(about(30));
  after.cases[0].series[0].processes[0].placements[0].forced_gates = 1;
  ComparisonRow row = only_row(compare(record_of(about(20)), after, Policy{}));
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_THAT(row.diagnostics, Contains(fact(DiagnosticCode::forced_gates,
                                             {{"side", "current"}, {"forced", 1}, {"samples", 15}})));
  after.cases[0].series[0].processes[1].placements[0].forced_gates = 1;
  row = only_row(compare(record_of(about(20)), after, Policy{}));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.reason, fact(ReasonCode::forced_gates, {{"tolerated", 0.1}}));
  EXPECT_FALSE(row.p_adjusted);
}

TEST(Diagnose, SaysWhenThereAreFewProcesses) {
  EXPECT_THAT(diagnostics_of(record_of({20, 20.01, 20.02}), record_of(about(20))),
              Contains(fact(DiagnosticCode::few_processes, {{"processes", 3}})));
  EXPECT_THAT(diagnostics_of(record_of(std::vector<double>{20}), record_of(about(20))),
              Contains(fact(DiagnosticCode::few_processes, {{"processes", 1}})));
}

TEST(Diagnose, SeesProcessesThatFallIntoTwoGroups) {
  const std::vector<double> modes{22.5, 22.51, 25.5, 22.49, 25.51, 25.49, 22.5, 25.5};
  std::vector<double> one = about(24);
  one.insert(one.end(), {24.01, 24.02, 23.98});
  EXPECT_THAT(
      diagnostics_of(record_of(modes), record_of(one)),
      Contains(fact(DiagnosticCode::modes, {{"side", "baseline"}, {"groups", 2}, {"counts", "4 and 4"}})));
  EXPECT_THAT(diagnostics_of(record_of(one), record_of(one)), Not(Contains(coded(DiagnosticCode::modes))));
}

TEST(Diagnose, TellsAClockThatMovedFromCodeThatDid) {
  const auto at_clock = [](const std::vector<double>& values, double ghz) {
    Record record = record_of(values);
    for (ProcessSamples& process : record.cases[0].series[0].processes) process.placements[0].clock_ghz = ghz;
    return record;
  };
  EXPECT_THAT(diagnostics_of(at_clock(about(20), 1.98), at_clock(about(22), 1.80)),
              Contains(fact(DiagnosticCode::clock_shift, {{"baseline", 1.98}, {"current", 1.8}})));
  EXPECT_THAT(diagnostics_of(at_clock(about(20), 1.98), at_clock(about(22), 1.98)), IsEmpty());
  EXPECT_THAT(diagnostics_of(at_clock(about(20), 1.98), at_clock(about(20), 1.80)), IsEmpty());
}

// One process after the other, ten minutes apart, in the order of the values.
Record in_time(const std::vector<double>& values, bool backwards = false) {
  Record record = record_of(values);
  std::vector<ProcessSamples>& processes = record.cases[0].series[0].processes;
  for (std::size_t i = 0; i < processes.size(); ++i)
    processes[i].placements[0].started =
        1.7e9 + 600.0 * static_cast<double>(backwards ? processes.size() - i : i);
  return record;
}

TEST(Diagnose, SeesADriftAcrossProcessesInTheOrderTheyRan) {
  const std::vector<double> drifting{20, 20.06, 20.1, 20.16, 20.2, 20.26, 20.3};
  EXPECT_THAT(diagnostics_of(record_of(about(20)), in_time(drifting)),
              Contains(fact(DiagnosticCode::drift, {{"side", "current"}, {"change", 0.015}})));
  EXPECT_THAT(diagnostics_of(record_of(about(20)), in_time(drifting, true)),
              Contains(fact(DiagnosticCode::drift, {{"side", "current"}, {"change", -0.0148}})));
  EXPECT_THAT(diagnostics_of(record_of(about(20)), record_of(drifting)),
              Not(Contains(coded(DiagnosticCode::drift))))
      << "without times there is no order";
  EXPECT_THAT(diagnostics_of(record_of(about(20)), in_time({20, 20.2, 20.06, 20.3, 20.1, 20.26, 20.16})),
              Not(Contains(coded(DiagnosticCode::drift))));
}

TEST(Diagnose, SeesNeighbouringProcessesThatAgree) {
  std::vector<double> clumps;
  for (int i = 0; i < 16; ++i) clumps.push_back((i / 4 % 2 == 0 ? 20 : 20.05) + 0.001 * (i * 7 % 5));
  EXPECT_THAT(diagnostics_of(record_of(about(20)), in_time(clumps)),
              Contains(fact(DiagnosticCode::correlated, {{"side", "current"}})));
  std::vector<double> mixed;
  for (std::size_t i = 0; i < 16; ++i) mixed.push_back(clumps[i * 5 % 16]);
  EXPECT_THAT(diagnostics_of(record_of(about(20)), in_time(mixed)),
              Not(Contains(coded(DiagnosticCode::correlated))));
}

TEST(Diagnose, SeesSamplesThatMoveWithinAPlacement) {
  const auto sloped = [](double whole) {
    Record record = record_of(about(20));
    for (ProcessSamples& process : record.cases[0].series[0].processes) {
      std::vector<double>& samples = process.placements[0].samples;
      const double center = samples[0];
      samples.clear();
      for (int i = 0; i < 40; ++i) samples.push_back(center * (1 + whole * i / 40 + 1e-5 * (i * 13 % 7)));
    }
    return record;
  };
  EXPECT_THAT(diagnostics_of(sloped(0), sloped(-0.04)),
              Contains(fact(DiagnosticCode::slowing, {{"side", "current"}, {"change", -0.0302}})));
  EXPECT_THAT(diagnostics_of(sloped(0), sloped(0.04)),
              Contains(fact(DiagnosticCode::slowing, {{"side", "current"}, {"change", 0.0299}})));
  EXPECT_THAT(diagnostics_of(sloped(0), sloped(0.005)), Not(Contains(coded(DiagnosticCode::slowing))));
}

TEST(Diagnose, SeesTimesInStepsWiderThanTheMargin) {
  const auto stepped = [](double step) {
    Record record = record_of(about(2));
    record.cases[0].series[0].metric = "wall_time";  // of the device's, launches are the reason
    for (ProcessSamples& process : record.cases[0].series[0].processes) {
      process.placements[0].samples.clear();
      for (int i = 0; i < 24; ++i)
        process.placements[0].samples.push_back(2 + step * ((i + process.process) * 5 % 3));
    }
    return record;
  };
  EXPECT_THAT(
      diagnostics_of(stepped(0.032), stepped(0.032)),
      Contains(fact(DiagnosticCode::quantised, {{"side", "both"}, {"step", 0.032}, {"share", 0.0157}})));
  EXPECT_THAT(diagnostics_of(stepped(0.032), stepped(0.001)),
              Contains(fact(DiagnosticCode::quantised, {{"side", "baseline"}})));
  EXPECT_THAT(diagnostics_of(stepped(0.001), stepped(0.032)),
              Contains(fact(DiagnosticCode::quantised, {{"side", "current"}})));
  EXPECT_THAT(diagnostics_of(stepped(0.001), stepped(0.001)),
              Not(Contains(coded(DiagnosticCode::quantised))));
}

TEST(Diagnose, SaysOnceThatCallsAreTooShort) {
  Record record = record_of(about(2));  // 2 us between two events, in ticks
  for (ProcessSamples& process : record.cases[0].series[0].processes) {
    process.placements[0].samples.clear();
    for (int i = 0; i < 24; ++i)
      process.placements[0].samples.push_back(2 + 0.032 * ((i + process.process) * 5 % 3));
  }
  record.cases[0].series[0].metric = "wall_time";
  const auto about_batches = [](const std::vector<Diagnostic>& all) {
    return std::count_if(all.begin(), all.end(), [](const Diagnostic& one) {
      return one.code == DiagnosticCode::quantised || one.code == DiagnosticCode::launch_bound;
    });
  };
  EXPECT_THAT(diagnostics_of(record, record), Contains(fact(DiagnosticCode::quantised, {{"side", "both"}})));
  EXPECT_EQ(about_batches(diagnostics_of(record, record)), 1);
  record.cases[0].series[0].metric = "gpu_time";
  EXPECT_THAT(diagnostics_of(record, record), Contains(coded(DiagnosticCode::launch_bound)));
  EXPECT_EQ(about_batches(diagnostics_of(record, record)), 1);
}

TEST(Diagnose, SeesASpreadThatChanged) {
  std::vector<double> wide;
  for (const double value : about(20)) wide.push_back(20 + 8 * (value - 20));
  EXPECT_THAT(diagnostics_of(record_of(about(20)), record_of(wide)),
              Contains(fact(DiagnosticCode::spread, {{"ratio", 8.0}})));
  EXPECT_THAT(diagnostics_of(record_of(wide), record_of(about(20))),
              Contains(fact(DiagnosticCode::spread, {{"ratio", 1 / 8.0}})));
  std::vector<double> wider;
  for (const double value : about(20)) wider.push_back(20 + 2 * (value - 20));
  EXPECT_THAT(diagnostics_of(record_of(about(20)), record_of(wider)),
              Not(Contains(coded(DiagnosticCode::spread))));
}

}  // namespace
}  // namespace harness
