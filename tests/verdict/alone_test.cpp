// Builds that share processes, beside processes that hold one of them alone.
#include "harness/verdict/alone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "facts.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;
using testing::Not;

// The two sides of an A/B run in one process: `together` and `alone` by process.
struct Sides {
  std::vector<double> together, alone;
};

Record side_of_run(const char* side, const Sides& values) {
  Record record = record_of(values.together);
  record.pairing = Pairing{"p", Pairing::Kind::process, side};
  if (values.alone.empty()) return record;
  Series alone = series_at(values.alone);
  for (ProcessSamples& one : alone.processes) one.process += last_confirming_process;
  record.cases.front().alone = {alone};
  return record;
}

ComparisonRow row_of(const Sides& baseline, const Sides& current) {
  return only_row(compare(side_of_run("baseline", baseline), side_of_run("current", current), {}));
}

bool is_told(const ComparisonRow& row) {
  return testing::Value(row.diagnostics, Contains(coded(DiagnosticCode::judged_alone)));
}

std::vector<double> first(std::vector<double> values, std::size_t count) {
  values.resize(count);
  return values;
}

TEST(Alone, TheSameChangeLeavesThePairsInCharge) {
  for (const std::size_t count : {1U, 2U, 5U}) {
    const ComparisonRow equal =
        row_of({about(20), first(about(20), count)}, {about(20), first(about(20), count)});
    EXPECT_EQ(equal.verdict, Verdict::unchanged);
    EXPECT_FALSE(is_told(equal));
    const ComparisonRow slower =
        row_of({about(20), first(about(20), count)}, {about(21), first(about(21), count)});
    EXPECT_EQ(slower.verdict, Verdict::regressed);
    EXPECT_FALSE(is_told(slower));
  }
}

TEST(Alone, PairsWithoutSuchProcessesAreJudgedByThemselves) {
  EXPECT_EQ(row_of({about(20), {}}, {about(20), {}}).verdict, Verdict::unchanged);
  EXPECT_EQ(row_of({about(20), {}}, {about(21), {}}).verdict, Verdict::regressed);
}

TEST(Alone, AnotherChangeEndsThePairing) {
  const ComparisonRow hidden = row_of({about(30), about(20)}, {about(30), about(30)});
  EXPECT_EQ(hidden.verdict, Verdict::regressed);
  EXPECT_TRUE(is_told(hidden));
  EXPECT_NEAR(hidden.ratio, 1.5, 0.01);
  const ComparisonRow slowed = row_of({about(20), about(20)}, {about(30), about(20)});
  EXPECT_EQ(slowed.verdict, Verdict::unchanged);
  EXPECT_TRUE(is_told(slowed));
}

TEST(Alone, TooFewProcessesDecideNothing) {
  for (const std::size_t count : {1U, 2U, 4U}) {
    const ComparisonRow row =
        row_of({about(30), first(about(20), count)}, {about(30), first(about(30), count)});
    EXPECT_EQ(row.verdict, Verdict::inconclusive);
    EXPECT_EQ(row.reason.code, ReasonCode::alone_differs);
    EXPECT_EQ(row.reason.count("processes"), count);
  }
  EXPECT_EQ(row_of({about(20), about(20)}, {about(20), {}}).reason.code, ReasonCode::alone_unmeasured);
  EXPECT_EQ(row_of({about(20), {}}, {about(20), about(20)}).reason.code, ReasonCode::alone_unmeasured);
}

// A build that makes all processes vary makes nothing of a large difference.
TEST(Alone, SpreadBetweenProcessesHidesNoLargeDifference) {
  const std::vector<double> wild{20, 40, 30, 80, 25};
  EXPECT_EQ(row_of({wild, {20}}, {wild, {25}}).reason.code, ReasonCode::alone_differs);
  EXPECT_EQ(row_of({wild, {20}}, {wild, {20.4}}).verdict, Verdict::unchanged)
      << "no more than processes vary";
}

TEST(Alone, SpreadBetweenProcessesAloneHidesNoLargeDifference) {
  const std::vector<double> wild{20, 35, 14, 28, 18}, slower{40, 70, 28, 56, 36};
  const ComparisonRow row = row_of({about(40), wild}, {about(40), slower});
  EXPECT_TRUE(is_told(row));
  EXPECT_NE(row.verdict, Verdict::unchanged);
  EXPECT_NE(row.verdict, Verdict::not_worse);
}

// A device that refuses both builds when they are alone.
TEST(Alone, ProcessesThatWereToMeasureAndDidNotLeaveADoubt) {
  Record before = side_of_run("baseline", {about(20), {}}), after = side_of_run("current", {about(20), {}});
  EXPECT_EQ(only_row(compare(before, after, {})).verdict, Verdict::unchanged);
  before.pairing->alone = after.pairing->alone = true;
  const ComparisonRow row = only_row(compare(before, after, {}));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(row.reason.code, ReasonCode::alone_unmeasured);
}

std::pair<SideReading, SideReading> read(const std::vector<double>& before,
                                         const std::vector<double>& after) {
  SideReader reader;
  return {reader.read(series_at(before)), reader.read(series_at(after))};
}

// The change alone of honest builds varies as their processes do.
TEST(Alone, HonestBuildsAreRarelyDoubted) {
  std::mt19937 random(1);
  int doubted = 0, ended = 0;
  constexpr int runs = 2000;
  for (int run = 0; run < runs; ++run) {
    std::normal_distribution<double> process(0, 0.01), pair(0, 0.001);
    const auto drawn = [&](std::size_t count) {
      std::vector<double> values(count);
      for (double& one : values) one = 20 * std::exp(process(random));
      return values;
    };
    const std::vector<double> shared = drawn(5);
    std::vector<double> ratios(5);
    for (double& one : ratios) one = pair(random);
    const auto few = check_alone(ratios, read(shared, shared), read(drawn(1), drawn(1)), 0.01, 5);
    const auto enough = check_alone(ratios, read(shared, shared), read(drawn(5), drawn(5)), 0.01, 5);
    doubted += few->differs ? 1 : 0;
    ended += enough->differs ? 1 : 0;
    EXPECT_TRUE(enough->enough);
    EXPECT_FALSE(few->enough);
  }
  EXPECT_LT(doubted, runs / 8);  // costs some processes more
  EXPECT_LT(ended, runs / 100);
}

TEST(Alone, WithoutAnySpreadADifferenceBeyondTheMarginCounts) {
  const std::vector<double> same(5, 20), slower(5, 20.3);
  const auto equal = check_alone(std::vector<double>(5, 0.0), read(same, same), read(same, same), 0.01, 5);
  EXPECT_FALSE(equal->differs);
  EXPECT_TRUE(
      check_alone(std::vector<double>(5, 0.0), read(same, same), read(same, slower), 0.01, 5)->differs);
  EXPECT_FALSE(
      check_alone(std::vector<double>(5, 0.0), read(same, same), read(same, slower), 0.02, 5)->differs);
  EXPECT_FALSE(check_alone({}, read(same, same), read(same, same), 0.01, 5));
}

}  // namespace
}  // namespace harness
