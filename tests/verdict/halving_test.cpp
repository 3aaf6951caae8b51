// Successive halving over recorded processes, and how often its verification is wrong.
#include "harness/verdict/tune/halving.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/stats/hypothesis/proportion.h"
#include "records.h"

namespace harness {
namespace {

constexpr double alpha = 0.01;

std::string arm_id(int point, int arm) {
  return "point" + std::to_string(point) + "/arm" + std::to_string(arm);
}

std::vector<TunePoint> points_of(int count, int arms) {
  std::vector<TunePoint> points;
  for (int p = 0; p < count; ++p) {
    TunePoint& point = points.emplace_back();
    point.id = "point" + std::to_string(p) + "/tuned";
    point.device = "cuda";
    for (int a = 0; a < arms; ++a) point.arms.push_back({arm_id(p, a), {}, ArmEnd::open, 0, {}, {}});
  }
  return points;
}

// A record of one point whose arms take these times, each in as many processes as `about` has.
Record record_of_arms(const std::vector<double>& centers) {
  std::vector<CaseRecord> cases;
  for (std::size_t a = 0; a < centers.size(); ++a)
    cases.push_back(case_of(arm_id(0, static_cast<int>(a)), {series_at(about(centers[a]))}));
  return record_of(std::move(cases));
}

std::vector<ArmEnd> ends_of(const TunePoint& point) {
  std::vector<ArmEnd> ends;
  for (const TuneArm& arm : point.arms) ends.push_back(arm.end);
  return ends;
}

TEST(Halving, DropsWhatIsCertainlySlowerAndTheLowerHalf) {
  std::vector<TunePoint> points = points_of(1, 5);
  end_rung(points, record_of_arms({20, 10, 10.001, 10.002, 10.003}), alpha);
  EXPECT_EQ(ends_of(points[0]),
            (std::vector{ArmEnd::slower, ArmEnd::open, ArmEnd::open, ArmEnd::open, ArmEnd::lower_half}));
  EXPECT_TRUE(is_searching(points));
  EXPECT_EQ(points[0].arms[1].processes, 5);
  EXPECT_NEAR(*points[0].arms[1].time, 10, 1e-4);
  EXPECT_EQ(points[0].unit, "us");
}

TEST(Halving, EndsWhenOneArmOfAPointIsLeft) {
  std::vector<TunePoint> points = points_of(1, 3);
  end_rung(points, record_of_arms({20, 10, 15}), alpha);
  EXPECT_EQ(ends_of(points[0]), (std::vector{ArmEnd::slower, ArmEnd::leader, ArmEnd::slower}));
  EXPECT_EQ(points[0].best, 1u);
  EXPECT_FALSE(is_searching(points));
}

TEST(Halving, ArmsWithoutARightResultLeave) {
  Record record = record_of_arms({20, 10, 15, 16});
  record.cases[1].outcome = Outcome::incorrect;
  record.cases[1].reason = Cause{CauseCode::wrong_values};
  record.cases[2].outcome = Outcome::skipped;
  record.cases[2].series.clear();
  record.cases[2].reason = Cause{CauseCode::unsupported};
  std::vector<TunePoint> points = points_of(1, 4);
  end_rung(points, record, alpha);
  EXPECT_EQ(ends_of(points[0]),
            (std::vector{ArmEnd::slower, ArmEnd::failed, ArmEnd::skipped, ArmEnd::leader}));
  EXPECT_EQ(points[0].arms[1].reason->code, CauseCode::wrong_values);
}

TEST(Halving, NothingIsComparedWithFixedValuesThatFail) {
  Record record = record_of_arms({20, 10});
  record.cases[0].outcome = Outcome::failed;
  std::vector<TunePoint> points = points_of(1, 2);
  end_rung(points, record, alpha);
  EXPECT_EQ(points[0].outcome, TuneOutcome::failed);
  EXPECT_FALSE(is_searching(points));
  verify(points, record, 0, alpha);
  EXPECT_EQ(points[0].outcome, TuneOutcome::failed);
}

TEST(Halving, TheBudgetLeavesTheFastestSoFar) {
  Record record = record_of_arms({20, 10, 15});
  record.cases[1].series.clear();
  record.cases[1].processes.clear();
  record.cases[1].outcome = Outcome::skipped;
  record.cases[1].reason = Cause{CauseCode::not_measured};
  std::vector<TunePoint> points = points_of(1, 3);
  end_search(points, record);
  EXPECT_EQ(ends_of(points[0]), (std::vector{ArmEnd::open, ArmEnd::unmeasured, ArmEnd::leader}));
}

// Two arms that ended a search, with fresh processes numbered from 6 on.
Record verified(const std::vector<double>& fixed, const std::vector<double>& best, double searched_best = 1) {
  std::vector<CaseRecord> cases;
  for (const auto& [arm, fresh] : {std::pair(0, &fixed), std::pair(1, &best)}) {
    Series series = series_at(about(arm == 1 ? searched_best : 10));
    int number = 5;
    for (const double value : *fresh) series.processes.push_back(process_at(++number, value));
    cases.push_back(case_of(arm_id(0, arm), {std::move(series)}));
  }
  return record_of(std::move(cases));
}

TunePoint verified_point(const Record& record) {
  std::vector<TunePoint> points = points_of(1, 2);
  points[0].arms[0].end = ArmEnd::slower;
  points[0].arms[1].end = ArmEnd::leader;
  points[0].best = 1;
  verify(points, record, 5, alpha);
  return points[0];
}

TEST(Verification, TakesFreshProcessesAlone) {
  const TunePoint better = verified_point(verified(about(10), about(9)));
  EXPECT_EQ(better.outcome, TuneOutcome::replaced);
  EXPECT_EQ(better.processes, 5);
  EXPECT_NEAR(*better.ratio, 0.9, 1e-6);
  ASSERT_TRUE(better.interval);
  EXPECT_LT(better.interval->hi, 0.91);
  // The search saw a tenth of the time, but fresh processes do not.
  EXPECT_EQ(verified_point(verified(about(10), about(10))).outcome, TuneOutcome::kept);
  EXPECT_EQ(verified_point(verified(about(10), about(11))).outcome, TuneOutcome::kept);
}

TEST(Verification, TooFewProcessesDecideNothing) {
  EXPECT_EQ(verified_point(verified({10, 10.01, 10.02}, {9, 9.01, 9.02})).outcome, TuneOutcome::undecided);
  EXPECT_EQ(verified_point(verified({}, {})).outcome, TuneOutcome::undecided);
}

TEST(Verification, AFreshProcessThatFailsKeepsTheFixedValues) {
  Record record = verified(about(10), about(9));
  record.cases[1].outcome = Outcome::incorrect;
  const TunePoint point = verified_point(record);
  EXPECT_EQ(point.outcome, TuneOutcome::kept);
  EXPECT_EQ(point.arms[1].end, ArmEnd::failed);
}

TEST(Verification, FixedValuesThatLedStay) {
  std::vector<TunePoint> points = points_of(1, 2);
  points[0].arms[0].end = ArmEnd::leader;
  verify(points, record_of_arms({10, 20}), 0, alpha);
  EXPECT_EQ(points[0].outcome, TuneOutcome::kept);
  EXPECT_EQ(points[0].processes, 0);
}

// One whole search: rungs of 3, 6, 12 processes, then 5 fresh ones. Each arm takes its time, with 0.3 %
// between processes.
class Searching {
 public:
  Searching(int points, std::vector<double> centers, unsigned seed)
      : centers_(std::move(centers)),
        random_(seed),
        points_(points_of(points, static_cast<int>(centers_.size()))) {
    std::vector<CaseRecord> cases;
    for (int p = 0; p < points; ++p)
      for (std::size_t a = 0; a < centers_.size(); ++a)
        cases.push_back(case_of(arm_id(p, static_cast<int>(a)), {series_at({})}));
    record_ = record_of(std::move(cases));
  }

