// The exit code by the whole policy, and the facts of a policy.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "facts.h"
#include "policies.h"

namespace harness {
namespace {

using testing::ElementsAre;

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
      if (kind == informative)
        before.cases.back().gate = after.cases.back().gate = gate_with({"time", {}, {}, true});
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
  EXPECT_THAT(policy_fact(compare(few, few, policy), PolicyCode::processes).value,
              fact(PolicyCode::processes, {{"needed", 3}, {"usual", 5}, {"shared", 0}}));
  EXPECT_EQ(only_row(compare(few, few, policy)).verdict, Verdict::unchanged);
  const ComparisonRow row = only_row(compare(few, record_of(about(20)), {}));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.reason, fact(ReasonCode::too_few_processes, {{"needed", 5}}));
  EXPECT_GE(row.processes_needed.value_or(0), 5);
  policy.min_processes = 8;
  EXPECT_THAT(policy_fact(compare(few, few, policy), PolicyCode::processes).value,
              fact(PolicyCode::processes, {{"needed", 8}}));
}

// Code and origin of each.
std::vector<std::pair<PolicyCode, PolicyOrigin>> origins_of(const Comparison& comparison) {
  std::vector<std::pair<PolicyCode, PolicyOrigin>> origins;
  for (const PolicyFact& one : comparison.policy_facts) origins.emplace_back(one.value.code, one.origin);
  return origins;
}

TEST(PolicyFacts, SayWhereEachValueCameFrom) {
  using enum PolicyOrigin;
  Record record = record_of(about(20));
  const Comparison plain = compare(record, record, {});
  EXPECT_THAT(
      origins_of(plain),
      ElementsAre(std::pair(PolicyCode::margin, standard), std::pair(PolicyCode::alpha, standard),
                  std::pair(PolicyCode::processes, standard), std::pair(PolicyCode::sessions, standard),
                  std::pair(PolicyCode::allowed, standard), std::pair(PolicyCode::improvements, standard),
                  std::pair(PolicyCode::waivers, standard)));
  EXPECT_THAT(policy_fact(plain, PolicyCode::margin).value, fact(PolicyCode::margin, {{"value", 0.01}}));
  record.cases[0].gate = Gate{0.005, 0.01, {{"time", {}, {}, true}}};
  Policy policy = waiving({waiver("c", 0.06), waiver("*", 0.06, "2026-01-01")});
  policy.alpha = 0.05;
  policy.allow_missing = policy.fail_on_improved = policy.allow_other_device = true;
  policy.session_sd = 0.002;
  const Comparison chosen = compare(record, record, policy);
  EXPECT_THAT(
      origins_of(chosen),
      ElementsAre(
          std::pair(PolicyCode::margin, suite), std::pair(PolicyCode::alpha, command_line),
          std::pair(PolicyCode::informative, suite), std::pair(PolicyCode::processes, standard),
          std::pair(PolicyCode::sessions, calibration), std::pair(PolicyCode::other_device, command_line),
          std::pair(PolicyCode::allowed, command_line), std::pair(PolicyCode::improvements, command_line),
          std::pair(PolicyCode::waivers, waivers_file)));
  const auto value = [&](PolicyCode code) { return policy_fact(chosen, code).value; };
  EXPECT_THAT(value(PolicyCode::margin), fact(PolicyCode::margin, {{"value", 0.005}}));
  EXPECT_THAT(value(PolicyCode::alpha), fact(PolicyCode::alpha, {{"value", 0.05}}));
  EXPECT_THAT(value(PolicyCode::informative), fact(PolicyCode::informative, {{"metrics", "gpu_time"}}));
  EXPECT_THAT(value(PolicyCode::sessions), fact(PolicyCode::sessions, {{"sd", 0.002}}));
  EXPECT_THAT(value(PolicyCode::other_device), fact(PolicyCode::other_device, {{"sd", 0.003}}));
  EXPECT_THAT(value(PolicyCode::allowed), fact(PolicyCode::allowed, {{"verdicts", "missing"}}));
  EXPECT_THAT(value(PolicyCode::waivers), fact(PolicyCode::waivers, {{"unused", 2}}));
}

}  // namespace
}  // namespace harness
