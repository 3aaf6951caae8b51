#include "harness/verdict/check/diagnose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records.h"

namespace harness {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> advice_of(const Record& before, const Record& after) {
  return only_row(compare(before, after, Policy{})).advice;
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
  EXPECT_THAT(advice_of(record_of(about(20)), record_of(about(20))), IsEmpty());
}

TEST(Diagnose, SeesASlowModeThatTheTrimmedMeanHides) {
  const Record before = with_slow_samples(2), after = with_slow_samples(8);
  const ComparisonRow row = only_row(compare(before, after, Policy{}));
  EXPECT_EQ(row.verdict, Verdict::unchanged) << row.reason;
  EXPECT_NEAR(row.baseline.outlier_rate, 0.026, 1e-9);
  EXPECT_NEAR(row.current.outlier_rate, 0.086, 1e-9);
  EXPECT_THAT(row.advice, Contains(HasSubstr("far outliers went from 2.6 % to 8.6 % of samples")));
  EXPECT_THAT(row.advice, Contains(HasSubstr("appeared")));
  EXPECT_THAT(advice_of(after, before), Contains(HasSubstr("went away")));
  EXPECT_THAT(advice_of(before, with_slow_samples(2, 0.002)), IsEmpty());
}

TEST(Diagnose, DoesNotTakeAScatteredOutlierRateForAChange) {
  // The means differ by more than a point, but only because one process of five had a bad moment.
  Record after = with_slow_samples(2);
  std::vector<double>& samples = after.cases[0].series[0].processes[4].placements[0].samples;
  for (std::size_t i = 0; i < 15; ++i) samples[i] = 30;
  const ComparisonRow row = only_row(compare(with_slow_samples(2), after, Policy{}));
  EXPECT_GT(row.current.outlier_rate - row.baseline.outlier_rate, 0.01);
  EXPECT_THAT(row.advice, Not(Contains(HasSubstr("far outliers"))));
}

TEST(Diagnose, CountsForcedGatesAndBeyondAShareGivesNoVerdict) {
  Record after = record_of(about(30));
  after.cases[0].series[0].processes[0].placements[0].forced_gates = 1;
  ComparisonRow row = only_row(compare(record_of(about(20)), after, Policy{}));
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_THAT(row.advice, Contains(HasSubstr("current: the launch gate of 1 of 15 samples")));
  after.cases[0].series[0].processes[1].placements[0].forced_gates = 1;
  row = only_row(compare(record_of(about(20)), after, Policy{}));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.reason, HasSubstr("launch gate of more than 10 %"));
  EXPECT_FALSE(row.p_adjusted);
}

TEST(Diagnose, SaysWhenThereAreFewProcesses) {
  EXPECT_THAT(advice_of(record_of({20, 20.01, 20.02}), record_of(about(20))),
              Contains(HasSubstr("only 3 processes on a side")));
  EXPECT_THAT(advice_of(record_of(std::vector<double>{20}), record_of(about(20))),
              Contains(HasSubstr("only 1 process on a side")));
}

TEST(Diagnose, SeesProcessesThatFallIntoTwoGroups) {
  const std::vector<double> modes{22.5, 22.51, 25.5, 22.49, 25.51, 25.49, 22.5, 25.5};
  std::vector<double> one = about(24);
  one.insert(one.end(), {24.01, 24.02, 23.98});
  EXPECT_THAT(advice_of(record_of(modes), record_of(one)),
              Contains(HasSubstr("baseline: the processes fall into two groups")));
  EXPECT_THAT(advice_of(record_of(one), record_of(one)), Not(Contains(HasSubstr("two groups"))));
}

TEST(Diagnose, TellsAClockThatMovedFromCodeThatDid) {
  const auto at_clock = [](const std::vector<double>& values, double ghz) {
    Record record = record_of(values);
    for (ProcessSamples& process : record.cases[0].series[0].processes) process.placements[0].clock_ghz = ghz;
    return record;
  };
  EXPECT_THAT(advice_of(at_clock(about(20), 1.98), at_clock(about(22), 1.80)),
              Contains(HasSubstr("clock shift: the device clock went from 1.980 to 1.800 GHz")));
  EXPECT_THAT(advice_of(at_clock(about(20), 1.98), at_clock(about(22), 1.98)), IsEmpty());
  EXPECT_THAT(advice_of(at_clock(about(20), 1.98), at_clock(about(20), 1.80)), IsEmpty());
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
  EXPECT_THAT(advice_of(record_of(about(20)), in_time(drifting)),
              Contains(HasSubstr("current: drift, the processes moved by +1.5")));
  EXPECT_THAT(advice_of(record_of(about(20)), in_time(drifting, true)),
              Contains(HasSubstr("current: drift, the processes moved by -1.4")));
  EXPECT_THAT(advice_of(record_of(about(20)), record_of(drifting)), Not(Contains(HasSubstr("drift"))))
      << "without times there is no order";
  EXPECT_THAT(advice_of(record_of(about(20)), in_time({20, 20.2, 20.06, 20.3, 20.1, 20.26, 20.16})),
              Not(Contains(HasSubstr("drift"))));
}

