#include "harness/stats/spread/moderation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "calibration.h"
#include "harness/stats/hypothesis/contrast.h"
#include "harness/stats/hypothesis/multiplicity.h"
#include "harness/stats/hypothesis/welch.h"
#include "reference.h"

namespace harness::stats {
namespace {

std::vector<GroupVariance> groups_of(const nlohmann::json& all) {
  std::vector<GroupVariance> groups;
  for (const auto& one : all) groups.push_back({one[0], one[1], one[2]});
  return groups;
}

Contrast contrast_of(const nlohmann::json& one) {
  const auto part = [](const nlohmann::json& side) { return Part{side[0], side[1], side[2]}; };
  return {one["difference"], part(one["baseline"]), part(one["current"]), one["known"]};
}

TEST(FitVariances, AgreesWithTheFormulasInFortyDigits) {
  const nlohmann::json all = reference("moderation.json");
  for (const auto& one : all["fits"]) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const auto trend = fit_variances(groups_of(one["groups"]));
    ASSERT_TRUE(trend);
    expect_close(trend->center, one["center"]);
    expect_close(trend->intercept, one["intercept"]);
    expect_close(trend->slope, one["slope"], 1e-9, 1e-12);
    expect_close(trend->degrees_of_freedom, one["degrees_of_freedom"]);
    const VariancePrior prior = trend->at(one["level"]);
    expect_close(prior.variance, one["variance"]);
    expect_close(prior.tail(one["own"], 4), one["tail"]);
  }
}

TEST(Contrast, AgreesWithTheFormulasInFortyDigits) {
  const nlohmann::json all = reference("moderation.json");
  for (const auto& one : all["tests"]) {
    const Contrast contrast = contrast_of(one);
    const VariancePrior prior{one["prior"], one["weight"]};
    for (const auto& [name, test] :
         {std::pair("welch", test_of(contrast)), std::pair("moderated", test_of(contrast, prior))}) {
      SCOPED_TRACE(name);
      expect_close(test.standard_error, one[name]["standard_error"]);
      expect_close(test.degrees_of_freedom, one[name]["degrees_of_freedom"]);
      expect_close(test.p_above(0.001), one[name]["p_above"]);
    }
  }
}

TEST(FitVariances, NeedsFiveGroupsThatVary) {
  std::vector<GroupVariance> groups(4, {3, 1e-5, 4});
  groups.push_back({3, 0, 4});
  groups.push_back({std::nan(""), 1e-5, 4});
  EXPECT_FALSE(fit_variances(groups));
  groups.push_back({3, 1e-5, 4});
  EXPECT_TRUE(fit_variances(groups));
}

TEST(FitVariances, FindsThePriorThatGroupsWereDrawnFrom) {
  Draw draw(41);
  std::mt19937_64 random(42);
  constexpr double freedom = 8;
  std::chi_squared_distribution<double> chi(freedom);
  std::vector<GroupVariance> groups;
  for (int i = 0; i < 4000; ++i) {
    const double level = 3 * draw.uniform(), sd = std::exp(-5 - level / 2) * std::sqrt(freedom / chi(random));
    groups.push_back({level, moments(draw.normals(5, 0, sd)).variance, 4});
  }
  const auto trend = fit_variances(groups);
  EXPECT_NEAR(trend->degrees_of_freedom, freedom, 1.5);
  EXPECT_NEAR(trend->slope, -1, 0.05);
  EXPECT_NEAR(std::log(trend->at(1).variance), -11, 0.1);
}

// Suites whose cases all lie at the margin, with sds that scatter by the prior: any false call, after Holm.
void expect_level(std::size_t cases, std::size_t baseline, std::size_t current, double freedom,
                  double noisier) {
  Draw draw(43);
  std::mt19937_64 random(44);
  std::chi_squared_distribution<double> chi(freedom);
  expect_rate_at_most(0.01, 800, [&] {
    std::vector<GroupVariance> groups;
    std::vector<Contrast> contrasts;
    for (std::size_t i = 0; i < cases; ++i) {
      const double sd = 0.003 * std::sqrt(freedom / chi(random));
      const Moments before = moments(draw.normals(baseline, 0, sd));
      const Moments after = moments(draw.normals(current, 0, i == 0 ? noisier * sd : sd));
      groups.push_back({3, before.variance, static_cast<double>(baseline - 1)});
      groups.push_back({3, after.variance, static_cast<double>(current - 1)});
      contrasts.push_back(contrast(estimate_of(before), estimate_of(after)));
    }
    const auto trend = fit_variances(groups);
    std::vector<double> p;
    for (const Contrast& one : contrasts) {
      const VariancePrior prior = trend->at(3);
      const bool own = prior.tail(one.variance() / one.scale(), one.degrees_of_freedom()) < 0.05;
      p.push_back((own ? test_of(one) : test_of(one, prior)).p_above(0));
    }
    const std::vector<double> adjusted = holm(p);
    return *std::min_element(adjusted.begin(), adjusted.end()) < 0.01;
  });
}

TEST(ModeratedTest, KeepsItsLevelAtFiveAgainstFive) {
  expect_level(18, 5, 5, 8, 1);
}

TEST(ModeratedTest, KeepsItsLevelAtTwentyAgainstFive) {
  expect_level(18, 20, 5, 8, 1);
}

TEST(ModeratedTest, KeepsItsLevelWithFewCasesThatScatter) {
  expect_level(5, 20, 5, 3, 1);
}

TEST(ModeratedTest, KeepsItsLevelWhereOneCaseBecameFiveTimesAsNoisy) {
  expect_level(18, 5, 5, 8, 5);
}

// Satterthwaite's degrees of freedom alone let 3 to 4 % of suites of 72 through here.
TEST(Contrast, WelchKeepsItsLevelAtTwentyAgainstFive) {
  Draw draw(45);
  expect_rate_at_most(0.01 / 72, 15000, [&] {
    const auto one = contrast(estimate_of(moments(draw.normals(20))), estimate_of(moments(draw.normals(5))));
    return test_of(one).p_above(0) < 0.01 / 72;
  });
}

TEST(Contrast, IsWelchsTestWhereSidesAreEqual) {
  const std::vector<double> one{1.0, 1.2, 0.9, 1.1}, other{1.3, 1.6, 1.2, 1.4};
  const auto expected = *welch(one, other, 0.01, 0.02);
  const TTest found = test_of(contrast(estimate_of(moments(one), 0.01), estimate_of(moments(other), 0.02)));
  EXPECT_DOUBLE_EQ(found.difference, expected.difference);
  EXPECT_DOUBLE_EQ(found.standard_error, expected.standard_error);
  EXPECT_NEAR(found.degrees_of_freedom, expected.degrees_of_freedom, 1e-9);
}

TEST(Contrast, WithoutAnyVarianceIsDecided) {
  const auto none = contrast({1, 0, 5, 4, 0}, {1.5, 0, 5, 4, 0});
  EXPECT_EQ(test_of(none).p_above(0.4), 0);
  EXPECT_EQ(test_of(none).degrees_of_freedom, 8);
  const TTest known = test_of(contrast({1, 0, 5, 4, 0.5}, {1.5, 0, 5, 4, 0.5}));
  EXPECT_TRUE(std::isinf(known.degrees_of_freedom));
}

}  // namespace
}  // namespace harness::stats
