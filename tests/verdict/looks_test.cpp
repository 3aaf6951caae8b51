// Sequential looks: which processes a look takes, that a decision stands, and how often a rule that measures
// on what is open is wrong.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <span>

#include "facts.h"
#include "harness/model/codec.h"
#include "harness/stats/hypothesis/proportion.h"
#include "harness/stats/hypothesis/welch.h"
#include "harness/verdict/decide/looks.h"
#include "harness/verdict/explain.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;
using testing::ElementsAre;

std::vector<double> joined(std::vector<double> one, const std::vector<double>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

Record looked_at(const std::vector<double>& values, std::vector<int> looks, Gate gate = {}) {
  Record record = record_of(values);
  record.cases[0].gate = std::move(gate);
  record.cases[0].gate.looks = std::move(looks);
  return record;
}

ComparisonRow row_of(const std::vector<double>& before, const std::vector<double>& after,
                     const std::vector<int>& looks, const Policy& policy = {}) {
  return only_row(compare(record_of(before), looked_at(after, looks), policy));
}

// Five processes with a relative sd of 1 %: too much for a margin of 1 %.
std::vector<double> scattered(double center) {
  return {center * 0.9810, center * 0.9905, center, center * 1.0095, center * 1.0190};
}

TEST(Looks, TakeTheFirstProcessesOfTheCurrentSideAndLeaveADecisionAlone) {
  const ComparisonRow first = row_of(about(20), about(20.8), {5, 10, 20});
  EXPECT_EQ(first.verdict, Verdict::regressed);
  EXPECT_EQ(first.look.number, 1);
  const std::vector<double> more = joined(about(20.8), about(15));
  const ComparisonRow later = row_of(about(20), more, {5, 10, 20});
  EXPECT_EQ(later.verdict, Verdict::regressed);
  EXPECT_EQ(later.look.number, 1);
  EXPECT_EQ(later.reason, first.reason);
  EXPECT_EQ(later.p_adjusted, first.p_adjusted);
  EXPECT_EQ(later.current.process_values, first.current.process_values);
  EXPECT_EQ(later.baseline.processes, 5);
  EXPECT_NE(row_of(about(20), more, {}).verdict, Verdict::regressed);
}

TEST(Looks, UseAllOfTheBaseline) {
  const std::vector<double> twice = joined(about(20), about(20));
  const ComparisonRow row = row_of(twice, about(20), {5, 10, 20});
  EXPECT_EQ(row.look.number, 1);
  EXPECT_EQ(row.baseline.processes, 10);
  EXPECT_EQ(row.current.processes, 5);
}

// Otherwise a case that passed could be called slower by what another metric of it was measured for.
TEST(Looks, ThatFoundNoChangeAreLeftAloneToo) {
  const std::vector<double> slow{20.60, 20.61, 20.62, 20.61, 20.60};
  const ComparisonRow first = row_of(joined(about(20), about(20)), about(20), {5, 10, 20});
  EXPECT_EQ(first.verdict, Verdict::unchanged);
  const std::vector<double> more = joined(joined(slow, slow), slow);
  const ComparisonRow later = row_of(joined(about(20), about(20)), joined(about(20), more), {5, 10, 20});
  EXPECT_EQ(later.verdict, Verdict::unchanged);
  EXPECT_EQ(later.look.number, 1);
  EXPECT_EQ(later.reason, first.reason);
  EXPECT_EQ(row_of(joined(about(20), about(20)), joined(about(20), more), {20}).verdict, Verdict::regressed);
}

TEST(Looks, GoOnWhereTheFirstDecidedNothing) {
  const std::vector<double> twice = joined(about(20), about(20)), before = joined(twice, twice);
  const std::vector<double> after = joined(joined(scattered(20), scattered(20)), twice);
  const ComparisonRow first = row_of(before, scattered(20), {5, 10, 20});
  EXPECT_EQ(first.verdict, Verdict::inconclusive);
  EXPECT_EQ(first.look.number, 1);
  EXPECT_EQ(first.look.next, 10);
  const ComparisonRow last = row_of(before, after, {5, 10, 20});
  EXPECT_EQ(last.verdict, Verdict::unchanged) << name_of(last.reason.code);
  EXPECT_EQ(last.look.number, 3);
  EXPECT_EQ(last.baseline.processes, 20);
  EXPECT_EQ(last.current.processes, 20);
  EXPECT_FALSE(last.look.next);
}

TEST(Looks, ThatWereBegunButNotFinishedAreNotTaken) {
  const ComparisonRow first = row_of(about(20), scattered(20), {5, 10, 20});
  const ComparisonRow partly = row_of(about(20), joined(scattered(20), {25, 25, 25}), {5, 10, 20});
  EXPECT_EQ(partly.look.number, 1);
  EXPECT_EQ(partly.reason, first.reason);
  EXPECT_EQ(partly.current.process_values, first.current.process_values);
  EXPECT_EQ(partly.look.next, 10);
  const ComparisonRow none = row_of(about(20), {20, 20, 20}, {5, 10});
  EXPECT_EQ(none.verdict, Verdict::inconclusive);
  EXPECT_THAT(none.reason, fact(ReasonCode::awaits_look, {{"look", 5}}));
  EXPECT_EQ(none.current.processes, 3);
  EXPECT_EQ(none.look.number, 0);
  EXPECT_EQ(none.look.next, 5);
}

TEST(Looks, ShareAlphaEvenly) {
  Policy third;
  third.alpha = 0.01 / 3;
  const ComparisonRow one = row_of(about(20), about(20.3), {}, third);
  const ComparisonRow of_three = row_of(about(20), about(20.3), {5, 10, 20});
  EXPECT_LT(of_three.interval->lo, one.interval->lo);
  EXPECT_DOUBLE_EQ(alpha_to_pass(of_three), passing_alpha / 3);
  EXPECT_DOUBLE_EQ(*of_three.p_passes, *one.p_passes);
  EXPECT_DOUBLE_EQ(*of_three.p, *one.p);
  EXPECT_NEAR(*of_three.p_adjusted, 3 * *one.p, 1e-15);
  EXPECT_NEAR(*of_three.minimum_detectable, *one.minimum_detectable, 1e-9);
  const ComparisonRow single = row_of(about(20), about(20.3), {5});
  EXPECT_DOUBLE_EQ(*single.p_adjusted, *one.p);
}

TEST(Looks, SayThatTheBaselineDoesNotGrow) {
  const ComparisonRow row = row_of(scattered(20), joined(scattered(20), scattered(20)), {5, 10, 20});
  EXPECT_EQ(row.baseline.processes, 5);
  EXPECT_EQ(row.current.processes, 10);
  EXPECT_EQ(row.look.number, 2);
  EXPECT_THAT(row.diagnostics,
              Contains(fact(DiagnosticCode::baseline_fixed, {{"processes", 5}, {"look", 20}})));
}

TEST(Looks, AreNotRecommendedToTheHopeless) {
  const std::vector<double> wild{16, 18, 20, 22, 24};
  const ComparisonRow row = row_of(wild, wild, {5, 10, 20});
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_FALSE(row.look.next);
  EXPECT_THAT(row.diagnostics, Contains(fact(DiagnosticCode::looks_futile, {{"look", 20}})));
  const ComparisonRow last = row_of(scattered(20), scattered(20), {5});
  EXPECT_FALSE(last.look.next);
  EXPECT_THAT(last.diagnostics, Contains(fact(DiagnosticCode::last_look_taken, {{"look", 5}})));
}

TEST(Looks, ThatMakeNoSenseAreRefused) {
  for (const std::vector<int>& looks : {std::vector<int>{5, 5}, std::vector<int>{10, 5},
                                        std::vector<int>{1, 5}, std::vector<int>{5, 6, 7, 8}}) {
    const ComparisonRow row = row_of(about(20), about(20), looks);
    EXPECT_EQ(row.verdict, Verdict::not_comparable);
    EXPECT_TRUE(row.reason.code == ReasonCode::unordered_looks || row.reason.code == ReasonCode::tiny_look ||
                row.reason.code == ReasonCode::too_many_looks);
  }
}

TEST(Looks, OfAnExactMetricAreDecidedByTheFirst) {
  Series constant{"peak_memory", "B", Direction::lower_is_better, {}};
  for (int i = 1; i <= 12; ++i) constant.processes.push_back({i, {{{64, 64}, 0, 0}}});
  Record record = record_of({case_of("c", {constant})});
  record.cases[0].gate.looks = {5, 10, 20};
  const ComparisonRow row = only_row(compare(record, record, Policy{}));
  EXPECT_EQ(row.verdict, Verdict::unchanged);
  EXPECT_EQ(row.look.number, 1);
  EXPECT_EQ(row.current.processes, 5);
}

TEST(Looks, AreKeptByTheRecord) {
  const Record record = looked_at(about(20), {5, 10, 20});
  const Result<Record> read = decode_record(encode(record), "x");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_THAT(read->cases[0].gate.looks, ElementsAre(5, 10, 20));
}

TEST(Looks, AreRetoldOneByOne) {
  const Record before = record_of(joined(scattered(20), about(20)));
  const Record after = looked_at(joined(scattered(20), about(20)), {5, 10, 20});
  const Retelling told = explain(before, after, Policy{}, "*", "");
  ASSERT_EQ(told.rows.size(), 1U);
  ASSERT_TRUE(told.rows[0].test);
  ASSERT_EQ(told.rows[0].test->looks.size(), 2U);
  EXPECT_EQ(told.rows[0].test->looks[1].processes, 10);
  EXPECT_EQ(told.rows[0].current.size(), static_cast<std::size_t>(told.rows[0].row.current.processes));
  EXPECT_FALSE(std::isnan(told.rows[0].current[0].value));
}

// --- how often it is wrong -------------------------------------------------------------------------------

constexpr std::size_t suites = 250;
constexpr double alpha = 0.05;
constexpr double margin = 0.01;

// A suite whose cases are slower by these factors, 20 processes each, sd 0.6 %.
Record suite_of(const std::vector<double>& factors, std::mt19937_64& random) {
  std::normal_distribution<double> process(0, 0.006);
  std::vector<CaseRecord> cases;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    std::vector<double> values(20);
    for (double& value : values) value = 20 * factors[i] * std::exp(process(random));
    cases.push_back(case_of(std::to_string(i), {series_at(values)}));
    cases.back().gate = Gate{margin, alpha, {}, {5, 10, 20}};
  }
  return record_of(std::move(cases));
}

