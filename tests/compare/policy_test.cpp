// Gates by metric, exact metrics, waivers, and what all of it makes of the exit code.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "harness/compare/gates.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const ComparisonRow& row_named(const Comparison& comparison, const std::string& metric) {
  for (const ComparisonRow& row : comparison.rows)
    if (row.metric == metric) return row;
  throw std::runtime_error("no row " + metric);
}

// A metric that has the same value in every sample of five processes.
Series constant(double value, std::string metric = "peak_memory", std::string unit = "B", int processes = 5) {
  Series series{std::move(metric), std::move(unit), Direction::lower_is_better, {}};
  for (int i = 1; i <= processes; ++i)
    series.processes.push_back({i, std::nullopt, {{{value, value}, 0, 0}}});
  return series;
}

Record with_series(std::vector<Series> series, Gate gate = {}) {
  Record record = record_of({case_of("c", std::move(series))});
  record.cases[0].gate = std::move(gate);
  return record;
}

Gate gate_with(MetricGate one) {
  Gate gate;
  gate.metrics = {std::move(one)};
  return gate;
}

// "margin=1 %;alpha=1 %;"
std::string facts_text(const Comparison& comparison) {
  std::string text;
  for (const PolicyFact& fact : comparison.policy_facts) text += fact.name + "=" + fact.value + ";";
  return text;
}

// One value a process of a metric that is no time.
ComparisonRow compare_counts(const std::vector<double>& before, const std::vector<double>& after,
                             Direction direction = Direction::lower_is_better,
                             const std::string& unit = "1") {
  const auto side = [&](const std::vector<double>& values) {
    Series series{"error", unit, direction, {}};
    int number = 1;
    for (const double value : values) series.processes.push_back({number++, std::nullopt, {{{value}, 0, 0}}});
    return with_series({series});
  };
  return only_row(compare(side(before), side(after), {}));
}

TEST(Zeros, WorseThanAConstantZeroIsRegressedThoughItVaries) {
  const std::vector<double> zeros(5, 0.0), some{0.11, 0.12, 0.13, 0.14, 0.15};
  const ComparisonRow worse = compare_counts(zeros, some), better = compare_counts(some, zeros);
  EXPECT_EQ(worse.verdict, Verdict::regressed) << worse.reason;
  EXPECT_THAT(worse.reason, HasSubstr("0 in all 5 processes of the baseline, 0.11 to 0.15 in 5 processes"));
  EXPECT_EQ(worse.baseline.center, 0);
  EXPECT_NEAR(worse.current.center, 0.1292, 1e-4);
  EXPECT_EQ(better.verdict, Verdict::improved) << better.reason;
  EXPECT_EQ(compare_counts(zeros, some, Direction::higher_is_better).verdict, Verdict::improved);
  EXPECT_EQ(compare_counts(some, zeros, Direction::higher_is_better).verdict, Verdict::regressed);
}

TEST(Zeros, ThatComeAndGoBetweenProcessesAreInconclusiveWithWords) {
  const ComparisonRow row = compare_counts({0, 1, 2, 1, 0}, {0, 2, 2, 3, 0});
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.reason, HasSubstr("no ratio to compare: 0 in 2 of 5 processes of the baseline"));
  EXPECT_THAT(row.advice, Contains(HasSubstr("`informative`")));
  EXPECT_EQ(compare_counts({0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}).verdict, Verdict::inconclusive);
  EXPECT_EQ(compare_counts({0, 0}, {1, 2}).verdict, Verdict::inconclusive) << "too few processes";
}

TEST(Zeros, WithinProcessesLeaveARatioOfMeans) {
  const auto counts = [](double scale) {
    Series series{"retries", "", Direction::lower_is_better, {}};
    for (int i = 1; i <= 5; ++i)
      series.processes.push_back({i, std::nullopt, {{{0, scale * (10000 + i), scale * 10000, 0}, 0, 0}}});
    return with_series({series});
  };
  const ComparisonRow same = only_row(compare(counts(1), counts(1), {}));
  const ComparisonRow more = only_row(compare(counts(1), counts(1.5), {}));
  EXPECT_EQ(same.verdict, Verdict::unchanged) << same.reason;
  EXPECT_EQ(more.verdict, Verdict::regressed) << more.reason;
  EXPECT_NEAR(more.ratio, 1.5, 1e-9);
  EXPECT_NEAR(more.baseline.process_values[0], 5000.25, 1e-6) << "the arithmetic mean, zeros included";
}

