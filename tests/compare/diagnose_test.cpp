#include "harness/compare/diagnose.h"

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
  const auto at_clock = [](std::vector<double> values, double ghz) {
    Record record = record_of(values);
    for (ProcessSamples& process : record.cases[0].series[0].processes) process.placements[0].clock_ghz = ghz;
    return record;
  };
  EXPECT_THAT(advice_of(at_clock(about(20), 1.98), at_clock(about(22), 1.80)),
              Contains(HasSubstr("clock shift: the device clock went from 1.980 to 1.800 GHz")));
  EXPECT_THAT(advice_of(at_clock(about(20), 1.98), at_clock(about(22), 1.98)), IsEmpty());
  EXPECT_THAT(advice_of(at_clock(about(20), 1.98), at_clock(about(20), 1.80)), IsEmpty());
}

}  // namespace
}  // namespace harness
