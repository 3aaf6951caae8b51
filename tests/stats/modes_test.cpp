#include "harness/stats/spread/modes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibration.h"
#include "harness/stats/spread/dip.h"
#include "reference.h"

namespace harness::stats {
namespace {

using Values = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

Values two_groups(Draw& draw, std::size_t first, std::size_t second, double apart) {
  Values values = draw.normals(first);
  const Values more = draw.normals(second, apart);
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

Values sorted(Values values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<std::size_t> sizes(const Modes& modes) {
  std::vector<std::size_t> found;
  for (const Mode& mode : modes.groups) found.push_back(mode.count);
  return found;
}

TEST(Dip, IsThatOfTheNearestUnimodalDistribution) {
  for (const auto& one : reference("dip.json"))
    expect_close(dip(one["values"].get<Values>()), one["dip"], 1e-9, 1e-12);
}

TEST(Dip, IsNoughtForOneValueAndIgnoresShiftScaleAndMirror) {
  EXPECT_EQ(dip(Values{}), 0);
  EXPECT_EQ(dip(Values{3}), 0);
  EXPECT_EQ(dip(Values{3, 3, 3}), 0);
  Draw draw(91);
  const Values values = sorted(two_groups(draw, 9, 6, 5));
  Values moved, mirrored;
  for (const double value : values) moved.push_back(1e-3 * value + 7);
  for (const double value : values) mirrored.insert(mirrored.begin(), -value);
  EXPECT_NEAR(dip(values), dip(moved), 1e-9);
  EXPECT_NEAR(dip(values), dip(mirrored), 1e-12);
}

TEST(DipP, IsTheShareOfUniformSamplesThatDipAsMuch) {
  Draw draw(92);
  for (const std::size_t count : {4u, 8u, 11u, 17u, 28u, 45u, 85u})  // in the table and between its rows
    for (const double alpha : {0.2, 0.05, 0.01})
      expect_rate(alpha, 3000, [&] { return dip_p(dip(sorted(draw.uniforms(count))), count) <= alpha; });
}

TEST(DipP, FallsWithTheDipAndIsDefinedEverywhere) {
  for (const std::size_t count : {4u, 10u, 33u, 1000u, 10'000'000u}) {
    double before = 1;
    for (int i = 0; i <= 100; ++i) {
      const double p = dip_p(0.0025 * i, count);
      EXPECT_LE(p, before);
      EXPECT_GT(p, 0);
      before = p;
    }
    EXPECT_EQ(dip_p(0, count), 1);
  }
  EXPECT_EQ(dip_p(0.25, 3), 1);
  EXPECT_EQ(dip_p(0.25, 50), 1e-4);
}

TEST(GapP, IsTheShareOfUniformSamplesWithSuchAGap) {
  Draw draw(93);
  const auto ratio = [](const Values& values) {
    double largest = 0;
    for (std::size_t i = 2; i + 2 <= values.size(); ++i)
      largest = std::max(largest, (values[i] - values[i - 1]) /
                                      std::max(values[i - 1] - values.front(), values.back() - values[i]));
    return largest;
  };
  for (const auto& [count, bar] : {std::pair(4u, 10.0), {5u, 3.0}, {8u, 1.0}, {8u, 1.5}, {12u, 1.0}})
    expect_rate(gap_p(bar, count), 6000,
                [&, n = count, b = bar] { return ratio(sorted(draw.uniforms(n))) >= b; });
  EXPECT_EQ(gap_p(0.5, 8), 1);
  EXPECT_EQ(gap_p(5, 3), 1);
  EXPECT_EQ(gap_p(infinity, 8), 0);
  EXPECT_EQ(gap_p(std::nan(""), 8), 1);
  EXPECT_LT(gap_p(3, 1'000'000), 1e-9);
}

TEST(Modes, TellTwoGroupsOfProcessesApart) {
  const Values values{25.5, 22.5, 22.6, 25.4, 22.4, 22.55, 25.45, 22.45};
  const auto modes = find_modes(values);
  ASSERT_TRUE(modes);
  ASSERT_EQ(sizes(*modes), (std::vector<std::size_t>{5, 3}));
  EXPECT_LT(modes->p, 0.01);
  EXPECT_NEAR(modes->groups[0].mean, 22.5, 1e-9);
  EXPECT_NEAR(modes->groups[1].lo, 25.4, 1e-12);
  EXPECT_NEAR(modes->gap, 2.8, 1e-12);
  EXPECT_NEAR(modes->groups[1].sd, 0.05, 1e-9);
  EXPECT_NEAR(modes->separation, 2.95 * std::sqrt(2 / (0.05 * 0.05 + std::pow(modes->groups[0].sd, 2))),
              1e-9);
}

TEST(Modes, FindTwoAgainstTheRestOnlyWhenFarAway) {
  EXPECT_EQ(sizes(*find_modes(Values{1, 1.1, 1.2, 1.05, 1.15, 1.12, 9, 9.1})),
            (std::vector<std::size_t>{6, 2}));
  EXPECT_EQ(find_modes(Values{1, 1.1, 1.2, 1.05, 1.15, 1.12, 1.5, 1.6})->groups.size(), 1u);
  EXPECT_EQ(find_modes(Values{1, 1.1, 1.2, 1.05, 1.15, 1.12, 1.11, 9})->groups.size(), 1u);  // an outlier
}

TEST(Modes, OfBroadGroupsAndOfThreeAreFoundByTheDip) {
  Draw draw(94);
  int two = 0, three = 0;
  for (int i = 0; i < 100; ++i) {
    two += find_modes(two_groups(draw, 20, 20, 6))->groups.size() == 2 ? 1 : 0;
    Values values = two_groups(draw, 16, 16, 15);
    for (const double value : draw.normals(16, 30)) values.push_back(value);
    three += sizes(*find_modes(values)) == std::vector<std::size_t>{16, 16, 16} ? 1 : 0;
  }
  EXPECT_GT(two, 90);
  EXPECT_GT(three, 95);
}

TEST(Modes, AreFoundWhereProcessesFallIntoTwoByChance) {
  Draw draw(95);
  for (const auto& [count, least] : {std::pair(8u, 150), {20u, 195}}) {
    int found = 0;
    for (int i = 0; i < 200; ++i) {
      Values values = draw.normals(count, 22.5, 0.07);
      for (double& value : values) value += draw.uniform() < 0.5 ? 3 : 0;
      found += find_modes(values)->groups.size() == 2 ? 1 : 0;
    }
    EXPECT_GT(found, least) << count;
  }
}

TEST(Modes, AreNotSeenInOneMoreOftenThanAlpha) {
  Draw draw(96);
  for (const std::size_t count : {8u, 12u, 20u, 50u}) {
    const auto seen = [&](const Values& values) { return find_modes(values, 0.05)->groups.size() > 1; };
    expect_rate_at_most(0.05, 3000, [&] { return seen(draw.uniforms(count)); });
    expect_rate_at_most(0.05, 3000, [&] { return seen(draw.normals(count)); });
    expect_rate_at_most(0.05, 3000, [&] {  // Student's t with 2 degrees of freedom
      Values values = draw.normals(count);
      for (double& value : values) value /= std::hypot(draw.normal(), draw.normal());
      return seen(values);
    });
    expect_rate_at_most(0.05, 3000, [&] {
      Values values = draw.normals(count);
      for (double& value : values) value = std::exp(value / 2);
      return seen(values);
    });
  }
}

TEST(Modes, HaveAnAnswerForOddInput) {
  EXPECT_FALSE(find_modes(Values{}));
  for (const double bad : {std::nan(""), infinity, -infinity}) EXPECT_FALSE(find_modes(Values{1, bad, 2}));
  const auto one = find_modes(Values{7});
  EXPECT_EQ(one->p, 1);
  EXPECT_EQ(sizes(*one), std::vector<std::size_t>{1});
  EXPECT_EQ(one->groups[0].sd, 0);
  EXPECT_EQ(find_modes(Values{1, 100, 1})->groups.size(), 1u);
  EXPECT_EQ(find_modes(Values(30, 4.0))->p, 1);
  const auto constants = find_modes(Values{1, 1, 1, 1, 2, 2, 2, 2});
  EXPECT_EQ(sizes(*constants), (std::vector<std::size_t>{4, 4}));
  EXPECT_EQ(constants->separation, infinity);
  EXPECT_EQ(constants->gap, 1);
}

TEST(Modes, DoNotDependOnOrderShiftOrScale) {
  Draw draw(97);
  Values values = two_groups(draw, 7, 9, 8), moved;
  std::vector<double> reversed(values.rbegin(), values.rend());
  for (const double value : values) moved.push_back(5 - 0.01 * value);
  const auto found = find_modes(values), turned = find_modes(reversed), mirrored = find_modes(moved);
  EXPECT_EQ(found->p, turned->p);
  EXPECT_NEAR(found->p, mirrored->p, 1e-9);
  EXPECT_EQ(sizes(*found), (std::vector<std::size_t>{7, 9}));
  EXPECT_EQ(sizes(*mirrored), (std::vector<std::size_t>{9, 7}));
  EXPECT_NEAR(found->separation, mirrored->separation, 1e-9);
}

}  // namespace
}  // namespace harness::stats