TEST(Zeros, OfTimesAndNegativeOrEndlessValuesFail) {
  const std::vector<double> some{1, 2, 3, 4, 5};
  EXPECT_EQ(compare_counts(some, {0, 1, 2, 3, 4}, Direction::lower_is_better, "us").verdict, Verdict::failed);
  EXPECT_EQ(compare_counts(some, {0, -1, 2, 3, 4}).verdict, Verdict::failed);
  EXPECT_EQ(compare_counts(some, {0, INFINITY, 2, 3, 4}).verdict, Verdict::failed);
  EXPECT_EQ(compare_counts({0, -1, 2, 3, 4}, some).verdict, Verdict::missing);
}

TEST(Gates, OfAMetricWinOverTheCasesAndThePolicyOverBoth) {
  const Gate gate{0.02, 0.03, {{"peak_memory", 0.0, {}, false}, {"time", {}, 0.05, false}}};
  EXPECT_EQ(gate_of(gate, "peak_memory", {}).margin, 0);
  EXPECT_EQ(gate_of(gate, "peak_memory", {}).alpha, 0.03);
  EXPECT_EQ(gate_of(gate, "gpu_time", {}).margin, 0.02);
  EXPECT_EQ(gate_of(gate, "gpu_time", {}).alpha, 0.05);
  EXPECT_EQ(gate_of(gate, "wall_time", {}).alpha, 0.05);
  EXPECT_EQ(gate_of(gate, "other", {}).alpha, 0.03);
  Policy policy;
  policy.margin = 0.1;
  EXPECT_EQ(gate_of(gate, "peak_memory", policy).margin, 0.1);
}

TEST(Gates, JudgeEachMetricOfACaseByItsOwn) {
  const Gate gate = gate_with({"wall_time", 0.10, {}, false});
  const Record before = with_series({series_at(about(20)), series_at(about(30), "wall_time")}, gate);
  const Record after = with_series({series_at(about(20.8)), series_at(about(31.2), "wall_time")}, gate);
  const Comparison comparison = compare(before, after, {});
  EXPECT_EQ(row_named(comparison, "gpu_time").verdict, Verdict::regressed);
  EXPECT_EQ(row_named(comparison, "wall_time").verdict, Verdict::unchanged);
  EXPECT_EQ(row_named(comparison, "wall_time").margin, 0.10);
}

TEST(Gates, OfAMetricThatNoCaseHasAreToldWithTheNearestName) {
  Record record = with_series({series_at(about(20))}, gate_with({"gpu_tme", 0.1, {}, false}));
  EXPECT_THAT(compare(record, record, {}).remarks,
              ElementsAre("the gate of the metric `gpu_tme` has no effect: no case has it; did you mean "
                          "`gpu_time`?"));
  record.cases[0].gate.metrics[0].metric = "time";
  EXPECT_THAT(compare(record, record, {}).remarks, IsEmpty());
}

TEST(Informative, RowsAreComparedButDecideNothing) {
  const Gate gate = gate_with({"wall_time", {}, {}, true});
  const Record before = with_series({series_at(about(20)), series_at(about(30), "wall_time")}, gate);
  const Record after = with_series({series_at(about(20)), series_at(about(60), "wall_time")}, gate);
  const Comparison comparison = compare(before, after, {});
  const ComparisonRow& row = row_named(comparison, "wall_time");
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_TRUE(row.informative);
  EXPECT_TRUE(row.p);
  EXPECT_FALSE(row.p_adjusted);
  EXPECT_EQ(comparison.verdict, Verdict::unchanged);
  EXPECT_EQ(exit_code(comparison), 0);
}

TEST(Informative, RowsDoNotJoinTheFamilyOfTheOthers) {
  const Gate gate = gate_with({"wall_time", {}, {}, true});
  Record before = with_series({series_at(about(20))}, gate),
         after = with_series({series_at(about(20.8))}, gate);
  const double alone = *only_row(compare(before, after, {})).p_adjusted;
  for (int i = 0; i < 5; ++i) {
    for (Record* record : {&before, &after}) {
      record->cases.push_back(case_of(fmt::format("x{}", i), {series_at(about(30), "wall_time")}));
      record->cases.back().gate = gate;
    }
  }
  EXPECT_DOUBLE_EQ(*row_named(compare(before, after, {}), "gpu_time").p_adjusted, alone);
  for (Record* record : {&before, &after})
    for (CaseRecord& one : record->cases) one.gate = {};
  EXPECT_DOUBLE_EQ(*row_named(compare(before, after, {}), "gpu_time").p_adjusted, 6 * alone);
}

