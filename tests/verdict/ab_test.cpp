// Two records of one A/B run: what is paired with what, and what such a record must not be compared with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "facts.h"
#include "harness/stats/hypothesis/paired.h"
#include "harness/stats/hypothesis/power.h"
#include "harness/stats/hypothesis/welch.h"
#include "harness/verdict/check/comparable.h"
#include "harness/verdict/explain.h"
#include "policies.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Not;

Record paired(std::vector<CaseRecord> cases, Pairing::Kind kind, const std::string& id = "run-1") {
  Record record = record_of(std::move(cases));
  record.pairing = Pairing{id, kind};
  return record;
}

Record paired(const std::vector<double>& values, Pairing::Kind kind, const std::string& id = "run-1") {
  return paired({case_of("c", {series_at(values)})}, kind, id);
}

// Processes that differ by 4 %, far more than the builds do.
const std::vector<double> before{100, 104, 98, 102, 96};
std::vector<double> times(double factor,
                          const std::vector<double>& noise = {1.0003, 0.9998, 1.0001, 0.9999, 1}) {
  std::vector<double> values = before;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factor * noise[i];
  return values;
}

double log_of(double value) {
  return std::log(value);
}

TEST(Ab, InOneProcessTestsTheLogRatiosOfTheProcesses) {
  const Comparison comparison =
      compare(paired(before, Pairing::Kind::process), paired(times(1.02), Pairing::Kind::process), Policy{});
  const ComparisonRow& row = only_row(comparison);
  EXPECT_EQ(comparison.pairing, Pairing::Kind::process);
  std::vector<double> one(before), other = times(1.02);
  for (auto* values : {&one, &other}) std::transform(values->begin(), values->end(), values->begin(), log_of);
  const auto test = stats::paired(one, other);
  ASSERT_TRUE(test);
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_NEAR(row.ratio, std::exp(test->difference), 1e-12);
  EXPECT_DOUBLE_EQ(row.degrees_of_freedom, 4);
  EXPECT_NEAR(*row.p, test->p_above(std::log1p(0.01)), 1e-12);
  EXPECT_NEAR(*row.p_improved, test->p_below(-std::log1p(0.01)), 1e-12);
  EXPECT_NEAR(row.interval->lo, std::exp(test->interval(0.90).lo), 1e-12);
  EXPECT_NEAR(row.interval->hi, std::exp(test->interval(0.90).hi), 1e-12);
  const stats::DetectableShift shift(0.01, 0.8);
  EXPECT_NEAR(*row.minimum_detectable, std::expm1(stats::minimum_detectable(*test, std::log1p(0.01), shift)),
              1e-9);
  // The same numbers from processes of their own say nothing.
  EXPECT_EQ(only_row(compare(record_of(before), record_of(times(1.02)), Policy{})).verdict,
            Verdict::inconclusive);
}

// So many processes of one build, beside a load that doubles all times now and then, for some processes long.
std::vector<double> beside_load(std::size_t processes, double factor) {
  std::vector<double> values;
  for (std::size_t i = 0; i < processes; ++i) {
    const double load = i / 3 % 2 == 0 ? 1 : 2;
    const double noise = (i * 7 % 5 < 2 ? 1.004 : 0.997);
    values.push_back(50 * load * factor * (factor > 1 ? noise : 1));
  }
  return values;
}

TEST(Ab, InTurnTestsPairsFromTwentyOn) {
  for (const std::size_t pairs : {19, 20}) {
    const Record one = paired(beside_load(pairs, 1), Pairing::Kind::session);
    const Record other = paired(beside_load(pairs, 1.1), Pairing::Kind::session);
    const ComparisonRow row = only_row(compare(one, other, Policy{}));
    EXPECT_EQ(row.verdict, pairs < 20 ? Verdict::inconclusive : Verdict::regressed) << pairs;
    std::vector<double> before = beside_load(pairs, 1), after = beside_load(pairs, 1.1);
    for (auto* values : {&before, &after})
      std::transform(values->begin(), values->end(), values->begin(), log_of);
    const auto test = pairs < 20 ? stats::welch(before, after) : stats::paired(before, after);
    ASSERT_TRUE(test);
    EXPECT_NEAR(*row.p, test->p_above(std::log1p(0.01)), 1e-12);
    EXPECT_NEAR(row.interval->lo, std::exp(test->interval(0.90).lo), 1e-12);
    const Retelling told = explain(one, other, Policy{}, "*", "");
    ASSERT_EQ(told.rows.size(), 1u);
    EXPECT_EQ(told.rows[0].test->in_turn, pairs == 20);
  }
}

