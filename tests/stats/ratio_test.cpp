#include "harness/stats/estimate/ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "calibration.h"
#include "reference.h"

namespace harness::stats {
namespace {

using Values = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

void expect_interval(const std::optional<RatioInterval>& found, const nlohmann::json& expected) {
  ASSERT_TRUE(found);
  const std::string shape = expected["shape"];
  EXPECT_EQ(found->shape, shape == "bounded"    ? RatioShape::bounded
                          : shape == "two_rays" ? RatioShape::two_rays
                                                : RatioShape::everything);
  if (shape == "everything") {
    EXPECT_EQ(found->lo, -infinity);
    EXPECT_EQ(found->hi, infinity);
  } else {
    expect_close(found->lo, expected["lo"]);
    expect_close(found->hi, expected["hi"]);
  }
}

TEST(Fieller, AgreesWithTheRootsOfItsDefinition) {
  std::vector<std::size_t> shapes(3);
  for (const auto& one : reference("ratio.json")) {
    const auto baseline = one["baseline"].get<Values>(), current = one["current"].get<Values>();
    const double confidence = one["confidence"];
    const auto found = fieller(baseline, current, confidence);
    expect_interval(found, one["fieller"]);
    expect_close(found->ratio, one["ratio"]);
    expect_close(found->degrees_of_freedom, one["degrees_of_freedom"]);
    ++shapes[static_cast<std::size_t>(found->shape)];
    if (one.contains("paired")) expect_interval(fieller_paired(baseline, current, confidence), one["paired"]);
    if (!one.contains("log_ratio")) continue;
    const Bounds bounds = log_ratio(baseline, current)->interval(confidence);
    expect_close(std::exp(bounds.lo), one["log_ratio"]["lo"]);
    expect_close(std::exp(bounds.hi), one["log_ratio"]["hi"]);
  }
  for (const std::size_t count : shapes) EXPECT_GT(count, 0u);
}

TEST(Fieller, OfConstantSidesIsTheRatioItself) {
  const auto found = fieller(Values{2, 2, 2}, Values{3, 3}, 0.98);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->lo, 1.5);
  EXPECT_EQ(found->hi, 1.5);
  EXPECT_EQ(found->shape, RatioShape::bounded);
}

TEST(Fieller, NeedsTwoFiniteValuesASideAndABaselineThatIsNotNought) {
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    EXPECT_FALSE(fieller(Values{1, bad}, Values{1, 2}, 0.9));
    EXPECT_FALSE(fieller_paired(Values{1, 2}, Values{1, bad}, 0.9));
    EXPECT_FALSE(log_ratio(Values{1, bad}, Values{1, 2}));
  }
  EXPECT_FALSE(fieller(Values{1}, Values{1, 2}, 0.9));
  EXPECT_FALSE(fieller(Values{-1, 1}, Values{1, 2}, 0.9));
  EXPECT_FALSE(fieller_paired(Values{-1, 1}, Values{1, 2}, 0.9));
  EXPECT_FALSE(fieller_paired(Values{1, 2, 3}, Values{1, 2}, 0.9));
  EXPECT_FALSE(log_ratio(Values{-1, -2}, Values{1, 2}));
  EXPECT_FALSE(log_ratio(Values{1, 2}, Values{-1, 1}));
  EXPECT_FALSE(fieller(Values{1e200, 2e200}, Values{1, 2}, 0.9));
}

TEST(Fieller, ScalesWithEitherSide) {
  const Values baseline{10, 11, 9.5, 10.2}, current{14, 15, 13.8}, tenfold{140, 150, 138};
  const auto one = fieller(baseline, current, 0.9), ten = fieller(baseline, tenfold, 0.9);
  const auto inverse = fieller(current, baseline, 0.9);
  EXPECT_NEAR(ten->lo, 10 * one->lo, 1e-12);
  EXPECT_NEAR(ten->hi, 10 * one->hi, 1e-12);
  EXPECT_NEAR(inverse->lo, 1 / one->hi, 1e-12);  // the set of 1/r is the set of the swapped sides
  EXPECT_NEAR(inverse->hi, 1 / one->lo, 1e-12);
  const auto log = log_ratio(baseline, current), swapped = log_ratio(current, baseline);
  EXPECT_NEAR(log->difference, -swapped->difference, 1e-15);
  EXPECT_NEAR(log->p_above(0.1), swapped->p_below(-0.1), 1e-14);
}

TEST(Fieller, OfUncorrelatedPairsWithOneVarianceAgreesInItsMiddle) {
  // Hardly any spread: all three intervals tend to the same one.
  const Values baseline{100.00, 100.02, 99.99, 100.01, 99.98},
      current{110.01, 110.00, 110.03, 109.98, 109.99};
  const auto found = fieller(baseline, current, 0.95);
  const Bounds by_log = log_ratio(baseline, current)->interval(0.95);
  EXPECT_NEAR(found->lo, std::exp(by_log.lo), 1e-6);
  EXPECT_NEAR(found->hi, std::exp(by_log.hi), 1e-6);
}

TEST(Fieller, CoversTheTrueRatioAsOftenAsItSays) {
  Draw draw(41);
  const auto misses = [](const RatioInterval& found, double truth) {
    const bool between = truth >= found.lo && truth <= found.hi;
    return found.shape == RatioShape::bounded    ? !between
           : found.shape == RatioShape::two_rays ? truth > found.lo && truth < found.hi
                                                 : false;
  };
  expect_rate(0.05, 10'000, [&] {  // exact, however badly the baseline's mean is known
    Values baseline = draw.normals(6, 1), current;
    for (const double value : baseline) current.push_back(2 + 0.7 * (value - 1) + 0.5 * draw.normal());
    return misses(*fieller_paired(baseline, current, 0.95), 2);
  });
  expect_rate_at_most(0.06, 10'000, [&] {  // Satterthwaite's degrees of freedom are an approximation
    return misses(*fieller(draw.normals(5, 10), draw.normals(8, 20, 3), 0.95), 2);
  });
}

}  // namespace
}  // namespace harness::stats
