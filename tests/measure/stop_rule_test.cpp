#include "harness/measure/rules/stop_rule.h"

#include <gmock/gmock.h>

namespace harness {
namespace {

// Samples about 100 whose n-th lies `spread` off, now above and now below.
std::vector<double> about_100(std::size_t count, double spread) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(100 + spread * (i % 2 == 0 ? 1 : -1));
  return samples;
}

Stop decide(StopRule& rule, const std::vector<double>& samples, bool late = false) {
  const std::vector<const std::vector<double>*> builds{&samples};
  return rule.decide(builds, late);
}

// How many samples of the spread are taken, and why it ends there.
std::pair<std::size_t, Stop> run(const Sampling& sampling, double spread) {
  StopRule rule(sampling);
  for (std::size_t taken = 1; taken < 10'000; ++taken)
    if (const Stop stop = decide(rule, about_100(taken, spread)); stop != Stop::unknown) return {taken, stop};
  return {0, Stop::unknown};
}

Sampling adaptive(int least, int most, double width) {
  Sampling sampling;
  sampling.width = width;
  sampling.width_samples = least;
  sampling.samples = most;
  return sampling;
}

TEST(StopRule, TakesAFixedNumberHoweverWellTheMeanIsKnown) {
  Sampling fixed;
  fixed.samples = 50;
  EXPECT_EQ(run(fixed, 0), (std::pair<std::size_t, Stop>(50, Stop::count)));
  EXPECT_EQ(run(fixed, 20), (std::pair<std::size_t, Stop>(50, Stop::count)));
}

TEST(StopRule, StopsAtTheFirstLookWhenTheMeanIsKnownByThen) {
  EXPECT_EQ(run(adaptive(20, 200, 0.003), 0), (std::pair<std::size_t, Stop>(20, Stop::width)));
}

TEST(StopRule, TakesMoreTheNoisierTheSamplesUpToItsMost) {
  const auto quiet = run(adaptive(20, 2000, 0.003), 0.4), noisy = run(adaptive(20, 2000, 0.003), 0.8);
  EXPECT_EQ(quiet.second, Stop::width);
  EXPECT_EQ(noisy.second, Stop::width);
  EXPECT_GT(quiet.first, 20U);
  // Twice the spread: four times the samples, to the nearest look.
  EXPECT_GT(noisy.first, 3 * quiet.first);
  EXPECT_LT(noisy.first, 5 * quiet.first);
  EXPECT_EQ(run(adaptive(20, 200, 0.003), 20), (std::pair<std::size_t, Stop>(200, Stop::count)));
}

TEST(StopRule, StopsWhenTheTimeIsUsedUpButNotBelowTheLeast) {
  Sampling sampling;
  sampling.samples = 50;
  sampling.min_samples = 5;
  StopRule rule(sampling);
  EXPECT_EQ(decide(rule, about_100(4, 1), true), Stop::unknown);
  EXPECT_EQ(decide(rule, about_100(5, 1), false), Stop::unknown);
  EXPECT_EQ(decide(rule, about_100(5, 1), true), Stop::max_time);
  EXPECT_EQ(decide(rule, about_100(50, 1), true), Stop::count) << "all were taken: nothing was cut";
}

TEST(StopRule, OfTwoBuildsWaitsForBoth) {
  const std::vector<double> quiet = about_100(20, 0), noisy = about_100(20, 20);
  StopRule rule(adaptive(20, 200, 0.003));
  EXPECT_EQ(rule.decide(std::vector<const std::vector<double>*>{&quiet, &noisy}, false), Stop::unknown);
  StopRule again(adaptive(20, 200, 0.003));
  EXPECT_EQ(again.decide(std::vector<const std::vector<double>*>{&quiet, &quiet}, false), Stop::width);
  EXPECT_NE(rule.decide({}, false), Stop::unknown) << "nobody is measured any more";
}

}  // namespace
}  // namespace harness