TEST(Ab, InTurnPairsByNumberAndNotByPlace) {
  Record one = paired(beside_load(21, 1), Pairing::Kind::session);
  Record other = paired(beside_load(21, 1.1), Pairing::Kind::session);
  one.cases[0].series[0].processes.erase(one.cases[0].series[0].processes.begin());  // the first start failed
  EXPECT_EQ(only_row(compare(one, other, Policy{})).verdict, Verdict::regressed);
}

TEST(Ab, SwapsSidesBySign) {
  const Record one = paired(before, Pairing::Kind::process),
               other = paired(times(1.02), Pairing::Kind::process);
  const ComparisonRow there = only_row(compare(one, other, Policy{}));
  const ComparisonRow back = only_row(compare(other, one, Policy{}));
  EXPECT_EQ(back.verdict, Verdict::improved);
  EXPECT_NEAR(there.ratio * back.ratio, 1, 1e-12);
  EXPECT_NEAR(*there.p, *back.p_improved, 1e-12);
}

TEST(Ab, PairsProcessesByTheirNumbers) {
  Record one = paired(before, Pairing::Kind::process), other = paired(times(1.02), Pairing::Kind::process);
  std::vector<ProcessSamples>& processes = one.cases[0].series[0].processes;
  processes.erase(processes.begin() + 1);  // process 2 is missing on one side
  const ComparisonRow row = only_row(compare(one, other, Policy{}));
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_DOUBLE_EQ(row.degrees_of_freedom, 3);
  EXPECT_NEAR(row.ratio, 1.02, 0.0005);
}

TEST(Ab, NeedsProcessesThatMeasuredBothSides) {
  Record one = paired(before, Pairing::Kind::process), other = paired(times(1.02), Pairing::Kind::process);
  std::vector<ProcessSamples>& processes = one.cases[0].series[0].processes;
  processes.resize(2);
  const ComparisonRow two = only_row(compare(one, other, Policy{}));
  EXPECT_EQ(two.verdict, Verdict::inconclusive);
  EXPECT_THAT(two.reason, fact(ReasonCode::too_few_shared, {{"shared", 2}, {"needed", 3}}));
  processes[0].process = 11;
  const ComparisonRow none = only_row(compare(one, other, Policy{}));
  EXPECT_EQ(none.verdict, Verdict::inconclusive);
  EXPECT_THAT(none.reason, fact(ReasonCode::untestable_shared, {{"shared", 1}}));
}

TEST(Ab, PlansMorePairsByTheSpreadOfTheRatios) {
  const std::vector<double> noise{1.014, 0.986, 1.010, 0.990, 1};
  const ComparisonRow row = only_row(compare(paired(before, Pairing::Kind::process),
                                             paired(times(1.0, noise), Pairing::Kind::process), Policy{}));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  ASSERT_TRUE(row.processes_needed);
  EXPECT_LE(*row.processes_needed, 20);  // 4 % between processes would need dozens
}

TEST(Ab, InTurnsIsWelchWithoutAVarianceBetweenSessions) {
  const std::vector<double> one = about(100), other = about(101.2);
  const ComparisonRow row =
      only_row(compare(paired(one, Pairing::Kind::session), paired(other, Pairing::Kind::session), Policy{}));
  Policy without;
  without.session_sd = 0;
  const ComparisonRow plain = only_row(compare(record_of(one), record_of(other), without));
  EXPECT_DOUBLE_EQ(*row.p, *plain.p);
  EXPECT_DOUBLE_EQ(row.degrees_of_freedom, plain.degrees_of_freedom);
  EXPECT_LT(*row.p, *only_row(compare(record_of(one), record_of(other), Policy{})).p);
}

