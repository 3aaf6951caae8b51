// The cases that a waiver covers, how long, and waivers that cover nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts.h"
#include "policies.h"

namespace harness {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Waiver, CoversARegressionWhoseWholeIntervalIsWithinItsCeiling) {
  const Comparison comparison = slower(waiving({waiver("c", 0.06)}));
  const ComparisonRow& row = only_row(comparison);
  EXPECT_EQ(row.verdict, Verdict::regressed) << "it is shown as what it is";
  ASSERT_TRUE(row.waiver);
  EXPECT_EQ(row.waiver->reason, "it is known");
  EXPECT_EQ(comparison.verdict, Verdict::unchanged);
  EXPECT_EQ(verdict_without_waivers(comparison.rows), Verdict::regressed) << "it must not become a baseline";
  EXPECT_EQ(exit_code(comparison), 0);
  ASSERT_EQ(comparison.waivers.size(), 1u);
  EXPECT_EQ(comparison.waivers[0].state, WaiverUse::State::holds);
  EXPECT_EQ(comparison.waivers[0].waived, 1);
  EXPECT_THAT(comparison.waivers[0].advice, IsEmpty());
}

TEST(Waiver, HoldsTheBoundAndNotTheEstimateAgainstItsCeiling) {
  const double bound = only_row(slower({})).interval->hi - 1;
  ASSERT_GT(bound, 0.04);
  EXPECT_TRUE(only_row(slower(waiving({waiver("c", bound)}))).waiver);
  const Comparison comparison = slower(waiving({waiver("c", bound - 1e-6)}));
  EXPECT_FALSE(only_row(comparison).waiver);
  EXPECT_EQ(exit_code(comparison), 1);
  EXPECT_EQ(comparison.waivers[0].state, WaiverUse::State::exceeded);
  EXPECT_EQ(comparison.waivers[0].refused, 1);
  EXPECT_THAT(only_row(comparison).diagnostics,
              Contains(fact(DiagnosticCode::waiver_exceeded,
                            {{"file", "waivers.yaml"}, {"line", 3}, {"worst", bound}})));
}

TEST(Waiver, CoversAnUndecidedResultOnlyWhereItSaysSo) {
  const std::vector<double> noisy{20, 21, 20.2, 20.9, 20.4};
  const auto judged = [&](const Policy& policy) {
    return compare(record_of(noisy), record_of({20.5, 21.2, 20.1, 20.6, 20.9}), policy);
  };
  Waiver silent = waiver("c", 0.09), spoken = silent;
  spoken.undecided = true;
  ASSERT_EQ(only_row(judged({})).verdict, Verdict::inconclusive);
  const double bound = only_row(judged({})).interval->hi - 1;
  ASSERT_LT(bound, 0.09);
  EXPECT_EQ(exit_code(judged(waiving({silent}))), 3);
  const Comparison covered = judged(waiving({spoken}));
  EXPECT_EQ(exit_code(covered), 0);
  EXPECT_EQ(only_row(covered).verdict, Verdict::inconclusive) << "it is shown as what it is";
  EXPECT_EQ(verdict_without_waivers(covered.rows), Verdict::inconclusive);
  EXPECT_EQ(covered.waivers[0].waived, 1);
  spoken.ceiling = bound - 1e-6;
  EXPECT_EQ(exit_code(judged(waiving({spoken}))), 3);
  EXPECT_TRUE(only_row(slower(waiving({[] {
                Waiver both = waiver("c", 0.06);
                both.undecided = true;
                return both;
              }()})))
                  .waiver)
      << "and a regression, too";
}