TEST(Diagnose, SeesNeighbouringProcessesThatAgree) {
  std::vector<double> clumps;
  for (int i = 0; i < 16; ++i) clumps.push_back((i / 4 % 2 == 0 ? 20 : 20.05) + 0.001 * (i * 7 % 5));
  EXPECT_THAT(advice_of(record_of(about(20)), in_time(clumps)),
              Contains(HasSubstr("current: neighbouring processes agree (lag-1 autocorrelation 0.")));
  std::vector<double> mixed;
  for (std::size_t i = 0; i < 16; ++i) mixed.push_back(clumps[i * 5 % 16]);
  EXPECT_THAT(advice_of(record_of(about(20)), in_time(mixed)), Not(Contains(HasSubstr("neighbouring"))));
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
  EXPECT_THAT(advice_of(sloped(0), sloped(-0.04)),
              Contains(HasSubstr("current: within a placement the samples move by -3.0")));
  EXPECT_THAT(advice_of(sloped(0), sloped(-0.04)), Contains(HasSubstr("warm up longer")));
  EXPECT_THAT(advice_of(sloped(0), sloped(0.04)), Contains(HasSubstr("the device heats or throttles")));
  EXPECT_THAT(advice_of(sloped(0), sloped(0.005)), Not(Contains(HasSubstr("within a placement"))));
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
  EXPECT_THAT(advice_of(stepped(0.032), stepped(0.032)),
              Contains(HasSubstr("quantised in steps of 0.032 us, 1.6 % of a sample")));
  EXPECT_THAT(advice_of(stepped(0.032), stepped(0.001)),
              Contains(HasSubstr("baseline: the times are quantised")));
  EXPECT_THAT(advice_of(stepped(0.001), stepped(0.032)),
              Contains(HasSubstr("current: the times are quantised")));
  EXPECT_THAT(advice_of(stepped(0.001), stepped(0.001)), Not(Contains(HasSubstr("quantised"))));
}

TEST(Diagnose, SaysOnceThatCallsAreTooShort) {
  Record record = record_of(about(2));  // 2 us between two events, in ticks
  for (ProcessSamples& process : record.cases[0].series[0].processes) {
    process.placements[0].samples.clear();
    for (int i = 0; i < 24; ++i)
      process.placements[0].samples.push_back(2 + 0.032 * ((i + process.process) * 5 % 3));
  }
  record.cases[0].series[0].metric = "wall_time";
  const auto about_batches = [](const std::vector<std::string>& advice) {
    return std::count_if(advice.begin(), advice.end(),
                         [](const std::string& note) { return note.find("timing: batch") != note.npos; });
  };
  EXPECT_THAT(advice_of(record, record), Contains(HasSubstr("both sides: the times are quantised")));
  EXPECT_EQ(about_batches(advice_of(record, record)), 1);
  record.cases[0].series[0].metric = "gpu_time";
  EXPECT_THAT(advice_of(record, record), Contains(HasSubstr("launch-bound")));
  EXPECT_EQ(about_batches(advice_of(record, record)), 1);
}

TEST(Diagnose, SeesASpreadThatChanged) {
  std::vector<double> wide;
  for (const double value : about(20)) wide.push_back(20 + 8 * (value - 20));
  EXPECT_THAT(advice_of(record_of(about(20)), record_of(wide)),
              Contains(HasSubstr("the processes vary 8.0 times as much as in the baseline")));
  EXPECT_THAT(advice_of(record_of(wide), record_of(about(20))),
              Contains(HasSubstr("the processes vary 8.0 times as much as they do now")));
  std::vector<double> wider;
  for (const double value : about(20)) wider.push_back(20 + 2 * (value - 20));
  EXPECT_THAT(advice_of(record_of(about(20)), record_of(wider)), Not(Contains(HasSubstr("times as much"))));
}

}  // namespace
}  // namespace harness