TEST(Ab, TurnsOfAnotherRunAreOrdinaryRecords) {
  const Record one = paired(about(100), Pairing::Kind::session, "run-1");
  const Record other = paired(about(101.2), Pairing::Kind::session, "run-2");
  const Comparison comparison = compare(one, other, Policy{});
  EXPECT_FALSE(comparison.pairing);
  EXPECT_DOUBLE_EQ(*only_row(comparison).p,
                   *only_row(compare(record_of(about(100)), record_of(about(101.2)), Policy{})).p);
}

TEST(Ab, ASharedProcessComparesWithItsPartnerAlone) {
  const Record shared = paired(about(100), Pairing::Kind::process);
  for (const Record& other : {record_of(about(100)), paired(about(100), Pairing::Kind::process, "run-2"),
                              paired(about(100), Pairing::Kind::session, "run-1")}) {
    const ComparisonRow row = only_row(compare(other, shared, Policy{}));
    EXPECT_EQ(row.verdict, Verdict::not_comparable);
    EXPECT_EQ(row.reason.code, ReasonCode::other_pairing);
  }
  EXPECT_THAT(only_row(compare(shared, record_of(about(100)), Policy{})).reason,
              fact(ReasonCode::other_pairing, {{"side", "baseline"}}));
}

TEST(Ab, SaysHowItWasMeasured) {
  const auto told = [](Pairing::Kind kind) {
    return policy_fact(compare(paired(before, kind), paired(before, kind), Policy{}), PolicyCode::paired)
        .value;
  };
  EXPECT_THAT(told(Pairing::Kind::process), fact(PolicyCode::paired, {{"shared", 1}}));
  EXPECT_THAT(told(Pairing::Kind::session), fact(PolicyCode::paired, {{"shared", 0}}));
}

TEST(Ab, IsSilentAboutWhatPairingCancels) {
  std::vector<double> drifting;
  for (int i = 0; i < 12; ++i) drifting.push_back(100 + 2 * i);
  const auto diagnostics = [&](auto&& record) {
    Record one = record(drifting), other = record(drifting);
    for (Record* each : {&one, &other})
      for (ProcessSamples& process : each->cases[0].series[0].processes)
        process.placements[0].started = 1'000'000 + 60 * process.process;
    return only_row(compare(one, other, Policy{})).diagnostics;
  };
  const auto correlated = Contains(coded(DiagnosticCode::correlated));
  const auto drift = Contains(coded(DiagnosticCode::drift));
  const auto alone = diagnostics([](const std::vector<double>& values) { return record_of(values); });
  ASSERT_THAT(alone, testing::AnyOf(correlated, drift));
  for (const Pairing::Kind kind : {Pairing::Kind::session, Pairing::Kind::process}) {
    const auto together =
        diagnostics([&](const std::vector<double>& values) { return paired(values, kind); });
    EXPECT_THAT(together, AllOf(Not(correlated), Not(drift)));
  }
}

TEST(Ab, ANewCaseThatWasLeftOutIsNewAndNotSkipped) {
  CaseRecord added = case_of("added", {});
  added.outcome = Outcome::skipped;
  added.reason = Cause{CauseCode::only_one_build};
  Record one = paired(before, Pairing::Kind::process), other = paired(times(1), Pairing::Kind::process);
  other.cases.push_back(added);
  const Comparison comparison = compare(one, other, Policy{});
  ASSERT_EQ(comparison.rows.size(), 2U);
  EXPECT_EQ(comparison.rows[0].verdict, Verdict::missing);
  EXPECT_EQ(comparison.rows[0].reason.code, ReasonCode::unpaired_case);
}

TEST(Ab, IsRetoldAsWhatItWas) {
  const Retelling told = explain(paired(before, Pairing::Kind::process),
                                 paired(times(1.02), Pairing::Kind::process), Policy{}, "*", "");
  ASSERT_EQ(told.rows.size(), 1U);
  ASSERT_TRUE(told.rows[0].test);
  EXPECT_EQ(told.rows[0].test->differences, 5U);
  EXPECT_NEAR(told.rows[0].test->standard_error, told.rows[0].test->difference_sd / std::sqrt(5.0), 1e-15);
}

}  // namespace
}  // namespace harness