// The first processes of each case, as many as it was measured in.
Record part_of(const Record& whole, const std::map<std::string, int>& processes) {
  Record record = whole;
  for (CaseRecord& one : record.cases)
    one.series[0].processes.resize(static_cast<std::size_t>(processes.at(one.id)));
  return record;
}

// The comparison after every case that was open at a look was measured up to the next, as `run` does it.
// Checks on the way that no decision changes.
Comparison sequentially(const Record& before, const Record& after, const Policy& policy,
                        std::map<std::string, int>& processes) {
  for (const CaseRecord& one : after.cases) processes[one.id] = 5;
  std::map<std::string, ComparisonRow> decided;
  Comparison comparison;
  for (const int next : {10, 20, 0}) {
    comparison = compare(before, part_of(after, processes), policy);
    for (const ComparisonRow& row : comparison.rows) {
      if (row.verdict == Verdict::inconclusive) {
        if (next > 0) processes[row.case_id] = next;
        continue;
      }
      const auto [known, added] = decided.emplace(row.case_id, row);
      EXPECT_EQ(row.reason, known->second.reason);
      EXPECT_EQ(row.verdict, known->second.verdict);
      EXPECT_EQ(row.look.number, known->second.look.number);
      EXPECT_EQ(row.p_adjusted, known->second.p_adjusted);
    }
  }
  return comparison;
}