TEST(Waiver, ThatTheChangeProposesCountsOnlyWhereThePolicyAcceptsIt) {
  Waiver own = waiver("c", 0.06);
  own.proposed = true;
  Policy policy = waiving({own});
  const Comparison comparison = slower(policy);
  EXPECT_EQ(exit_code(comparison), 1);
  EXPECT_EQ(comparison.waivers[0].state, WaiverUse::State::proposed);
  EXPECT_THAT(comparison.waivers[0].advice, ElementsAre(fact(WaiverAdviceCode::proposed, {{"results", 1}})));
  EXPECT_THAT(policy_fact(comparison, PolicyCode::proposed).value,
              fact(PolicyCode::proposed, {{"gates", 0}, {"waivers", 1}, {"accepted", 0}}));
  policy.accept_proposed = true;
  EXPECT_EQ(exit_code(slower(policy)), 0);
  EXPECT_EQ(slower(policy).waivers[0].state, WaiverUse::State::holds);
  // A wider one that the change proposes does not stand in front of one that counts.
  policy = waiving({waiver("*", 0.06), own});
  EXPECT_EQ(exit_code(slower(policy)), 0);
}

TEST(Waiver, MirrorsItsCeilingForHigherIsBetter) {
  const auto make = [](double center) {
    return record_of({case_of("c", {series_at(about(center), "rate", "GB/s", Direction::higher_is_better)})});
  };
  const double bound = 1 / only_row(compare(make(100), make(96), {})).interval->lo - 1;
  EXPECT_GT(bound, 0.04);
  EXPECT_TRUE(only_row(compare(make(100), make(96), waiving({waiver("c", bound + 1e-9)}))).waiver);
  EXPECT_FALSE(only_row(compare(make(100), make(96), waiving({waiver("c", bound - 1e-6)}))).waiver);
}

TEST(Waiver, HoldsOnItsLastDayAndFailsAgainOnTheNext) {
  EXPECT_EQ(exit_code(slower(waiving({waiver("c", 0.06)}, "2026-12-31"))), 0);
  const Comparison comparison = slower(waiving({waiver("c", 0.06)}, "2027-01-01"));
  EXPECT_EQ(exit_code(comparison), 1);
  EXPECT_EQ(comparison.waivers[0].state, WaiverUse::State::expired);
  EXPECT_THAT(only_row(comparison).diagnostics,
              Contains(fact(DiagnosticCode::waiver_expired, {{"expires", "2026-12-31"}, {"issue", "#7"}})));
  EXPECT_EQ(exit_code(slower(waiving({waiver("c", 0.06)}, ""))), 1) << "without a date none holds";
}

TEST(Waiver, ThatEndsSoonIsTold) {
  const auto advice_on = [](const char* today) {
    return slower(waiving({waiver("c", 0.06)}, today)).waivers[0].advice;
  };
  EXPECT_THAT(advice_on("2026-12-16"), IsEmpty());
  EXPECT_THAT(advice_on("2026-12-17"), ElementsAre(fact(WaiverAdviceCode::expires_soon, {{"days", 14}})));
  EXPECT_THAT(advice_on("2026-12-30"), ElementsAre(fact(WaiverAdviceCode::expires_soon, {{"days", 1}})));
  EXPECT_THAT(advice_on("2026-12-31"), ElementsAre(fact(WaiverAdviceCode::expires_soon, {{"days", 0}})));
}

TEST(Waiver, OfAnotherCaseOrMetricDoesNotCover) {
  EXPECT_EQ(exit_code(slower(waiving({waiver("d", 0.06)}))), 1);
  EXPECT_EQ(exit_code(slower(waiving({waiver("c", 0.06, "2026-12-31", "wall_time")}))), 1);
  EXPECT_EQ(exit_code(slower(waiving({waiver("c", 0.06, "2026-12-31", "gpu_time")}))), 0);
  EXPECT_EQ(exit_code(slower(waiving({waiver("?", 0.06, "2026-12-31", "time")}))), 0);
}

