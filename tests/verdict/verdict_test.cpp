// The verdict of one row, and of rows together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;

ComparisonRow compare_values(const std::vector<double>& before, const std::vector<double>& after,
                             const Policy& policy = {}) {
  return only_row(compare(record_of(before), record_of(after), policy));
}

TEST(Verdict, OfTheSameValuesIsUnchanged) {
  const ComparisonRow row = compare_values(about(20), about(20));
  EXPECT_EQ(row.verdict, Verdict::unchanged) << name_of(row.reason.code);
  EXPECT_NEAR(row.ratio, 1, 1e-12);
  EXPECT_LT(row.interval->lo, 1);
  EXPECT_GT(row.interval->hi, 1);
  EXPECT_LT(row.interval->hi, 1.01);
  EXPECT_GT(*row.p, 0.99);
  EXPECT_EQ(row.baseline.processes, 5);
  EXPECT_NEAR(row.baseline.center, 20, 1e-3);
  EXPECT_NEAR(row.current.process_values[4], 20 * 1.002, 1e-9);
  EXPECT_EQ(row.where.line, 7);
  EXPECT_EQ(row.reason.code, ReasonCode::within);
}

TEST(Verdict, OfAClearSlowdownIsRegressed) {
  const ComparisonRow row = compare_values(about(20), about(20.8));
  EXPECT_EQ(row.verdict, Verdict::regressed) << name_of(row.reason.code);
  EXPECT_NEAR(row.ratio, 1.04, 1e-9);
  EXPECT_LT(*row.p_adjusted, 0.01);
  EXPECT_GT(row.interval->lo, 1.01);
  EXPECT_GT(*row.p_improved, 0.99);
  EXPECT_EQ(row.reason.code, ReasonCode::worse);
}

TEST(Verdict, OfAClearSpeedupIsImproved) {
  const ComparisonRow row = compare_values(about(20), about(19.2));
  EXPECT_EQ(row.verdict, Verdict::improved) << name_of(row.reason.code);
  EXPECT_LT(*row.p_improved_adjusted, 0.01);
}

TEST(Verdict, OfAChangeSmallerThanTheMarginIsNeverRegressed) {
  std::vector<double> before = about(20), after = about(20 * 1.005);
  EXPECT_EQ(compare_values(before, after).verdict, Verdict::unchanged);
}

TEST(Verdict, OnTheMarginIsInconclusiveAndSaysWhatHelps) {
  const ComparisonRow row = compare_values(about(20), about(20 * 1.0101));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_FALSE(row.processes_needed);
  EXPECT_THAT(row.diagnostics, Contains(coded(DiagnosticCode::near_margin_unpaired)));
}

TEST(Verdict, OfNoisyProcessesIsInconclusiveAndCountsWhatWouldSettleIt) {
  const std::vector<double> noisy{19.6, 19.8, 20, 20.2, 20.4};
  const ComparisonRow row = compare_values(noisy, noisy);
  EXPECT_EQ(row.verdict, Verdict::inconclusive) << name_of(row.reason.code);
  ASSERT_TRUE(row.processes_needed);
  EXPECT_GT(*row.processes_needed, 20);
  EXPECT_LT(*row.processes_needed, 100);
  EXPECT_THAT(row.diagnostics,
              Contains(fact(DiagnosticCode::more_processes, {{"processes", *row.processes_needed}})));
  EXPECT_GT(*row.minimum_detectable, 0.03);
}

TEST(Verdict, OfACaseTooNoisyForItsMarginNamesTheMarginThatWouldDo) {
  const std::vector<double> before{18.4, 19.5, 20, 20.6, 21.7}, after{18.5, 19.6, 20.1, 20.7, 21.8};
  const ComparisonRow row = compare_values(before, after);
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.diagnostics, testing::Not(Contains(coded(DiagnosticCode::near_margin_unpaired))));
  const double enough = std::ceil(100 * (std::max(row.interval->hi, 1 / row.interval->lo) - 1)) / 100;
  const auto wide = std::find_if(row.diagnostics.begin(), row.diagnostics.end(), [](const Diagnostic& one) {
    return one.code == DiagnosticCode::wider_margin;
  });
  ASSERT_NE(wide, row.diagnostics.end());
  EXPECT_DOUBLE_EQ(std::ceil(100 * wide->number("settled")) / 100, enough);
  Policy wider;
  wider.margin = enough;
  EXPECT_EQ(compare_values(before, after, wider).verdict, Verdict::unchanged);
}

TEST(Verdict, WithNoiseBetweenSessionsAboveTheMarginSaysThatNoNumberOfProcessesHelps) {
  Policy policy;
  policy.session_sd = 0.02;
  const ComparisonRow row = compare_values(about(20), about(20), policy);
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_FALSE(row.processes_needed);
  EXPECT_THAT(row.diagnostics, Contains(coded(DiagnosticCode::sessions_dominate)));
}

