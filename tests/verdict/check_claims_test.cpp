#include "harness/verdict/claims/check_claims.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "records.h"

namespace harness {
namespace {

Claim speedup_of(const std::string& of, const std::string& against, ClaimRange range,
                 ClaimScope over = ClaimScope::geometric_mean) {
  Claim claim;
  claim.of = of;
  claim.against = against;
  claim.range = range;
  claim.over = over;
  return claim;
}

CheckedClaim checked(const Claim& claim, const Record& record) {
  return check_claims({claim}, record, 0.99).at(0);
}

// gelu is 2 and 4 times as fast as plain.
Record two_shapes() {
  return record_of(
      {case_of("gelu/plain/n=1", {series_at(about(20))}), case_of("gelu/plain/n=2", {series_at(about(80))}),
       case_of("gelu/fused/n=1", {series_at(about(10))}), case_of("gelu/fused/n=2", {series_at(about(20))})});
}

TEST(CheckClaims, PairsByWhatTheStarsStandFor) {
  const CheckedClaim one = checked(speedup_of("gelu/fused/*", "gelu/plain/*", {2.5, {}}), two_shapes());
  ASSERT_EQ(one.cases.size(), 2u);
  EXPECT_EQ(one.cases[0].against, "gelu/plain/n=1");
  EXPECT_EQ(one.cases[1].against, "gelu/plain/n=2");
  EXPECT_NEAR(one.cases[1].value.value(), 4, 1e-9);
  EXPECT_NEAR(one.value.value(), std::sqrt(8), 1e-9);
  EXPECT_EQ(one.status, ClaimStatus::confirmed);
}

TEST(CheckClaims, TakesTheIntervalOfWelch) {
  const Record record = record_of({case_of("a", {series_at({std::exp(0.1), std::exp(0.2), std::exp(0.3)})}),
                                   case_of("b", {series_at({std::exp(0.5), std::exp(0.6), std::exp(0.7)})})});
  const CheckedClaim one = checked(speedup_of("a", "b", {1.5, {}}), record);
  // scipy.stats: 0.4 -+ t.ppf(.995, 4) * sqrt(2 * .01 / 3)
  const double reach = 4.604094871415897 * std::sqrt(0.02 / 3);
  EXPECT_NEAR(std::log(one.interval->lo), 0.4 - reach, 1e-9);
  EXPECT_NEAR(std::log(one.interval->hi), 0.4 + reach, 1e-9);
  EXPECT_EQ(one.status, ClaimStatus::open);
}

TEST(CheckClaims, OneCaseDecidesOverEveryAndAny) {
  const auto status = [](double least, ClaimScope over) {
    return checked(speedup_of("gelu/fused/*", "gelu/plain/*", {least, {}}, over), two_shapes()).status;
  };
  EXPECT_EQ(status(1.9, ClaimScope::every), ClaimStatus::confirmed);
  EXPECT_EQ(status(3, ClaimScope::every), ClaimStatus::refuted);
  EXPECT_EQ(status(3, ClaimScope::any), ClaimStatus::confirmed);
  EXPECT_EQ(status(4, ClaimScope::any), ClaimStatus::open);
  EXPECT_EQ(status(5, ClaimScope::any), ClaimStatus::refuted);
  const CheckedClaim best =
      checked(speedup_of("gelu/fused/*", "gelu/plain/*", {5, {}}, ClaimScope::any), two_shapes());
  EXPECT_EQ(best.case_id, "gelu/fused/n=2");
}

TEST(CheckClaims, ARangeHasTwoEnds) {
  const auto status = [](ClaimRange range) {
    return checked(speedup_of("gelu/fused/n=1", "gelu/plain/n=1", range), two_shapes()).status;
  };
  EXPECT_EQ(status({1.5, 2.5}), ClaimStatus::confirmed);
  EXPECT_EQ(status({2.5, 3}), ClaimStatus::refuted);
  EXPECT_EQ(status({{}, 1.5}), ClaimStatus::refuted);
  EXPECT_EQ(status({2, 3}), ClaimStatus::open);
}

TEST(CheckClaims, AChangeIsOfOverAgainst) {
  Claim claim = speedup_of("gelu/fused/*", "gelu/plain/*", {{}, -0.6});
  claim.figure = ClaimFigure::change;
  const CheckedClaim one = checked(claim, two_shapes());
  EXPECT_NEAR(one.cases[0].value.value(), -0.5, 1e-9);
  EXPECT_NEAR(one.value.value(), std::sqrt(0.5 * 0.25) - 1, 1e-9);
  EXPECT_EQ(one.status, ClaimStatus::confirmed);
}

// Two networks of ten seeds: accuracies that differ by seed far more than by network.
TEST(CheckClaims, ADifferenceIsOfTheProcessesOfOneSeed) {
  const auto record = [](const std::vector<double>& of, const std::vector<double>& against) {
    return record_of({case_of("net/int8", {series_at({1, 1}), series_at(of, "accuracy")}),
                      case_of("net/fp32", {series_at({1, 1}), series_at(against, "accuracy")})});
  };
  Claim claim = speedup_of("net/int8", "net/fp32", {-0.5, 0.5});
  claim.metric = "accuracy";
  claim.figure = ClaimFigure::difference;
  const CheckedClaim one = checked(claim, record({91.1, 92.9, 94.2, 95.8}, {91, 93, 94, 96}));
  EXPECT_NEAR(one.value.value(), 0, 1e-9);
  // scipy.stats: t.ppf(.995, 3) * std([.1, -.1, .2, -.2], ddof=1) / 2
  EXPECT_NEAR(one.interval->hi, 0.5331996, 1e-6);
  EXPECT_EQ(one.status, ClaimStatus::open);
  EXPECT_EQ(checked(claim, record({91.1, 93, 94, 96}, {91, 93, 94, 96})).status, ClaimStatus::confirmed);
  EXPECT_EQ(checked(claim, record({90, 92, 93, 95}, {91, 93, 94, 96})).status, ClaimStatus::refuted);
  claim.of = "net/*8";  // over several cases their arithmetic mean
  EXPECT_NEAR(checked(claim, record({90, 92}, {91, 93})).value.value(), -1, 1e-5);
}

TEST(CheckClaims, MoreIsBetterWhereTheMetricSaysSo) {
  const auto rate = [](double value) {
    Series series = series_at(about(value), "tokens");
    series.direction = Direction::higher_is_better;
    return series;
  };
  const Record record = record_of({case_of("a", {rate(30)}), case_of("b", {rate(10)})});
  EXPECT_NEAR(checked(speedup_of("a", "b", {2, {}}), record).value.value(), 3, 1e-9);
}

TEST(CheckClaims, AValueIsOfOneCaseAndMayBeConstant) {
  Claim claim;
  claim.of = "a";
  claim.metric = "error";
  claim.figure = ClaimFigure::value;
  claim.range = {{}, 0.5};
  const auto status = [&](const std::vector<double>& values) {
    return checked(claim, record_of({case_of("a", {series_at({1, 1}), series_at(values, "error")})})).status;
  };
  EXPECT_EQ(status({0, 0, 0}), ClaimStatus::confirmed);
  EXPECT_EQ(status({0.5, 0.5}), ClaimStatus::confirmed);
  EXPECT_EQ(status({0.6, 0.6}), ClaimStatus::refuted);
  EXPECT_EQ(status({0.4, 0.6}), ClaimStatus::open);
  EXPECT_EQ(status({0, 0.4, 0.4}), ClaimStatus::open)
      << "0 has no logarithm, and two of three do not speak for all";
  EXPECT_EQ(status({-1, -1}), ClaimStatus::open);
}

TEST(CheckClaims, NoSampleOf0IsLeftOutOfARatio) {
  const auto value = [](const std::vector<double>& values) {
    return checked(speedup_of("a", "b", {1.5, {}}),
                   record_of({case_of("a", {series_at({1, 1, 1})}), case_of("b", {series_at(values)})}));
  };
  EXPECT_EQ(value({2, 2, 2}).status, ClaimStatus::confirmed);
  EXPECT_EQ(value({2, 2, 0}).status, ClaimStatus::open);
  EXPECT_EQ(value({2, 2, 0}).gap, ClaimGap::no_interval);
  EXPECT_FALSE(value({2, 2, 0}).value);
}

TEST(CheckClaims, SaysWhyThereIsNoAnswer) {
  Record record = two_shapes();
  const auto gap = [&](const Claim& claim) { return checked(claim, record).gap; };
  EXPECT_EQ(gap(speedup_of("nothing/*", "gelu/plain/*", {1, {}})), ClaimGap::no_case);
  EXPECT_EQ(gap(speedup_of("gelu/fused/*", "gelu/other/*", {1, {}})), ClaimGap::no_partner);
  Claim memory = speedup_of("gelu/fused/*", "gelu/plain/*", {1, {}});
  memory.metric = "peak_memory";
  EXPECT_EQ(gap(memory), ClaimGap::no_metric);
  record.cases[0].series[0].processes.resize(1);
  record.cases[2].series[0].processes.resize(1);
  EXPECT_EQ(gap(speedup_of("gelu/fused/*", "gelu/plain/*", {1, {}})), ClaimGap::no_interval);
  record.cases[0].outcome = Outcome::failed;
  const CheckedClaim open = checked(speedup_of("gelu/fused/*", "gelu/plain/*", {1, {}}), record);
  EXPECT_EQ(open.gap, ClaimGap::not_measured);
  EXPECT_EQ(open.status, ClaimStatus::open);
  EXPECT_FALSE(open.value);
}

TEST(CheckClaims, ACaseIsNotComparedWithItself) {
  const CheckedClaim one = checked(speedup_of("gelu/*/n=1", "gelu/plain/n=1", {1.5, {}}), two_shapes());
  ASSERT_EQ(one.cases.size(), 1u);
  EXPECT_EQ(one.cases[0].case_id, "gelu/fused/n=1");
  EXPECT_EQ(one.status, ClaimStatus::confirmed);
}

}  // namespace
}  // namespace harness