TEST(Informative, MetricsThatBecameSoAreTold) {
  const Record before = with_series({series_at(about(20))});
  const Record after = with_series({series_at(about(20))}, gate_with({"time", {}, {}, true}));
  const Comparison comparison = compare(before, after, {});
  EXPECT_THAT(comparison.rows[0].advice,
              Contains(HasSubstr("decided in the baseline and is informative now")));
  ASSERT_TRUE(comparison.rows[0].loosened);
  EXPECT_FALSE(hides_regression(comparison.rows[0])) << "nothing moved";
  EXPECT_THAT(facts_text(comparison), HasSubstr("gates loosened=for 1 result since the baseline;"));
}

TEST(Loosened, GatesNameWhatTheBaselinesWouldHaveCalledRegressed) {
  const auto loosened = [](double now, Gate gate) {
    return compare(with_series({series_at(about(20))}), with_series({series_at(about(now))}, std::move(gate)),
                   {});
  };
  const Comparison informative = loosened(24, gate_with({"time", {}, {}, true}));
  EXPECT_TRUE(hides_regression(only_row(informative)));
  EXPECT_THAT(facts_text(informative), HasSubstr("1 of which is regressed by the baseline's gate"));
  EXPECT_TRUE(hides_regression(only_row(loosened(24, gate_with({"time", 0.5, {}, false})))));
  EXPECT_TRUE(hides_regression(only_row(loosened(20.4, gate_with({"time", {}, 1e-9, false})))));
  const Comparison still = loosened(24, gate_with({"time", 0.05, {}, false}));
  EXPECT_TRUE(only_row(still).loosened->regressed);
  EXPECT_FALSE(hides_regression(only_row(still))) << "it is called regressed all the same";
  EXPECT_FALSE(only_row(loosened(24, gate_with({"time", 0.005, {}, false}))).loosened) << "stricter";
}

TEST(Loosened, GatesOfExactMetricsAreJudgedExactly) {
  const Gate loose = gate_with({"peak_memory", 0.5, {}, false});
  EXPECT_TRUE(hides_regression(
      only_row(compare(with_series({constant(1000)}), with_series({constant(1200)}, loose), {}))));
  EXPECT_FALSE(hides_regression(
      only_row(compare(with_series({constant(1000)}), with_series({constant(1005)}, loose), {}))));
}

TEST(Remedy, OfARowIsWhatSettlesIt) {
  const auto remedy_of = [](std::vector<double> before, std::vector<double> after, double session_sd) {
    Policy policy;
    policy.session_sd = session_sd;
    return only_row(compare(record_of(std::move(before)), record_of(std::move(after)), policy)).remedy;
  };
  EXPECT_EQ(remedy_of(about(20), about(20), 0.02), Remedy::session_or_margin);
  EXPECT_EQ(remedy_of({20, 20.1}, about(20), 0.001), Remedy::more_processes);
  EXPECT_EQ(remedy_of({20}, about(20), 0.001), Remedy::more_processes);
  const Record none = record_of(std::vector<CaseRecord>{}), some = record_of(about(20));
  EXPECT_EQ(only_row(compare(none, some, {})).remedy, Remedy::next_baseline);
  EXPECT_EQ(only_row(compare(some, none, {})).remedy, Remedy::restore_case);
}

TEST(Informative, NeverExcusesACaseThatFailedOrIsMissing) {
  const Gate gate = gate_with({"gpu_time", {}, {}, true});
  const Record before = with_series({series_at(about(20))}, gate);
  Record wrong = before;
  wrong.cases[0].outcome = Outcome::incorrect;
  EXPECT_EQ(exit_code(compare(before, wrong, {})), 5);
  EXPECT_EQ(exit_code(compare(before, record_of(std::vector<CaseRecord>{}), {})), 4);
  EXPECT_EQ(exit_code(compare(record_of(std::vector<CaseRecord>{}), before, {})), 4);
}

