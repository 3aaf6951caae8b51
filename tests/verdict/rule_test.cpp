// The rule: passing by non-inferiority, moderated variances, pooled baselines, slow calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts.h"
#include "harness/verdict/explain.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;
using testing::Not;

Policy one_session() {
  Policy policy;
  policy.session_sd = 0;
  return policy;
}

std::vector<double> spread_about(double center, double sd, int count = 5) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i)
    values.push_back(center *
                     std::exp(sd * (i - (count - 1) / 2.0) / std::sqrt((count * count + count) / 12.0)));
  return values;
}

// A suite of `cases` cases, the first with `first` and the others with `sd` between processes.
Record suite(int cases, double first, double sd, double center = 20, int processes = 5) {
  std::vector<CaseRecord> all;
  for (int i = 0; i < cases; ++i)
    all.push_back(case_of("case " + std::to_string(i),
                          {series_at(spread_about(i == 0 ? center : 20 + 0.1 * i,
                                                  i == 0 ? first : sd * (1 + 0.02 * i), processes))}));
  return record_of(std::move(all));
}

const ComparisonRow& first_case(const Comparison& comparison) {
  for (const ComparisonRow& row : comparison.rows)
    if (row.case_id == "case 0") return row;
  throw std::runtime_error("no case 0");
}

TestEvidence test_of_first(const Record& before, const Record& after) {
  return *explain(before, after, one_session(), "case 0").rows.at(0).test;
}

TEST(Passing, NeedsTheUpperBoundAlone) {
  // 3 % better, but so noisy that neither "better" nor "inside the margin" can be shown.
  const ComparisonRow row = only_row(
      compare(record_of(spread_about(20, 0.02)), record_of(spread_about(19.4, 0.02)), one_session()));
  EXPECT_EQ(row.verdict, Verdict::not_worse) << name_of(row.reason.code);
  EXPECT_EQ(row.reason.code, ReasonCode::not_worse);
  EXPECT_LT(*row.p_passes, passing_alpha);
  EXPECT_LT(row.interval->hi, 1.01);
  EXPECT_LT(row.interval->lo, 0.99);
}

TEST(Passing, IsUnchangedWhereTheLowerBoundIsInsideToo) {
  const ComparisonRow row = only_row(compare(record_of(about(20)), record_of(about(20)), one_session()));
  EXPECT_EQ(row.verdict, Verdict::unchanged);
  EXPECT_EQ(row.reason.code, ReasonCode::within);
}

TEST(Passing, HasALevelOfItsOwn) {
  const Record before = record_of(about(20)), after = record_of(about(20 * 1.0085));
  Policy strict = one_session();
  strict.alpha = 1e-6;
  const ComparisonRow row = only_row(compare(before, after, strict));
  EXPECT_EQ(*row.p_passes, *only_row(compare(before, after, one_session())).p_passes);
  EXPECT_EQ(is_pass(row.verdict), *row.p_passes < passing_alpha);
}

TEST(Moderation, LendsDegreesOfFreedomFromTheOtherCases) {
  const Record before = suite(12, 0.003, 0.003), after = suite(12, 0.003, 0.003);
  const TestEvidence test = test_of_first(before, after);
  ASSERT_TRUE(test.moderation);
  EXPECT_FALSE(test.moderation->noisier);
  EXPECT_NEAR(test.moderation->own_freedom, 8, 1e-6);
  EXPECT_GT(test.moderation->usual_freedom, 10);
  EXPECT_NEAR(test.degrees_of_freedom, 8 + test.moderation->usual_freedom, 1e-6);
}

TEST(Moderation, DrawsAVarianceThatHappensToBeSmallTowardsTheUsualOne) {
  const TestEvidence test = test_of_first(suite(12, 0.0005, 0.003), suite(12, 0.0005, 0.003));
  EXPECT_GT(test.moderation->sd, 2 * test.moderation->own_sd);
  EXPECT_LT(test.moderation->sd, test.moderation->usual_sd);
}

TEST(Moderation, LeavesACaseAloneThatIsNoisierThanItsLike) {
  const Record before = suite(12, 0.03, 0.003), after = suite(12, 0.03, 0.003);
  const Comparison comparison = compare(before, after, one_session());
  const ComparisonRow& row = first_case(comparison);
  EXPECT_NEAR(row.degrees_of_freedom, 8, 1e-6);
  EXPECT_THAT(row.diagnostics, Contains(coded(DiagnosticCode::noisier)));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  for (const ComparisonRow& other : comparison.rows)
    if (other.case_id != "case 0") {
      EXPECT_THAT(other.diagnostics, Not(Contains(coded(DiagnosticCode::noisier))));
    }
}

