#include "harness/stats/series/change_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "calibration.h"
#include "harness/stats/estimate/random.h"
#include "harness/stats/hypothesis/welch.h"
#include "reference.h"

namespace harness::stats {
namespace {

using testing::ElementsAre;
using Values = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::size_t> indices(const std::vector<ChangePoint>& points) {
  std::vector<std::size_t> found;
  for (const ChangePoint& point : points) found.push_back(point.index);
  return found;
}

Values nile() {
  const auto all = reference("serial.json");
  Values values = all[0]["values"];
  EXPECT_EQ(all[0]["name"], "nile");
  return values;
}

TEST(SplitStatistics, AreTheDoubleSumsOfTheirDefinition) {
  std::size_t checked = 0;
  for (const auto& one : reference("serial.json")) {
    if (!one.contains("energy")) continue;
    SCOPED_TRACE(one["name"].get<std::string>());
    const auto found = split_statistics(one["values"].get<Values>());
    const auto expected = one["energy"].get<Values>();
    ASSERT_EQ(found.size(), expected.size());
    const double scale = *std::max_element(expected.begin(), expected.end());
    for (std::size_t i = 0; i < found.size(); ++i)
      expect_close(found[i], expected[i], 1e-9, 1e-11 * scale);  // near nought it is all cancellation
    checked += found.size();
  }
  EXPECT_GT(checked, 200u);
}

TEST(SplitStatistics, KeepTheirDigitsFarFromNought) {
  const Values values{1, 3, 2, 4, 8, 9, 7, 8};
  Values near_nought, far;  // the same 1024ths, far from nought with hardly a bit to spare
  for (const double value : values) near_nought.push_back(value / 1024);
  for (const double value : values) far.push_back(value / 1024 + 0x1p42);
  const auto found = split_statistics(near_nought), found_far = split_statistics(far);
  for (std::size_t i = 0; i < values.size(); ++i) expect_close(found_far[i], found[i], 1e-9, 1e-14);
}

TEST(ChangePoints, OfTheNileAreTheYearOfTheDam) {
  const auto points = change_points(nile());
  ASSERT_TRUE(points);
  ASSERT_THAT(indices(*points), ElementsAre(28));  // 1899 is the first year with less water
  EXPECT_DOUBLE_EQ(points->front().p, 1.0 / 1001);
  const Values values = nile();
  const auto energies = split_statistics(values);
  EXPECT_DOUBLE_EQ(points->front().statistic, *std::max_element(energies.begin(), energies.end()));
  EXPECT_NEAR(points->front().change.difference, 849.97 - 1097.75, 0.01);
}

TEST(ChangePoints, ComeInOrderWithMagnitudesBetweenNeighbours) {
  Draw draw(81);
  Values values;
  for (const double level : {0.0, 0.02, 0.05, 0.01})
    for (int i = 0; i < 40; ++i) values.push_back(level + 0.003 * draw.normal());
  const auto points = change_points(values);
  ASSERT_THAT(indices(*points), ElementsAre(40, 80, 120));
  const auto middle = welch(std::span(values).subspan(40, 40), std::span(values).subspan(80, 40));
  EXPECT_DOUBLE_EQ((*points)[1].change.difference, middle->difference);
  EXPECT_DOUBLE_EQ((*points)[1].change.standard_error, middle->standard_error);
  EXPECT_LT((*points)[1].change.interval(0.99).lo, 0.03);
  EXPECT_GT((*points)[1].change.interval(0.99).hi, 0.03);
}

TEST(ChangePoints, IgnoreShiftScaleAndMirrorAndTheSameSeedSaysTheSame) {
  Draw draw(82);
  Values values = draw.normals(60), moved, reversed;
  for (std::size_t i = 0; i < 20; ++i) values[i] += 3;
  for (const double value : values) moved.push_back(-0.01 * value + 5);
  reversed.assign(values.rbegin(), values.rend());
  const auto points = change_points(values), again = change_points(values), other = change_points(moved);
  ASSERT_EQ(points->size(), 1u);
  EXPECT_EQ(indices(*points), indices(*again));
  EXPECT_EQ(points->front().p, again->front().p);
  EXPECT_EQ(indices(*points), indices(*other));
  EXPECT_NEAR(other->front().change.difference, -0.01 * points->front().change.difference, 1e-12);
  EXPECT_EQ(indices(*change_points(reversed)).front(), 60 - points->front().index);
}

TEST(ChangePoints, SeeAChangeOfSpreadAndAreNotCarriedByOneWildValue) {
  Draw draw(83);
  Values values = draw.normals(120);
  values[60] = 1000;
  EXPECT_THAT(indices(*change_points(values)), ElementsAre());
  values[60] = 0;
  for (std::size_t i = 60; i < 120; ++i) values[i] *= 6;
  const auto points = change_points(values);
  ASSERT_EQ(points->size(), 1u);
  EXPECT_NEAR(static_cast<double>(points->front().index), 60, 8);
}

TEST(ChangePoints, HaveAnAnswerForOddInput) {
  EXPECT_TRUE(change_points(Values{})->empty());
  EXPECT_TRUE(change_points(Values{1})->empty());
  EXPECT_TRUE(change_points(Values{1, 1, 1, 2, 2})->empty());  // fewer than two segments of three
  EXPECT_TRUE(change_points(Values(100, 7.5))->empty());
  for (const double bad : {std::nan(""), infinity, -infinity, 1e200})
    EXPECT_FALSE(change_points(Values{1, 2, bad, 4, 5, 6, 7})) << bad;
  ChangePointOptions options;
  options.min_segment = 1;
  EXPECT_FALSE(change_points(Values{1, 2}, options));
  options = {};
  options.permutations = 98;  // the smallest p is 1/99
  EXPECT_FALSE(change_points(Values{1, 2}, options));
  options.permutations = 99;
  EXPECT_TRUE(change_points(Values{1, 2}, options));
  options.alpha = std::nan("");
  EXPECT_FALSE(change_points(Values{1, 2}, options));
  Values steps(20, 1.0);
  std::fill(steps.begin() + 10, steps.end(), 2.0);
  const auto points = change_points(steps);
  ASSERT_THAT(indices(*points), ElementsAre(10));
  EXPECT_EQ(points->front().change.standard_error, 0);
}

TEST(ChangePoints, KeepTheSmallestSegmentAtBothEnds) {
  Draw draw(84);
  for (const bool at_start : {true, false}) {
    Values values = draw.normals(60, 0, 0.1);  // three values stand out, at one end
    for (std::size_t i = 0; i < 3; ++i) values[at_start ? i : 59 - i] += 20;
    ChangePointOptions options;
    EXPECT_THAT(indices(*change_points(values, options)), ElementsAre(at_start ? 3 : 57));
    options.min_segment = 5;
    options.alpha = 1;  // splits as often as it can
    std::vector<std::size_t> all = indices(*change_points(values, options));
    ASSERT_GT(all.size(), 2u);
    all.insert(all.begin(), 0);
    all.push_back(60);
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_GE(all[i] - all[i - 1], 5u);
  }
}

// A t-test at the chosen split, for comparison, is wrong many times as often as it says.
TEST(ChangePoints, KeepTheirLevelWhereNothingChanged) {
  Draw draw(85);
  ChangePointOptions options;
  options.alpha = 0.05;
  options.permutations = 199;
  std::uint64_t seed = 0;
  const auto alarm = [&](const Values& values) {
    options.seed = ++seed;
    return !change_points(values, options)->empty();
  };
  expect_rate(0.05, 2000, [&] { return alarm(draw.normals(30)); });
  expect_rate(0.05, 1000, [&] {  // strongly skewed
    Values values = draw.normals(20);
    for (double& value : values) value = std::exp(2 * value);
    return alarm(values);
  });
  options.alpha = 0.01;
  expect_rate(0.01, 3000, [&] { return alarm(draw.normals(12)); });
  std::size_t by_t = 0;
  for (int i = 0; i < 500; ++i) {
    const Values values = draw.normals(30);
    const auto energies = split_statistics(values);
    const auto at = static_cast<std::size_t>(std::max_element(energies.begin() + 2, energies.end() - 4) -
                                             energies.begin() + 1);
    by_t += welch(std::span(values).first(at), std::span(values).subspan(at))->p_differs() < 0.01 ? 1 : 0;
  }
  EXPECT_GT(by_t, 25u);
}

TEST(ChangePoints, AddNoFalseOneBesideATrueOneMoreOftenThanAlpha) {
  Draw draw(86);
  ChangePointOptions options;
  options.alpha = 0.05;
  options.permutations = 199;
  std::size_t found = 0;
  constexpr std::size_t rounds = 600;
  expect_rate_at_most(0.05, rounds, [&] {
    Values values = draw.normals(40);
    for (std::size_t i = 15; i < 40; ++i) values[i] += 4;
    ++options.seed;
    const auto points = change_points(values, options);
    found += !points->empty() ? 1 : 0;
    return points->size() > 1;
  });
  EXPECT_EQ(found, rounds);
}

// All orders of a few values can be gone through; of an odd and of an even number, at both ends, and with a
// change far above what shuffling gives.
TEST(ChangePoints, HaveThePOfAllOrders) {
  for (const Values& values : {Values{0, 1, 0.4, 5, 6, 5.5, 7}, Values{9, 9.5, 0, 1, 0.4, 0.7, 0.2, 0.6},
                               Values{0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1}}) {
    const auto largest = [](const Values& order) {
      const Values statistics = split_statistics(order);
      return *std::ranges::max_element(statistics);
    };
    const double bar = largest(values) * (1 - 1e-12);
    Values order = values;
    std::ranges::sort(order);
    double all = 0, extreme = 0;
    do {
      ++all;
      extreme += largest(order) >= bar ? 1 : 0;
    } while (std::ranges::next_permutation(order).found);
    ChangePointOptions options;
    options.min_segment = 2;
    options.permutations = 20000;
    options.alpha = 1;  // never cut short
    const auto found = change_points(values, options);
    ASSERT_FALSE(!found || found->empty());
    const auto first = std::ranges::max_element(*found, {}, &ChangePoint::statistic);
    const double p = extreme / all, four_sd = 4 * std::sqrt(p * (1 - p) / 20000);
    EXPECT_NEAR(first->p, p, four_sd) << values.size();
  }
}

TEST(ChangePoints, AreFoundInASeriesOfTenThousand) {
  Draw draw(87);
  Values values = draw.normals(10'000);
  for (std::size_t i = 6000; i < values.size(); ++i) values[i] += 1;
  ChangePointOptions options;
  options.permutations = 99;
  const auto points = change_points(values, options);
  ASSERT_EQ(points->size(), 1u);
  EXPECT_NEAR(static_cast<double>(points->front().index), 6000, 20);
}

TEST(Random, IsTheGeneratorItSaysItIs) {
  Random random(0);  // splitmix64 of 0 begins e220a8397b1dcdaf; xoshiro256++ adds and rotates
  const std::uint64_t s0 = 0xe220a8397b1dcdaf, s3 = 0xf88bb8a8724c81ec;
  EXPECT_EQ(random.next(), std::rotl(s0 + s3, 23) + s0);
}

TEST(Random, ShufflesToEveryOrderEquallyOften) {
  Random random(5);
  std::vector<std::size_t> counts(24);
  for (int i = 0; i < 24'000; ++i) {
    int order[] = {0, 1, 2, 3};
    random.shuffle(std::span<int>(order));
    std::size_t code = 0;  // the number of the permutation, by counting inversions of each place
    for (int at = 0; at < 4; ++at) {
      std::size_t smaller = 0;
      for (int later = at + 1; later < 4; ++later) smaller += order[later] < order[at] ? 1 : 0;
      code = code * static_cast<std::size_t>(4 - at) + smaller;
    }
    ++counts[code];
  }
  double chi_squared = 0;
  for (const std::size_t count : counts) chi_squared += std::pow(static_cast<double>(count) - 1000, 2) / 1000;
  EXPECT_LT(chi_squared, 41.6);  // 99 % quantile with 23 degrees of freedom
}

TEST(Random, DrawsTheStandardNormalDistribution) {
  Random random(8);
  constexpr int draws = 40000;
  double sum = 0, squares = 0, neighbours = 0, before = 0;
  int beyond = 0;
  for (int i = 0; i < draws; ++i) {
    const double value = random.normal();
    sum += value;
    squares += value * value;
    neighbours += value * before;
    before = value;
    beyond += value > 1.959964 ? 1 : 0;
  }
  EXPECT_NEAR(sum / draws, 0, 0.02);
  EXPECT_NEAR(squares / draws, 1, 0.03);
  EXPECT_NEAR(neighbours / draws, 0, 0.02) << "the two of a pair are independent";
  EXPECT_NEAR(static_cast<double>(beyond) / draws, 0.025, 0.004);
}

TEST(Random, DrawsBelowABoundAndFromTheUnitInterval) {
  Random random(6);
  std::set<std::uint32_t> seen;
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(random.below(7));
    const double value = random.uniform();
    EXPECT_TRUE(value >= 0 && value < 1);
    sum += value;
  }
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_NEAR(sum / 1000, 0.5, 0.03);
}

}  // namespace
}  // namespace harness::stats