TEST(Exact, AMetricThatDoesNotVaryIsDecidedByAnyChangeAtMarginZero) {
  const Gate gate = gate_with({"peak_memory", 0.0, {}, false});
  const auto row_of = [&](double before, double after) {
    return only_row(compare(with_series({constant(before)}, gate), with_series({constant(after)}, gate), {}));
  };
  const ComparisonRow worse = row_of(1e9, 1e9 + 1), better = row_of(1e9, 1e9 - 1), same = row_of(1e9, 1e9);
  EXPECT_EQ(worse.verdict, Verdict::regressed);
  EXPECT_EQ(better.verdict, Verdict::improved);
  EXPECT_EQ(same.verdict, Verdict::unchanged);
  EXPECT_THAT(worse.reason, HasSubstr("1000000000 B -> 1000000001 B"));
  EXPECT_THAT(same.reason, HasSubstr("exactly the same: 1000000000 B in every sample"));
  for (const ComparisonRow& row : {worse, better, same}) {
    EXPECT_TRUE(row.exact);
    EXPECT_FALSE(row.p);
    EXPECT_FALSE(row.p_adjusted);
    EXPECT_EQ(row.interval->lo, row.ratio);
    EXPECT_EQ(row.interval->hi, row.ratio);
    EXPECT_EQ(row.baseline.processes, 5);
    EXPECT_THAT(row.advice, IsEmpty());
  }
}

TEST(Exact, WithinTheMarginIsUnchangedAndTheMarginItselfIsWithin) {
  const auto verdict_of = [](double after) {
    return only_row(compare(with_series({constant(1000)}), with_series({constant(after)}), {})).verdict;
  };
  EXPECT_EQ(verdict_of(1010), Verdict::unchanged);
  EXPECT_EQ(verdict_of(1011), Verdict::regressed);
  EXPECT_EQ(verdict_of(991), Verdict::unchanged);
  EXPECT_EQ(verdict_of(980), Verdict::improved);
}

TEST(Exact, IsNotDilutedByTheSpreadBetweenSessionsNorByTheFamily) {
  Policy policy;
  policy.session_sd = 0.5;
  const Record before = with_series({constant(1000), series_at(about(20))});
  const Record after = with_series({constant(1020), series_at(about(20))});
  const Comparison comparison = compare(before, after, policy);
  EXPECT_EQ(row_named(comparison, "peak_memory").verdict, Verdict::regressed);
  EXPECT_DOUBLE_EQ(*row_named(comparison, "gpu_time").p_adjusted, *row_named(comparison, "gpu_time").p);
}

TEST(Exact, HoldsForZeroToo) {
  const auto row_of = [](double before, double after) {
    return only_row(compare(with_series({constant(before)}), with_series({constant(after)}), {}));
  };
  EXPECT_EQ(row_of(0, 0).verdict, Verdict::unchanged);
  EXPECT_EQ(row_of(0, 0).ratio, 1);
  const ComparisonRow grown = row_of(0, 4096), gone = row_of(4096, 0);
  EXPECT_EQ(grown.verdict, Verdict::regressed);
  EXPECT_EQ(gone.verdict, Verdict::improved);
  EXPECT_THAT(grown.reason, HasSubstr("0 B -> 4096 B,"));
  EXPECT_FALSE(grown.interval);
  EXPECT_EQ(row_of(-1, -1).verdict, Verdict::failed) << "a negative value has no ratio";
}

TEST(Exact, NeedsEnoughProcessesToKnowThatNothingVaries) {
  const ComparisonRow row = only_row(compare(with_series({constant(1000, "peak_memory", "B", 2)}),
                                             with_series({constant(2000, "peak_memory", "B", 2)}), {}));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(row.processes_needed, 3);
}

TEST(Exact, IsNotForTimesNorForASideThatVaries) {
  EXPECT_FALSE(only_row(compare(with_series({constant(20, "gpu_time", "us")}),
                                with_series({constant(20, "gpu_time", "us")}), {}))
                   .exact);
  EXPECT_FALSE(only_row(compare(with_series({constant(20)}),
                                with_series({series_at(about(20), "peak_memory", "B")}), {}))
                   .exact);
}

TEST(Exact, HigherIsBetterIsMirrored) {
  const auto verdict_of = [](double before, double after) {
    Series old = constant(before, "bits", "bit"), now = constant(after, "bits", "bit");
    old.direction = now.direction = Direction::higher_is_better;
    return only_row(compare(with_series({old}), with_series({now}), {})).verdict;
  };
  EXPECT_EQ(verdict_of(10, 9), Verdict::regressed);
  EXPECT_EQ(verdict_of(10, 11), Verdict::improved);
  EXPECT_EQ(verdict_of(10, 0), Verdict::regressed);
}

