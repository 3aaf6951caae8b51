// The three nets of a history, on series made from a seed.
#include "harness/study/trends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/study/session_spreads.h"

namespace harness {
namespace {

constexpr double margin = 0.02;

// `centers` as points a commit apart, oldest first, of `processes` processes with an sd of log time.
MeasuredSeries series_of(const std::vector<double>& centers, double sd = 0.0005, unsigned seed = 1,
                         int processes = 5) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, sd);
  MeasuredSeries series;
  series.trend.case_id = "c";
  series.trend.metric = "gpu_time";
  series.trend.unit = "us";
  series.trend.margin = margin;
  series.trend.alpha = 0.01;
  for (std::size_t i = 0; i < centers.size(); ++i) {
    MeasuredPoint point;
    point.point.commit = "commit " + std::to_string(i);
    point.point.distance = static_cast<int>(centers.size() - 1 - i);
    for (int p = 0; p < processes; ++p) point.log_values.push_back(std::log(centers[i]) + noise(random));
    series.points.push_back(std::move(point));
  }
  return series;
}

Trend trend_of(MeasuredSeries series) {
  return find_trends({std::move(series)}, {}).front();
}

std::vector<double> flat(std::size_t count, double value = 100) {
  return std::vector<double>(count, value);
}

std::vector<double> creeping(int steps, double step = 0.01) {
  std::vector<double> centers{100};
  for (int i = 0; i < steps; ++i) centers.push_back(centers.back() * (1 + step));
  return centers;
}

std::vector<double> jump(std::size_t before, std::size_t after, double ratio) {
  std::vector<double> centers = flat(before);
  centers.resize(before + after, 100 * ratio);
  return centers;
}

TEST(Trends, DescribeEachPoint) {
  const Trend trend = trend_of(series_of({100, 200}, 0.001));
  ASSERT_EQ(trend.points.size(), 2U);
  EXPECT_NEAR(trend.points[1].center, 200, 0.5);
  EXPECT_EQ(trend.points[1].processes, 5);
  EXPECT_GT(trend.points[1].process_sd, 0.0002);
  ASSERT_TRUE(trend.points[1].interval);
  EXPECT_LT(trend.points[1].interval->lo, trend.points[1].center);
  EXPECT_GT(trend.points[1].interval->hi, trend.points[1].center);
}

TEST(Trends, StayQuietWhereNothingChanged) {
  int worse = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const Trend trend = trend_of(series_of(flat(40), 0.003, seed));
    worse += got_worse(trend) ? 1 : 0;
    EXPECT_LE(trend.changes.size(), 2U);
  }
  EXPECT_LE(worse, 2) << "of 200";
}

TEST(Trends, CatchTwelveStepsThatEachPassTheGate) {
  const Trend trend = trend_of(series_of(creeping(12)));
  ASSERT_TRUE(trend.creep);
  EXPECT_LE(trend.creep->index, 3U) << "two steps beyond half the margin are enough";
  EXPECT_GT(trend.creep->ratio, 1.01);
  EXPECT_TRUE(got_worse(trend));
  ASSERT_TRUE(trend.newest);
  EXPECT_NEAR(trend.newest->ratio, std::pow(1.01, 12), 0.002);
  EXPECT_TRUE(trend.newest->worse);
}

TEST(Trends, DoNotCallAnImprovementACreep) {
  const Trend better = trend_of(series_of(creeping(12, -0.01)));
  EXPECT_FALSE(better.creep);
  EXPECT_FALSE(got_worse(better));
  MeasuredSeries throughput = series_of(creeping(12, -0.01));
  throughput.trend.direction = Direction::higher_is_better;
  EXPECT_TRUE(trend_of(throughput).creep) << "less throughput is worse";
  EXPECT_TRUE(got_worse(trend_of(throughput)));
}

TEST(Trends, FindACreepAfterAnImprovement) {
  std::vector<double> centers = flat(5);
  for (const double center : {90.0, 90.0, 90.0, 104.0, 104.0, 104.0, 104.0}) centers.push_back(center);
  const Trend trend = trend_of(series_of(centers));
  ASSERT_TRUE(trend.creep);
  EXPECT_EQ(trend.creep->index, 8U);
}

TEST(Trends, NeedAWholeMarginFromASinglePoint) {
  std::vector<double> centers = flat(20);
  centers[10] = 101.6;  // beyond half the margin once, and back
  EXPECT_FALSE(trend_of(series_of(centers)).creep);
  centers[10] = 103;
  EXPECT_TRUE(trend_of(series_of(centers)).creep);
}