Policy without_sessions() {
  Policy policy;
  policy.session_sd = 0;
  return policy;
}

struct Rates {
  std::size_t regressed = 0;  // suites in which an unchanged case, one at the margin, was called slower
  std::size_t passed = 0;     // cases at the margin that passed
};

Rates simulate(const std::vector<double>& factors, std::size_t nulls) {
  std::mt19937_64 random(20261120);
  Rates rates;
  const auto wrong = [&](const Comparison& comparison) {
    return std::any_of(comparison.rows.begin(), comparison.rows.end(), [&](const ComparisonRow& row) {
      return std::stoul(row.case_id) < nulls && row.verdict == Verdict::regressed;
    });
  };
  for (std::size_t i = 0; i < suites; ++i) {
    const Record before = suite_of(std::vector<double>(factors.size(), 1.0), random);
    const Record after = suite_of(factors, random);
    std::map<std::string, int> processes;
    const Comparison comparison = sequentially(before, after, without_sessions(), processes);
    rates.regressed += wrong(comparison) ? 1 : 0;
    for (const ComparisonRow& row : comparison.rows)
      if (std::stoul(row.case_id) < nulls && is_pass(row.verdict)) ++rates.passed;
  }
  return rates;
}

// A true change of exactly the margin is the hardest for "not worse by more than the margin". A much slower
// case leaves all of alpha to the others, by Holm.
TEST(LooksRates, AreTheNominalOnesOverTheSuite) {
  const Rates rates = simulate({1.01, 1.01, 1.10}, 2);
  EXPECT_LE(stats::clopper_pearson(rates.regressed, suites, 0.99).lo, alpha);
  EXPECT_GE(stats::clopper_pearson(rates.regressed, suites, 0.99).hi, alpha / 3) << "blind";
  EXPECT_LE(stats::clopper_pearson(rates.passed, 2 * suites, 0.99).lo, alpha);
}