TEST(Moderation, IsNotMadeWithTooFewCases) {
  EXPECT_FALSE(test_of_first(suite(2, 0.003, 0.003), suite(2, 0.003, 0.003)).moderation);
}

TEST(Moderation, KnowsNothingOfOtherMetrics) {
  Record before = suite(12, 0.003, 0.003), after = before;
  for (Record* record : {&before, &after}) record->cases[0].series[0].metric = "launch_time";
  EXPECT_FALSE(test_of_first(before, after).moderation);
}

TEST(Moderation, WorksOnRatiosWhereBuildsSharedTheProcesses) {
  Record before = suite(12, 0.003, 0.003), after = suite(12, 0.002, 0.001, 20.01);
  before.pairing = after.pairing = Pairing{"run", Pairing::Kind::process};
  const TestEvidence test = test_of_first(before, after);
  ASSERT_TRUE(test.moderation);
  EXPECT_GT(test.degrees_of_freedom, 4.5);
}

TEST(Moderation, TakesTheCasesOwnHistoryWhereThePolicyKnowsIt) {
  Policy policy = one_session();
  LearnedSpread learned;
  learned.case_id = "case 0";
  learned.metric = "gpu_time";
  learned.process_sd = 0.002;
  learned.process_freedom = 30;
  policy.learned = {learned};
  const Record before = suite(12, 0.003, 0.003);
  const TestEvidence test = *explain(before, before, policy, "case 0").rows.at(0).test;
  EXPECT_DOUBLE_EQ(test.moderation->usual_sd, 0.002);
  EXPECT_NEAR(test.degrees_of_freedom, 38, 1e-6);
}

// A run that measures only what changed is told by the baseline what is usual.
TEST(Moderation, LearnsFromBaselineCasesThatWereNotMeasuredAgain) {
  const Record before = suite(12, 0.003, 0.003);
  Record after = before;
  for (std::size_t i = 1; i < after.cases.size(); ++i) {
    after.cases[i].series.clear();
    after.cases[i].outcome = Outcome::skipped;
  }
  const TestEvidence test = test_of_first(before, after);
  ASSERT_TRUE(test.moderation);
  EXPECT_GT(test.moderation->usual_freedom, 4);
}

// The usual variance comes from the first look, so that later processes do not change its result.
TEST(Moderation, OfTheFirstLookStaysAsItIs) {
  Record before = suite(12, 0.003, 0.003, 20, 20), first = suite(12, 0.003, 0.003), later = first;
  for (std::size_t i = 0; i < later.cases.size(); ++i)
    for (int process = 6; process <= 10; ++process)
      later.cases[i].series[0].processes.push_back(process_at(process, 25));
  for (Record* record : {&before, &first, &later})
    for (CaseRecord& one : record->cases) one.gate.looks = {5, 10, 20};
  const TestEvidence at_first = test_of_first(before, first), after_all = test_of_first(before, later);
  EXPECT_EQ(at_first.looks.at(0).p_worse, after_all.looks.at(0).p_worse);
  EXPECT_EQ(at_first.looks.at(0).p_passes, after_all.looks.at(0).p_passes);
}

// Four sessions of five processes each, whose levels differ by these logs.
Record pooled(const std::vector<double>& offsets, double sd) {
  Record record = record_of(std::vector<double>{});
  int process = 0, session = 0;
  for (const double offset : offsets) {
    ++session;
    for (const double value : spread_about(20 * std::exp(offset), sd)) {
      record.cases[0].series[0].processes.push_back(process_at(++process, value));
      record.cases[0].series[0].processes.back().session = session;
    }
  }
  return record;
}

TEST(PooledBaseline, TakesTheSpreadWithinSessionsAndAddsTheSessionsVariance) {
  Policy policy;
  policy.session_sd = 0.001;
  const Record alike = pooled({0, 0, 0, 0}, 0.002);
  const TestEvidence test = *explain(alike, record_of(spread_about(20, 0.002)), policy, "c").rows.at(0).test;
  // No session differs, which draws the usual variance down: 4 of 4 + 3 degrees of freedom are left of it.
  const double session = 0.001 * 0.001 * 4 / 7;
  EXPECT_NEAR(test.known_variance, session * (4 * 0.25 * 0.25 + 1), 1e-12);
  EXPECT_NEAR(test.standard_error, std::sqrt(0.002 * 0.002 * (1 / 20.0 + 1 / 5.0) + test.known_variance),
              1e-6);
}