TEST(Waiver, TheNarrowestDecidesAlone) {
  const Waiver wide = waiver("*", 0.09), narrow = waiver("c", 0.06), tight = waiver("c", 0.02),
               timed = waiver("*", 0.02, "2026-12-31", "time"), old = waiver("c", 0.06, "2026-01-01");
  for (const auto& [waivers, status] : std::vector<std::pair<std::vector<Waiver>, int>>{{{wide, narrow}, 0},
                                                                                        {{wide, tight}, 1},
                                                                                        {{tight, wide}, 1},
                                                                                        {{narrow, timed}, 1},
                                                                                        {{wide, old}, 1}})
    EXPECT_EQ(exit_code(slower(waiving(waivers))), status) << waivers[0].pattern << " " << waivers[1].ceiling;
  const Comparison comparison = slower(waiving({wide, narrow}));
  EXPECT_EQ(comparison.waivers[0].state, WaiverUse::State::unused);
  EXPECT_EQ(comparison.waivers[1].state, WaiverUse::State::holds);
}

TEST(Waiver, NeverCoversAnythingButARegression) {
  Record wrong = record_of(about(20));
  wrong.cases[0].outcome = Outcome::incorrect;
  const Policy policy = waiving({waiver("*", 0.9)});
  EXPECT_EQ(exit_code(compare(record_of(about(20)), wrong, policy)), 5);
  EXPECT_EQ(exit_code(compare(record_of(about(20)), record_of(std::vector<CaseRecord>{}), policy)), 4);
  EXPECT_EQ(exit_code(compare(record_of({20.0, 20.1}), record_of({30.0, 30.1}), policy)), 3);
}

TEST(Waiver, CannotHoldAChangeFromNothing) {
  const Comparison comparison =
      compare(with_series({constant(0)}), with_series({constant(1)}), waiving({waiver("c", 0.9)}));
  EXPECT_EQ(exit_code(comparison), 1);
  EXPECT_THAT(only_row(comparison).diagnostics, Contains(coded(DiagnosticCode::waiver_no_ratio)));
}

std::vector<WaiverAdvice> advice_for_unused(const Waiver& one, const std::string& today = "2026-11-20",
                                            WaiverUse::State state = WaiverUse::State::unused) {
  Record record = record_of({case_of("gemm/tiled/m=512", {series_at(about(20))})});
  const Comparison comparison = compare(record, record, waiving({one}, today));
  EXPECT_EQ(comparison.waivers[0].state, state);
  return comparison.waivers[0].advice;
}

TEST(Waiver, ThatIsUnusedSaysWhatToDoWithIt) {
  EXPECT_THAT(advice_for_unused(waiver("gemm/*", 0.05)), ElementsAre(coded(WaiverAdviceCode::unused)));
  EXPECT_THAT(advice_for_unused(waiver("gemm/*", 0.05, "2026-01-01")),
              ElementsAre(fact(WaiverAdviceCode::expired_unused, {{"expires", "2026-01-01"}})));
  EXPECT_THAT(advice_for_unused(waiver("gemm/*", 0.01)), ElementsAre(coded(WaiverAdviceCode::no_room)));
  EXPECT_THAT(
      advice_for_unused(waiver("gemm/*", 0.05, "2026-12-31", "gpu_tim")),
      ElementsAre(fact(WaiverAdviceCode::no_such_metric, {{"metric", "gpu_tim"}, {"near", "gpu_time"}})));
}

TEST(Waiver, ThatMatchesNoCaseNamesTheNearestPattern) {
  constexpr auto unmatched = WaiverUse::State::unmatched;
  EXPECT_THAT(advice_for_unused(waiver("gemm/tield/*", 0.05), "2026-11-20", unmatched),
              ElementsAre(fact(WaiverAdviceCode::matches_nothing, {{"pattern", "gemm/tiled/*"}})));
  EXPECT_THAT(advice_for_unused(waiver("tiled", 0.05), "2026-11-20", unmatched),
              ElementsAre(fact(WaiverAdviceCode::matches_nothing, {{"pattern", "*tiled*"}})));
  EXPECT_THAT(advice_for_unused(waiver("something/else", 0.05), "2026-11-20", unmatched),
              ElementsAre(WaiverAdvice{WaiverAdviceCode::matches_nothing}));
  Record part = record_of(about(20));
  part.partial = true;
  EXPECT_THAT(compare(part, part, waiving({waiver("other/*", 0.05)})).waivers[0].advice, IsEmpty());
}

}  // namespace
}  // namespace harness