TEST(Trends, SayBetweenWhichCommitsAChangeHappened) {
  MeasuredSeries series = series_of(jump(8, 8, 1.05));
  for (std::size_t i = 0; i < 8; ++i) series.points[i].point.distance += 3;  // three commits nobody measured
  const Trend trend = trend_of(series);
  ASSERT_EQ(trend.changes.size(), 1U);
  const TrendChange& change = trend.changes.front();
  EXPECT_EQ(change.index, 8U);
  EXPECT_EQ(change.before, "commit 7");
  EXPECT_EQ(change.first, "commit 8");
  EXPECT_EQ(change.unmeasured, 3);
  EXPECT_NEAR(change.ratio, 1.05, 0.001);
  EXPECT_LT(change.interval.lo, 1.05);
  EXPECT_GT(change.interval.hi, 1.05);
  EXPECT_TRUE(change.worse);
  EXPECT_TRUE(change.matters);
  EXPECT_TRUE(change.after_anchor);
  EXPECT_LE(change.p, 0.002);
}

// Shuffling a drift shows changes everywhere. The creep is what there is to tell.
TEST(Trends, TakeADriftForACreepAndNotForManyChanges) {
  std::vector<double> centers = flat(60);
  for (std::size_t i = 0; i < centers.size(); ++i) centers[i] *= 1 + 0.001 * static_cast<double>(i);
  const Trend trend = trend_of(series_of(centers, 0.005));
  EXPECT_TRUE(trend.changes.empty());
  EXPECT_TRUE(trend.creep);
}

TEST(Trends, CorrectOverAllSeries) {
  std::vector<MeasuredSeries> all;
  for (unsigned seed = 1; seed <= 60; ++seed) all.push_back(series_of(flat(30), 0.003, seed));
  all.push_back(series_of(jump(15, 15, 1.05), 0.003, 99));
  const std::vector<Trend> trends = find_trends(all, {});
  ASSERT_EQ(trends.back().changes.size(), 1U) << "enough permutations for so many series";
  EXPECT_GT(trends.back().changes[0].p_adjusted, trends.back().changes[0].p);
  EXPECT_LE(trends.back().changes[0].p_adjusted, 0.01);
  int false_changes = 0;
  for (std::size_t i = 0; i + 1 < trends.size(); ++i)
    false_changes += static_cast<int>(trends[i].changes.size());
  EXPECT_LE(false_changes, 1);
}

TEST(Trends, AreHeldToTheAnchorGiven) {
  MeasuredSeries series = series_of(jump(8, 8, 1.05));
  series.anchor = MeasuredAnchor{
      {TrendAnchor::Kind::revision, "release", "commit 9", series.points[9].point.distance, 0, 0},
      series.points[9].log_values};
  const Trend trend = trend_of(series);
  EXPECT_FALSE(got_worse(trend)) << "the change is older than the release";
  ASSERT_EQ(trend.changes.size(), 1U);
  EXPECT_FALSE(trend.changes[0].after_anchor);
  EXPECT_FALSE(trend.creep);
  ASSERT_TRUE(trend.newest);
  EXPECT_FALSE(trend.newest->worse);
  series.anchor->anchor.distance = -1;  // of a commit that is not here: everything came after it
  series.anchor->log_values = series_of({100}).points[0].log_values;
  EXPECT_TRUE(got_worse(trend_of(series)));
}

TEST(Trends, DecideNothingForInformativeMetrics) {
  MeasuredSeries series = series_of(creeping(12));
  series.trend.informative = true;
  EXPECT_TRUE(trend_of(series).creep);
  EXPECT_FALSE(got_worse(trend_of(series)));
}

TEST(Trends, LeaveOutWhatHasNoValues) {
  MeasuredSeries series = series_of(flat(3));
  series.points[1].log_values.clear();
  series.points[2].log_values = {std::nan("")};
  const Trend trend = trend_of(series);
  EXPECT_EQ(trend.points.size(), 1U);
  EXPECT_FALSE(trend.newest);
  EXPECT_TRUE(trend_of(MeasuredSeries{}).points.empty());
  EXPECT_TRUE(find_trends({}, {}).empty());
}

TEST(Trends, AreTheSameWithAnyNumberOfThreads) {
  std::vector<MeasuredSeries> all;
  for (unsigned seed = 1; seed <= 12; ++seed)
    all.push_back(series_of(jump(10, 10, 1 + 0.01 * seed), 0.004, seed));
  TrendOptions one;
  one.threads = 1;
  TrendOptions many;
  many.threads = 7;
  const auto a = find_trends(all, one);
  const auto b = find_trends(all, many);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].changes.size(), b[i].changes.size());
    for (std::size_t c = 0; c < a[i].changes.size(); ++c)
      EXPECT_EQ(a[i].changes[c].p_adjusted, b[i].changes[c].p_adjusted);
  }
}