TEST(Margin, OfZeroForATimeSaysThatNothingCanBeUnchanged) {
  const Gate gate = gate_with({"time", 0.0, {}, false});
  const ComparisonRow row = only_row(
      compare(with_series({series_at(about(20))}, gate), with_series({series_at(about(20.001))}, gate), {}));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.advice, Contains(HasSubstr("a margin of 0 % calls nothing that varies unchanged")));
}

Waiver waiver(std::string pattern, double ceiling, std::string expires = "2026-12-31",
              std::string metric = "") {
  return {std::move(pattern),    std::move(metric), ceiling, std::move(expires), "it is known", "#7",
          {"waivers.yaml", 3, 5}};
}

Policy waiving(std::vector<Waiver> waivers, std::string today = "2026-11-20") {
  Policy policy;
  policy.waivers = std::move(waivers);
  policy.waivers_file = "waivers.yaml";
  policy.today = std::move(today);
  return policy;
}

// +4 %, with an interval of about [3.7, 4.4].
Comparison slower(const Policy& policy) {
  return compare(record_of(about(20)), record_of(about(20.8)), policy);
}

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
  EXPECT_THAT(only_row(comparison).advice, Contains(HasSubstr("the far end of the interval")));
  EXPECT_THAT(only_row(comparison).advice, Contains(HasSubstr("waivers.yaml:3")));
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
  EXPECT_THAT(only_row(comparison).advice,
              Contains(HasSubstr("expired on 2026-12-31, so this fails again: fix it, or renew")));
  EXPECT_EQ(exit_code(slower(waiving({waiver("c", 0.06)}, ""))), 1) << "without a date none holds";
}

TEST(Waiver, ThatEndsSoonIsTold) {
  const auto advice_on = [](const char* today) {
    return slower(waiving({waiver("c", 0.06)}, today)).waivers[0].advice;
  };
  EXPECT_THAT(advice_on("2026-12-16"), IsEmpty());
  EXPECT_THAT(advice_on("2026-12-17"), ElementsAre(HasSubstr("expires in 14 days")));
  EXPECT_THAT(advice_on("2026-12-30"), ElementsAre(HasSubstr("expires tomorrow")));
  EXPECT_THAT(advice_on("2026-12-31"), ElementsAre(HasSubstr("expires today")));
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
  EXPECT_THAT(only_row(comparison).advice, Contains(HasSubstr("a change from 0 has no ratio")));
}

std::vector<std::string> advice_for_unused(const Waiver& one, const std::string& today = "2026-11-20",
                                           WaiverUse::State state = WaiverUse::State::unused) {
  Record record = record_of({case_of("gemm/tiled/m=512", {series_at(about(20))})});
  const Comparison comparison = compare(record, record, waiving({one}, today));
  EXPECT_EQ(comparison.waivers[0].state, state);
  return comparison.waivers[0].advice;
}

TEST(Waiver, ThatIsUnusedSaysWhatToDoWithIt) {
  EXPECT_THAT(advice_for_unused(waiver("gemm/*", 0.05)),
              ElementsAre(HasSubstr("unused: nothing that it matches regressed")));
  EXPECT_THAT(advice_for_unused(waiver("gemm/*", 0.05, "2026-01-01")),
              ElementsAre(HasSubstr("expired on 2026-01-01, and nothing needs it: remove it")));
  EXPECT_THAT(advice_for_unused(waiver("gemm/*", 0.01)), ElementsAre(HasSubstr("not above the margin")));
  EXPECT_THAT(advice_for_unused(waiver("gemm/*", 0.05, "2026-12-31", "gpu_tim")),
              ElementsAre("no case that it matches has the metric `gpu_tim`: did you mean `gpu_time`?"));
}