TEST(Verdict, NeedsFiveProcessesASide) {
  const ComparisonRow row = compare_values({20, 20.01, 20.02, 20.03}, about(30));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_TRUE(row.p);
  EXPECT_FALSE(row.p_adjusted);
  EXPECT_THAT(row.reason, fact(ReasonCode::too_few_processes, {{"needed", 5}}));
  EXPECT_EQ(row.baseline.processes, 4);
  EXPECT_EQ(compare_values({20, 20.01, 20.02, 20.03, 20.04}, about(30)).verdict, Verdict::regressed);
}

TEST(Verdict, OfOneProcessHasARatioAndNothingElse) {
  const ComparisonRow row = compare_values({20}, about(30));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_NEAR(row.ratio, 1.5, 1e-5);
  EXPECT_FALSE(row.p);
  EXPECT_FALSE(row.interval);
  EXPECT_FALSE(row.minimum_detectable);
  EXPECT_EQ(row.processes_needed, 5);
}

TEST(Verdict, WithoutAnyVarianceIsDecided) {
  Policy policy;
  policy.session_sd = 0;
  const std::vector<double> constant(5, 20.0), slower(5, 20.5);
  EXPECT_EQ(compare_values(constant, constant, policy).verdict, Verdict::unchanged);
  const ComparisonRow row = compare_values(constant, slower, policy);
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_THAT(row.diagnostics, Contains(coded(DiagnosticCode::zero_variance)));
  EXPECT_NEAR(*row.minimum_detectable, 0.01, 1e-12);
}

TEST(Verdict, OfAHigherIsBetterMetricIsMirrored) {
  const auto row_of = [](double before, double after) {
    const auto make = [](double center) {
      return record_of(
          {case_of("c", {series_at(about(center), "throughput", "GB/s", Direction::higher_is_better)})});
    };
    return only_row(compare(make(before), make(after), Policy{}));
  };
  const ComparisonRow worse = row_of(100, 96), better = row_of(100, 104);
  EXPECT_EQ(worse.verdict, Verdict::regressed);
  EXPECT_NEAR(worse.ratio, 0.96, 1e-9);
  EXPECT_LT(worse.interval->lo, worse.interval->hi);
  EXPECT_LT(worse.interval->hi, 0.99);
  EXPECT_EQ(better.verdict, Verdict::improved);
  EXPECT_GT(*better.minimum_detectable, 0.01);
}

TEST(Verdict, TakesMarginAndAlphaOfTheCaseUnlessThePolicyHasItsOwn) {
  Record before = record_of(about(20)), after = record_of(about(20.8));
  after.cases[0].gate = Gate{0.10, 0.02};
  Policy policy;
  policy.accept_proposed = true;
  ComparisonRow row = only_row(compare(before, after, policy));
  EXPECT_EQ(row.verdict, Verdict::unchanged);
  EXPECT_EQ(row.margin, 0.10);
  EXPECT_EQ(row.alpha, 0.02);
  EXPECT_THAT(row.diagnostics,
              Contains(fact(DiagnosticCode::margin_loosened, {{"baseline", 0.01}, {"current", 0.1}})));
  policy.margin = 0.005;
  policy.alpha = 0.001;
  row = only_row(compare(before, after, policy));
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_EQ(row.margin, 0.005);
  EXPECT_EQ(row.alpha, 0.001);
}

TEST(Verdict, WithAGateThatMakesNoSenseIsNotComparable) {
  for (const Gate& gate : {Gate{-0.1, 0.01}, Gate{std::nan(""), 0.01}, Gate{0.01, 0}, Gate{0.01, 0.5}}) {
    Record record = record_of(about(20));
    record.cases[0].gate = gate;
    EXPECT_EQ(only_row(compare(record, record, Policy{})).verdict, Verdict::not_comparable);
  }
}

TEST(Verdict, IntervalIsAtTheLevelOfPassing) {
  const ComparisonRow row = compare_values(about(20), about(20.3));
  // At the margin that a bound touches, the one-sided p is that of passing, whatever alpha is.
  Policy policy;
  policy.margin = row.interval->lo - 1;
  EXPECT_NEAR(*compare_values(about(20), about(20.3), policy).p, passing_alpha, 1e-9);
}