// The correction over 1,000 series asks for 100,000 permutations of the only series that changed.
TEST(Trends, FindALoneStepAmongAThousandSeries) {
  std::vector<MeasuredSeries> all;
  for (unsigned seed = 1; seed < 1000; ++seed) all.push_back(series_of(flat(24), 0.004, seed));
  all.push_back(series_of(jump(12, 12, 1.2), 0.004, 1000));
  const std::vector<Trend> trends = find_trends(all, {});
  ASSERT_EQ(trends.back().changes.size(), 1U);
  EXPECT_EQ(trends.back().changes[0].index, 12U);
  EXPECT_LE(trends.back().changes[0].p_adjusted, 0.01);
  EXPECT_TRUE(got_worse(trends.back()));
  EXPECT_LE(std::count_if(trends.begin(), trends.end(), got_worse), 2);
}

// The least p that 1,000 permutations give would not count among 30 series.
TEST(Trends, OfManySeriesKeepTheOnlyChange) {
  std::vector<MeasuredSeries> all;
  for (unsigned seed = 1; seed <= 29; ++seed) all.push_back(series_of(flat(24), 0.004, seed));
  all.push_back(series_of(jump(12, 12, 1.05), 0.004, 30));
  const std::vector<Trend> trends = find_trends(all, {});
  ASSERT_EQ(trends.back().changes.size(), 1U);
  EXPECT_EQ(trends.back().changes[0].index, 12U);
  EXPECT_LE(trends.back().changes[0].p, 0.01 / 30);
  EXPECT_LE(trends.back().changes[0].p_adjusted, 0.01);
}

// A series of which nothing changes: each point and the anchor are a session of their own, of an sd of
// `session_sd`.
MeasuredSeries unchanged(std::size_t points, double session_sd, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> session(0, session_sd);
  std::vector<double> centers = flat(points);
  for (double& center : centers) center *= std::exp(session(random));
  MeasuredSeries series = series_of(centers, 0.002, seed + 1'000'000);
  const double apart = session(random);
  series.anchor = MeasuredAnchor{{TrendAnchor::Kind::pinned, "pinned", "elsewhere", -1, 0, 0}, {}};
  series.anchor->log_values =
      series_of({100 * std::exp(apart)}, 0.002, seed + 2'000'000).points[0].log_values;
  series.trend.margin = 0.005;
  series.trend.session_sd = session_sd;
  return series;
}

int creeps(const std::vector<Trend>& trends) {
  return static_cast<int>(std::count_if(trends.begin(), trends.end(),
                                        [](const Trend& trend) { return trend.creep.has_value(); }));
}

// The anchor is one measurement as the points are, and its error is the same for all of them.
TEST(Trends, OfUnchangedSeriesHardlyEverCreep) {
  int reports_with_any = 0;
  for (unsigned report = 0; report < 40; ++report) {
    std::vector<MeasuredSeries> all;
    for (unsigned i = 0; i < 20; ++i) all.push_back(unchanged(100, 0.001, 1000 * report + i));
    reports_with_any += creeps(find_trends(all, {})) > 0 ? 1 : 0;
  }
  EXPECT_LE(reports_with_any, 2)
      << "of 40 reports of 20 series and 100 commits; 0.4 are expected at alpha 0.01";
}

// Three times as noisy as is usual, which ten runs hardly tell.
TEST(Trends, CountThatTheirNoiseWasLearnedFromFewRuns) {
  int reports_with_any = 0, reports_worse = 0;
  for (unsigned report = 0; report < 100; ++report) {
    std::vector<MeasuredSeries> all;
    for (unsigned i = 0; i < 20; ++i) {
      all.push_back(unchanged(10, 0.003, 1000 * report + i));
      std::vector<std::vector<double>> values;
      for (const MeasuredPoint& point : all.back().points) values.push_back(point.log_values);
      const auto learned = learn_from_history("c", "gpu_time", values);
      all.back().trend.session_sd = learned->session_sd;
      all.back().session_freedom = freedom_of_history(learned->sessions);
    }
    const std::vector<Trend> trends = find_trends(all, {});
    reports_with_any += creeps(trends) > 0 ? 1 : 0;
    reports_worse +=
        std::any_of(trends.begin(), trends.end(), [](const Trend& trend) { return trend.newest->worse; }) ? 1
                                                                                                          : 0;
  }
  EXPECT_LE(reports_with_any, 5) << "of 100 reports of 20 series; a normal quantile gives 19";
  EXPECT_LE(reports_worse, 5) << "the newest result against the anchor";
}

TEST(Trends, CreepWithAnAnchorThatMayBeWrongToo) {
  std::vector<MeasuredSeries> all;
  for (unsigned seed = 0; seed < 20; ++seed) {
    all.push_back(unchanged(60, 0.001, seed));
    std::vector<MeasuredPoint>& points = all.back().points;
    for (std::size_t i = 0; i < points.size(); ++i)
      for (double& value : points[i].log_values)
        value += 0.0004 * static_cast<double>(i);  // 2.4 % in the end
  }
  EXPECT_EQ(creeps(find_trends(all, {})), 20);
}