  std::vector<TunePoint> run() {
    int done = 0;
    for (int rung = 3; is_searching(points_); rung *= 2) {
      measure(done, rung);
      done += rung;
      end_rung(points_, record_, alpha);
    }
    measure(done, 5);
    verify(points_, record_, done, alpha);
    return points_;
  }

 private:
  void measure(int before, int processes) {
    std::normal_distribution<double> noise(0, 0.003);
    for (std::size_t i = 0; i < record_.cases.size(); ++i)
      for (int p = 1; p <= processes; ++p)
        record_.cases[i].series[0].processes.push_back(
            process_at(before + p, centers_[i % centers_.size()] * std::exp(noise(random_))));
  }

  std::vector<double> centers_;
  std::mt19937_64 random_;
  std::vector<TunePoint> points_;
  Record record_;
};

int count(const std::vector<TunePoint>& points, TuneOutcome outcome) {
  return static_cast<int>(std::count_if(points.begin(), points.end(),
                                        [&](const TunePoint& point) { return point.outcome == outcome; }));
}

TEST(Searching, EqualValuesReplaceTheFixedOnesInAtMostAlphaOfTheRuns) {
  constexpr int runs = 400;
  std::size_t replaced = 0;
  for (unsigned seed = 1; seed <= runs; ++seed)
    replaced += count(Searching(4, std::vector<double>(8, 10), seed).run(), TuneOutcome::replaced) > 0;
  // The lowest rate that fits the count.
  EXPECT_LE(stats::clopper_pearson(replaced, runs, 0.99).lo, alpha) << replaced;
}

TEST(Searching, FindsTheBestOfManyAndNeverASlowerOne) {
  const std::vector<TunePoint> points = Searching(100, {10, 9.6, 9.7, 10.5, 9.2, 11, 10.2, 12}, 7).run();
  EXPECT_EQ(count(points, TuneOutcome::replaced), 100);
  EXPECT_EQ(
      std::count_if(points.begin(), points.end(), [](const TunePoint& point) { return point.best == 4; }),
      100);
  EXPECT_EQ(count(Searching(100, {10, 10.3, 10.4, 11}, 7).run(), TuneOutcome::kept), 100);
}

}  // namespace
}  // namespace harness