// The same rule, which takes each look for the only one, is what sequential looks are not.
TEST(LooksRates, OfPeekingAreTwiceTheNominalOnes) {
  std::mt19937_64 random(20261121);
  std::normal_distribution<double> process(0, 0.006);
  constexpr std::size_t trials = 4000;
  std::size_t wrong = 0, corrected = 0;
  for (std::size_t i = 0; i < trials; ++i) {
    std::vector<double> before(20), after(20);
    for (double& value : before) value = process(random);
    for (double& value : after) value = process(random);
    double smallest = 1;
    for (const std::size_t look : {5U, 10U, 20U})
      smallest = std::min(
          smallest, stats::welch(std::span(before).first(look), std::span(after).first(look))->p_above(0));
    wrong += smallest < alpha ? 1 : 0;
    corrected += 3 * smallest < alpha ? 1 : 0;
  }
  EXPECT_GT(stats::clopper_pearson(wrong, trials, 0.99).lo, 1.7 * alpha);
  EXPECT_LE(stats::clopper_pearson(corrected, trials, 0.99).lo, alpha);
}

TEST(LooksRates, FindWhatIsThereAndSpendOnlyWhereItIsNeeded) {
  std::mt19937_64 random(7);
  std::size_t found = 0, passed = 0, processes_of_slow = 0, processes_of_same = 0;
  constexpr std::size_t trials = 60;
  for (std::size_t i = 0; i < trials; ++i) {
    const Record before = suite_of({1, 1}, random), after = suite_of({1.03, 1.0}, random);
    std::map<std::string, int> processes;
    const Comparison comparison = sequentially(before, after, without_sessions(), processes);
    for (const ComparisonRow& row : comparison.rows) {
      if (row.case_id == "0" && row.verdict == Verdict::regressed) ++found;
      if (row.case_id == "1" && is_pass(row.verdict)) ++passed;
    }
    processes_of_slow += static_cast<std::size_t>(processes.at("0"));
    processes_of_same += static_cast<std::size_t>(processes.at("1"));
  }
  EXPECT_EQ(found, trials);
  EXPECT_GT(passed, trials * 95 / 100);
  EXPECT_LT(processes_of_slow, 10 * trials);
  EXPECT_LT(processes_of_same, 13 * trials);
}

}  // namespace
}  // namespace harness