TEST(Trends, LearnTheirNoiseAlthoughTheyMove) {
  std::vector<std::vector<double>> values;
  const MeasuredSeries series = unchanged(60, 0.003, 7);
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    values.push_back(series.points[i].log_values);
    for (double& value : values.back()) value += i < 30 ? 0.002 * static_cast<double>(i) : -0.2;
  }
  const auto learned = learn_from_history("c", "gpu_time", values);
  ASSERT_TRUE(learned);
  EXPECT_NEAR(learned->session_sd, 0.003, 0.001) << "neither the drift nor the jump is noise";
  EXPECT_NEAR(learned->process_sd, 0.002, 0.0003);
  EXPECT_EQ(learned->process_freedom, 240);
  EXPECT_EQ(learned->sessions, 60);
  EXPECT_EQ(learned->from, LearnedFrom::history);
  values.resize(7);
  EXPECT_FALSE(learn_from_history("c", "gpu_time", values)) << "too few";
}

// Runs with a noise of 0.3 % between them, whose code changes every `period` runs by 5 %: to and fro, or with
// `onward` to a new code each time.
struct SteppingRuns {
  std::vector<std::vector<double>> log_values;
  std::vector<std::string> digests;

  SteppingRuns(std::size_t period, bool onward, unsigned seed) {
    const MeasuredSeries series = unchanged(60, 0.003, seed);
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      const std::size_t code = onward ? i / period : i / period % 2;
      log_values.push_back(series.points[i].log_values);
      for (double& value : log_values.back()) value += 0.05 * static_cast<double>(code);
      digests.push_back("code " + std::to_string(code));
    }
  }

  [[nodiscard]] double learned_sd(bool with_digests) const {
    const auto learned = with_digests ? learn_from_history("c", "gpu_time", log_values, digests)
                                      : learn_from_history("c", "gpu_time", log_values);
    return learned ? learned->session_sd : 0;
  }
};

TEST(LearnedNoise, IsThatOfRunsOfTheSameCode) {
  for (const unsigned seed : {7U, 8U, 9U}) {
    for (const std::size_t period : {1U, 2U}) {  // half of all differences and more cross a step
      const SteppingRuns runs(period, false, seed);
      EXPECT_GT(runs.learned_sd(false), 0.01) << "taken for noise where no digest is known";
      EXPECT_NEAR(runs.learned_sd(true), 0.003, 0.0012);
    }
    const SteppingRuns onward(3, true, seed);
    EXPECT_GT(onward.learned_sd(false), 0.01);
    EXPECT_NEAR(onward.learned_sd(true), 0.003, 0.0015);
  }
}

TEST(LearnedNoise, IsUnknownWhereEveryRunHasAnotherCode) {
  const SteppingRuns runs(1, true, 7);
  EXPECT_EQ(runs.learned_sd(true), 0);
}

TEST(LearnedNoise, IsThatOfAllRunsWhereTooFewHaveADigest) {
  SteppingRuns runs(30, false, 7);
  const double all = runs.learned_sd(false);
  std::fill(runs.digests.begin() + 7, runs.digests.end(), "");
  EXPECT_EQ(runs.learned_sd(true), all);
  runs.digests[7] = runs.digests[0];
  EXPECT_EQ(learn_from_history("c", "gpu_time", runs.log_values, runs.digests)->sessions, 8);
}

TEST(Trends, CountTheSpreadBetweenSessionsOfTheirSeries) {
  MeasuredSeries quiet = series_of(jump(6, 6, 1.03), 0.0005), restless = quiet;
  quiet.trend.session_sd = 0;
  restless.trend.session_sd = 0.02;
  const Trend a = trend_of(quiet), b = trend_of(restless);
  ASSERT_TRUE(a.newest && b.newest);
  EXPECT_TRUE(a.newest->worse);
  EXPECT_FALSE(b.newest->worse) << "sessions alone may differ so much";
  EXPECT_LT(a.newest->p, b.newest->p);
}

TEST(Trends, DoNotDependOnTheUnit) {
  const std::vector<double> centers = jump(8, 8, 1.05);
  std::vector<double> scaled = centers;
  for (double& center : scaled) center *= 1000;
  const Trend a = trend_of(series_of(centers));
  const Trend b = trend_of(series_of(scaled));
  ASSERT_EQ(a.changes.size(), b.changes.size());
  EXPECT_NEAR(a.changes[0].ratio, b.changes[0].ratio, 1e-12);
  EXPECT_EQ(a.changes[0].p, b.changes[0].p);
  EXPECT_NEAR(a.newest->ratio, b.newest->ratio, 1e-12);
}

}  // namespace
}  // namespace harness
