// Rare calls that are much slower: the mean of all calls is not shown to be worse, and not shown to be as
// before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "records.h"

namespace harness {
namespace {

// Processes of 200 calls, of which a share is slower by a factor, at random.
Record with_tail(double share, double factor, unsigned seed, int processes = 5) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.01), between(0, 0.001);
  std::bernoulli_distribution slow(share);
  Series series{"gpu_time", "us", Direction::lower_is_better, {}};
  for (int number = 1; number <= processes; ++number) {
    ProcessSamples process{number, {}};
    const double center = 20 * std::exp(between(random));
    for (int placement = 0; placement < 10; ++placement) {
      Placement& samples = process.placements.emplace_back();
      for (int i = 0; i < 20; ++i)
        samples.samples.push_back(center * std::exp(noise(random)) * (slow(random) ? factor : 1));
    }
    series.processes.push_back(std::move(process));
  }
  return record_of({case_of("c", {std::move(series)})});
}

ComparisonRow row_of(const Record& before, const Record& after) {
  return only_row(compare(before, after, {}));
}

TEST(RareSlowCalls, DoNotPassAsUnchanged) {
  struct Tail {
    double share, factor;
  };
  for (const Tail tail : {Tail{0.02, 10}, Tail{0.005, 100}, Tail{0.05, 2.5}})
    for (unsigned seed = 1; seed <= 8; ++seed) {
      const ComparisonRow row = row_of(with_tail(0, 1, 100 + seed), with_tail(tail.share, tail.factor, seed));
      EXPECT_TRUE(row.verdict == Verdict::inconclusive || row.verdict == Verdict::regressed)
          << name_of(row.verdict) << ": " << tail.share << " of the calls take " << tail.factor
          << " times as long";
    }
}

TEST(RareSlowCalls, AreOpenAlsoWhereTheOthersBecameFaster) {
  Record after = with_tail(0.02, 10, 3);
  for (ProcessSamples& process : after.cases.front().series.front().processes)
    for (Placement& placement : process.placements)
      for (double& sample : placement.samples) sample *= 0.9;
  EXPECT_FALSE(is_pass(row_of(with_tail(0, 1, 1), after).verdict));
}

TEST(RareSlowCalls, OfBothSidesAreTheCasesOwn) {
  int undecided = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const ComparisonRow row = row_of(with_tail(0.02, 2, 1000 + seed), with_tail(0.02, 2, seed));
    EXPECT_NE(row.verdict, Verdict::regressed);
    undecided += row.reason.code == ReasonCode::slow_open ? 1 : 0;
  }
  EXPECT_LE(undecided, 4);
}

TEST(RareSlowCalls, WithoutAnyNothingIsOpen) {
  for (unsigned seed = 1; seed <= 50; ++seed)
    EXPECT_EQ(row_of(with_tail(0, 1, 500 + seed), with_tail(0, 1, seed)).verdict, Verdict::unchanged);
}

TEST(RareSlowCalls, AskForTheNextLook) {
  Record after = with_tail(0.01, 10, 2);
  after.cases.front().gate.looks = {5, 10, 20};
  const ComparisonRow row = row_of(with_tail(0, 1, 1, 20), after);
  ASSERT_EQ(row.reason.code, ReasonCode::slow_open);
  EXPECT_EQ(row.look.next, 10);
}

// A clock whose steps are coarser than the margin.
Record by_clock(double step, double center) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.3);
  Series series{"wall_time", "us", Direction::lower_is_better, {}};
  for (int number = 1; number <= 5; ++number) {
    Placement placement;
    for (int i = 0; i < 200; ++i)
      placement.samples.push_back(step * std::round((center + noise(random)) / step));
    series.processes.push_back({number, {placement}});
  }
  return record_of({case_of("c", {std::move(series)})});
}

TEST(CoarseClock, HalfATickBelongsToTheBound) {
  EXPECT_EQ(row_of(by_clock(1, 20.5), by_clock(1, 20.5)).verdict, Verdict::inconclusive) << "5 % a tick";
  EXPECT_EQ(row_of(by_clock(0.1, 20.5), by_clock(0.1, 20.5)).verdict, Verdict::unchanged) << "0.5 % a tick";
}

// Programs: one call a process.
Record by_clock_of_starts(double step, double center, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.01);
  Series series{"wall_time", "ms", Direction::lower_is_better, {}};
  for (int number = 1; number <= 20; ++number)
    series.processes.push_back({number, {Placement{{step * std::round((center + noise(random)) / step)}}}});
  return record_of({case_of("c", {std::move(series)})});
}

TEST(CoarseClock, IsFoundWhereAProcessHasOneSample) {
  EXPECT_EQ(row_of(by_clock_of_starts(0.05, 1.02, 1), by_clock_of_starts(0.05, 1.02, 2)).verdict,
            Verdict::inconclusive);
  EXPECT_EQ(row_of(by_clock_of_starts(0.0005, 1.02, 1), by_clock_of_starts(0.0005, 1.02, 2)).verdict,
            Verdict::unchanged);
}

// All calls are read a tick later or earlier, though they changed by less than the margin.
TEST(CoarseClock, OneTickIsNoChange) {
  const auto read = [](double center) {
    Record record = by_clock(1, 20);
    for (ProcessSamples& process : record.cases.front().series.front().processes)
      for (Placement& placement : process.placements) {
        std::fill(placement.samples.begin(), placement.samples.end(), center);
        placement.samples.front() = 20, placement.samples.back() = 21;
      }
    return record;
  };
  EXPECT_EQ(row_of(read(20), read(21)).verdict, Verdict::regressed) << "5 % is more than half a tick";
  EXPECT_EQ(row_of(by_clock(1, 20.4), by_clock(1, 20.6)).verdict, Verdict::inconclusive);
  EXPECT_EQ(row_of(by_clock(1, 20.6), by_clock(1, 20.4)).verdict, Verdict::inconclusive);
}

}  // namespace
}  // namespace harness