TEST(PooledBaseline, LearnsFromItsSessionsHowMuchTheyDiffer) {
  const Record apart = pooled({-0.006, -0.002, 0.002, 0.006}, 0.002);
  const Record now = record_of(spread_about(20.2, 0.002));
  const TestEvidence test = *explain(apart, now, {}, "c").rows.at(0).test;
  EXPECT_GT(test.known_variance, 0.003 * 0.003);
  const ComparisonRow row = only_row(compare(apart, now, {}));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);  // +1 % where sessions differ by 0.5 %
  Record one = apart;
  for (ProcessSamples& process : one.cases[0].series[0].processes) process.session = 0;
  EXPECT_LT(explain(one, now, {}, "c").rows.at(0).test->known_variance, 0.001 * 0.001);
}

// Two sides of so many processes each, drawn from the same sd.
std::pair<Record, Record> drawn(int processes, double change, double sd, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, sd);
  std::pair<std::vector<double>, std::vector<double>> sides;
  for (int i = 0; i < processes; ++i) {
    sides.first.push_back(20 * std::exp(noise(random)));
    sides.second.push_back(20 * std::exp(change + noise(random)));
  }
  return {record_of(sides.first), record_of(sides.second)};
}

// As many processes as are advised decide the case, if its estimates are the truth.
TEST(Advice, OfSoManyProcessesSettlesTheCase) {
  std::mt19937_64 random(20261122);
  int advised = 0, settled = 0, trials = 0;
  for (const double change : {0.0, 0.004, 0.016})
    for (int i = 0; i < 30; ++i) {
      const auto [before, after] = drawn(5, change, 0.008, random);
      const ComparisonRow row = only_row(compare(before, after, one_session()));
      if (row.verdict != Verdict::inconclusive || !row.processes_needed || *row.processes_needed > 200)
        continue;
      ++advised;
      const double sd = std::hypot(row.baseline.process_sd, row.current.process_sd) / std::sqrt(2.0);
      for (int k = 0; k < 10; ++k, ++trials) {
        const auto [more_before, more_after] = drawn(*row.processes_needed, std::log(row.ratio), sd, random);
        const Verdict then = only_row(compare(more_before, more_after, one_session())).verdict;
        settled += then != Verdict::inconclusive ? 1 : 0;
      }
    }
  EXPECT_GT(advised, 15);
  EXPECT_GT(settled, trials * 85 / 100) << settled << " of " << trials;
}

// 40 samples a process, of which every `nth` takes `factor` times as long; 0: none.
Record with_slow_calls(int nth, double factor, std::string unit = "us") {
  Record record = record_of(about(20));
  record.cases[0].series[0].unit = std::move(unit);
  for (ProcessSamples& process : record.cases[0].series[0].processes) {
    const double center = process.placements[0].samples[0];
    process.placements[0].samples.clear();
    for (int i = 0; i < 40; ++i)
      process.placements[0].samples.push_back(center * (1 + 0.0001 * (i % 7)) *
                                              (nth > 0 && i % nth == 3 ? factor : 1));
  }
  return record;
}

TEST(SlowCalls, FailTheBuildThoughTheTrimmedMeansAgree) {
  const Record before = with_slow_calls(0, 1), after = with_slow_calls(7, 2);
  const ComparisonRow row = only_row(compare(before, after, {}));
  EXPECT_LT(std::abs(row.ratio - 1), 0.005);
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_THAT(row.reason, fact(ReasonCode::slow_calls, {{"baseline", 0.0}, {"current", 0.15}}));
  EXPECT_TRUE(is_pass(only_row(compare(after, before, {})).verdict));
  EXPECT_TRUE(is_pass(only_row(compare(after, after, {})).verdict));
}

TEST(SlowCalls, FailByTheirMeanWhereTheyAreFewAndVerySlow) {
  const ComparisonRow row = only_row(compare(with_slow_calls(0, 1), with_slow_calls(40, 20), {}));
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_EQ(row.reason.code, ReasonCode::slow_mean);
}

TEST(SlowCalls, ThatAreFewAndNotVerySlowPass) {
  EXPECT_TRUE(is_pass(only_row(compare(with_slow_calls(0, 1), with_slow_calls(40, 1.5), {})).verdict));
}

TEST(SlowCalls, AreAQuestionOfTimesAlone) {
  EXPECT_TRUE(is_pass(only_row(compare(with_slow_calls(0, 1, "B"), with_slow_calls(7, 2, "B"), {})).verdict));
}

}  // namespace
}  // namespace harness
