// The exit code by the whole policy, and the facts of a policy.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "policies.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

TEST(PolicyFacts, SayWhenFewerProcessesSuffice) {
  Policy policy;
  policy.min_processes = policy.min_shared_processes = 3;
  const Record few = record_of({20, 20.01, 20.02});
  EXPECT_THAT(facts_text(compare(few, few, policy)),
              HasSubstr("processes=3 a side at the least, loosened from 5;"));
  EXPECT_EQ(only_row(compare(few, few, policy)).verdict, Verdict::unchanged);
  const ComparisonRow row = only_row(compare(few, record_of(about(20)), {}));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(row.reason, "3 against 5 processes: a verdict needs 5 a side, 2 more of the baseline");
  EXPECT_GE(row.processes_needed.value_or(0), 5);
  policy.min_processes = 8;
  EXPECT_THAT(facts_text(compare(few, few, policy)), HasSubstr("processes=8 a side at the least;"));
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
      ElementsAre("margin 1 % (default)", "alpha 1 % (default)", "processes 5 a side at the least (default)",
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
                  "informative gpu_time (suite suites/a.yaml)", "processes 5 a side at the least (default)",
                  "sessions differ by 0.2 % (calibration)", "other device allowed, adds 0.3 % (command line)",
                  "allowed missing (command line)", "improvements fail: the baseline is stale (command line)",
                  "waivers 2 unused (waivers.yaml)"));
}

}  // namespace
}  // namespace harness