TEST(Verdict, AddsTheVarianceBetweenSessionsOnceASide) {
  Policy none, some;
  none.session_sd = 0;
  some.session_sd = 0.004;
  const ComparisonRow narrow = compare_values(about(20), about(20), none);
  const ComparisonRow wide = compare_values(about(20), about(20), some);
  const double variance = 2 * (narrow.baseline.process_sd * narrow.baseline.process_sd / 5);
  const double expected_dof = 8 * std::pow((variance + 2 * 0.004 * 0.004) / variance, 2);
  EXPECT_NEAR(narrow.degrees_of_freedom, 8, 1e-9);
  EXPECT_NEAR(wide.degrees_of_freedom, expected_dof, 1e-6 * expected_dof);
  EXPECT_GT(wide.interval->hi, narrow.interval->hi);
}

// One real regression among many unchanged cases, of a size that alone would just do.
TEST(Holm, AsksMoreOfACaseAmongMany) {
  Policy policy;
  policy.session_sd = 0;
  const std::vector<double> before = about(20), after = about(20 * 1.0145);
  const ComparisonRow alone = compare_values(before, after, policy);
  EXPECT_EQ(alone.verdict, Verdict::regressed) << *alone.p;
  Record one = record_of(before), other = record_of(after);
  for (int i = 0; i < 300; ++i) {
    one.cases.push_back(case_of("x" + std::to_string(i), {series_at(about(20))}));
    other.cases.push_back(one.cases.back());
  }
  const Comparison comparison = compare(one, other, policy);
  const ComparisonRow& row = comparison.rows.front();
  EXPECT_EQ(row.case_id, "c");
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_NEAR(*row.p_adjusted, 301 * *row.p, 1e-12);
  EXPECT_THAT(row.reason, fact(ReasonCode::corrected, {{"comparisons", 301}}));
  EXPECT_GT(*row.minimum_detectable, *alone.minimum_detectable);
  EXPECT_TRUE(row.processes_needed);
}

TEST(Holm, LeavesOutRowsThatAreNotJudged) {
  Record before = record_of(about(20)), after = record_of(about(20.8));
  for (int i = 0; i < 5; ++i) {
    before.cases.push_back(case_of("few" + std::to_string(i), {series_at({20, 20.1})}));
    after.cases.push_back(before.cases.back());
  }
  const Comparison comparison = compare(before, after, Policy{});
  EXPECT_DOUBLE_EQ(*comparison.rows.front().p_adjusted, *comparison.rows.front().p);
}

TEST(Properties, ScalingBothSidesChangesNothing) {
  const ComparisonRow row = compare_values(about(20), about(20.3));
  const ComparisonRow scaled = compare_values(about(20e6), about(20.3e6));
  EXPECT_EQ(row.verdict, scaled.verdict);
  EXPECT_NEAR(row.ratio, scaled.ratio, 1e-12);
  EXPECT_NEAR(*row.p, *scaled.p, 1e-9);
  EXPECT_NEAR(row.interval->hi, scaled.interval->hi, 1e-12);
}

TEST(Properties, SwappingSidesMirrorsTheVerdict) {
  for (const double factor : {0.9, 0.98, 1.0, 1.005, 1.0101, 1.02, 1.3}) {
    const ComparisonRow one = compare_values(about(20), {20 * factor, 20.02 * factor, 19.97 * factor});
    const ComparisonRow other = compare_values({20 * factor, 20.02 * factor, 19.97 * factor}, about(20));
    const Verdict mirrored = one.verdict == Verdict::regressed  ? Verdict::improved
                             : one.verdict == Verdict::improved ? Verdict::regressed
                                                                : one.verdict;
    EXPECT_EQ(other.verdict, mirrored) << factor;
    EXPECT_NEAR(one.ratio, 1 / other.ratio, 1e-12);
    EXPECT_NEAR(*one.p, *other.p_improved, 1e-9);
    EXPECT_NEAR(one.interval->lo, 1 / other.interval->hi, 1e-12);
  }
}

TEST(Properties, TheOrderOfProcessesDoesNotMatter) {
  std::vector<double> after = about(20.3), shuffled{after[3], after[0], after[4], after[2], after[1]};
  const ComparisonRow one = compare_values(about(20), after), other = compare_values(about(20), shuffled);
  EXPECT_EQ(one.verdict, other.verdict);
  EXPECT_NEAR(*one.p, *other.p, 1e-12);
}

TEST(Properties, MoreSamplesOfTheSameProcessesAreNotMoreEvidence) {
  Record before = record_of(about(20)), after = record_of(about(20.3));
  const ComparisonRow few = only_row(compare(before, after, Policy{}));
  for (Record* record : {&before, &after})
    for (ProcessSamples& process : record->cases[0].series[0].processes)
      for (int i = 0; i < 9; ++i) process.placements.push_back(process.placements[0]);
  EXPECT_NEAR(*only_row(compare(before, after, Policy{})).p, *few.p, 1e-9);
}

}  // namespace
}  // namespace harness