TEST(Waiver, ThatMatchesNoCaseNamesTheNearestPattern) {
  constexpr auto unmatched = WaiverUse::State::unmatched;
  EXPECT_THAT(advice_for_unused(waiver("gemm/tield/*", 0.05), "2026-11-20", unmatched),
              ElementsAre("matches no case here: did you mean `gemm/tiled/*`?"));
  EXPECT_THAT(advice_for_unused(waiver("tiled", 0.05), "2026-11-20", unmatched),
              ElementsAre("matches no case here: did you mean `*tiled*`?"));
  EXPECT_THAT(advice_for_unused(waiver("something/else", 0.05), "2026-11-20", unmatched),
              ElementsAre(HasSubstr("correct the pattern, or remove the waiver")));
  Record part = record_of(about(20));
  part.partial = true;
  EXPECT_THAT(compare(part, part, waiving({waiver("other/*", 0.05)})).waivers[0].advice, IsEmpty());
}

// Every combination of what bears on the exit code, one row of each kind beside an unchanged one.
TEST(ExitCode, IsThatOfTheWorstRowThatDecidesAndIsNotAllowed) {
  enum Kind { improved, regressed, waived, informative, inconclusive, missing, elsewhere, kinds };
  const std::array<double, kinds> centers{19, 21, 20.8, 30, 20, 20, 20};
  for (unsigned mix = 0; mix < (1U << kinds); ++mix) {
    Record before = record_of({case_of("same", {series_at(about(20))})}), after = before;
    const auto has = [&](Kind kind) { return (mix >> kind & 1U) != 0; };
    for (int kind = 0; kind < kinds; ++kind) {
      if (!has(static_cast<Kind>(kind))) continue;
      const std::string id = fmt::format("case{}", kind);
      before.cases.push_back(case_of(id, {series_at(about(20))}));
      if (kind == inconclusive) before.cases.back() = case_of(id, {series_at({20, 20.01})});
      if (kind == missing) continue;
      after.cases.push_back(case_of(id, {series_at(about(centers[static_cast<std::size_t>(kind)]))}));
      if (kind == informative) after.cases.back().gate = gate_with({"time", {}, {}, true});
      if (kind == elsewhere) after.cases.back().sampling.placements = 7;
    }
    Comparison comparison = compare(before, after, waiving({waiver("case2", 0.08)}));
    for (unsigned options = 0; options < 16; ++options) {
      Policy& policy = comparison.policy;
      policy.fail_on_improved = (options & 1U) != 0;
      policy.allow_inconclusive = (options & 2U) != 0;
      policy.allow_missing = (options & 4U) != 0;
      policy.allow_not_comparable = (options & 8U) != 0;
      int expected = 0;
      if (has(inconclusive) && !policy.allow_inconclusive) expected = 3;
      if (has(missing) && !policy.allow_missing) expected = 4;
      if (has(elsewhere) && !policy.allow_not_comparable) expected = 4;
      if (has(improved) && policy.fail_on_improved) expected = 1;
      if (has(regressed)) expected = 1;
      EXPECT_EQ(exit_code(comparison), expected) << "mix " << mix << ", options " << options;
    }
  }
}

TEST(PolicyFacts, SayWhereEachValueCameFrom) {
  const auto facts_of = [](const Policy& policy, const Record& record) {
    std::vector<std::string> lines;
    for (const PolicyFact& fact : compare(record, record, policy).policy_facts)
      lines.push_back(fmt::format("{} {} ({})", fact.name, fact.value, fact.source));
    return lines;
  };
  Record record = record_of(about(20));
  record.suite.file = "suites/a.yaml";
  EXPECT_THAT(
      facts_of({}, record),
      ElementsAre("margin 1 % (default)", "alpha 1 % (default)", "processes 3 a side at the least (default)",
                  "sessions differ by 0.1 % (default)", "allowed nothing (default)",
                  "improvements pass (default)", "waivers none (default)"));
  record.cases[0].gate = Gate{0.005, 0.01, {{"time", {}, {}, true}}};
  Policy policy = waiving({waiver("c", 0.06), waiver("*", 0.06, "2026-01-01")});
  policy.alpha = 0.05;
  policy.allow_missing = policy.fail_on_improved = policy.allow_other_device = true;
  policy.session_sd = 0.002;
  EXPECT_THAT(
      facts_of(policy, record),
      ElementsAre("margin 0.5 % (suite suites/a.yaml)", "alpha 5 % (command line)",
                  "informative gpu_time (suite suites/a.yaml)", "processes 3 a side at the least (default)",
                  "sessions differ by 0.2 % (calibration)", "other device allowed, adds 0.3 % (command line)",
                  "allowed missing (command line)", "improvements fail: the baseline is stale (command line)",
                  "waivers 2 unused (waivers.yaml)"));
}

}  // namespace
}  // namespace harness
