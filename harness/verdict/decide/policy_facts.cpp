#include "harness/verdict/decide/policy_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "harness/base/text.h"

namespace harness {
namespace {

PolicyOrigin origin_of(bool is_standard, PolicyOrigin otherwise = PolicyOrigin::command_line) {
  return is_standard ? PolicyOrigin::standard : otherwise;
}

// One value, or the least and the greatest where rows differ.
PolicyFact gate_fact(PolicyCode code, const std::optional<double>& set, const Comparison& comparison,
                     double ComparisonRow::*member, double standard) {
  if (set) return {{code, {{"value", *set}}}, PolicyOrigin::command_line};
  std::set<double> values;
  for (const ComparisonRow& row : comparison.rows) values.insert(row.*member);
  if (values.empty()) values.insert(standard);
  if (values.size() > 1)
    return {{code, {{"least", *values.begin()}, {"most", *values.rbegin()}}}, PolicyOrigin::suite};
  return {{code, {{"value", *values.begin()}}}, origin_of(*values.begin() == standard, PolicyOrigin::suite)};
}

void add_informative(std::vector<PolicyFact>& facts, const Comparison& comparison) {
  std::set<std::string> metrics;
  for (const ComparisonRow& row : comparison.rows)
    if (row.informative) metrics.insert(row.metric);
  if (metrics.empty()) return;
  const std::vector<std::string> sorted(metrics.begin(), metrics.end());
  facts.push_back({{PolicyCode::informative, {{"metrics", join(sorted, ", ")}}}, PolicyOrigin::suite});
}

// A reviewer of the change must know which results are judged more leniently than before it.
void add_loosened(std::vector<PolicyFact>& facts, const Comparison& comparison) {
  const auto all = std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                 [](const ComparisonRow& row) { return row.loosened.has_value(); });
  const auto hidden = std::count_if(comparison.rows.begin(), comparison.rows.end(), hides_regression);
  if (all > 0)
    facts.push_back(
        {{PolicyCode::gates_loosened, {{"results", all}, {"hidden", hidden}}}, PolicyOrigin::suite});
}

// Tells what the change itself proposes. Its reviewer must know it, whether it counts or not.
void add_proposed(std::vector<PolicyFact>& facts, const Comparison& comparison) {
  const auto& rows = comparison.rows;
  const auto gates = std::count_if(rows.begin(), rows.end(), [](const ComparisonRow& row) {
    return row.proposed.has_value() || row.loosened.has_value();
  });
  const auto& all = comparison.policy.waivers;
  const auto waivers =
      std::count_if(all.begin(), all.end(), [](const Waiver& waiver) { return waiver.proposed; });
  const bool accepted = comparison.policy.accept_proposed;
  if (gates == 0 && waivers == 0 && !accepted) return;
  facts.push_back({{PolicyCode::proposed, {{"gates", gates}, {"waivers", waivers}, {"accepted", accepted}}},
                   accepted ? PolicyOrigin::command_line : PolicyOrigin::change});
}

PolicyFact processes_fact(const Comparison& comparison) {
  const Policy& policy = comparison.policy;
  const bool shared = comparison.pairing == Pairing::Kind::process;
  const int needed = shared ? policy.min_shared_processes : policy.min_processes;
  const int usual = shared ? Policy{}.min_shared_processes : Policy{}.min_processes;
  return {{PolicyCode::processes, {{"needed", needed}, {"usual", usual}, {"shared", shared}}},
          origin_of(needed == usual)};
}

PolicyFact sessions_fact(const Comparison& comparison) {
  const Policy& policy = comparison.policy;
  if (comparison.pairing)
    return {{PolicyCode::paired, {{"shared", *comparison.pairing == Pairing::Kind::process}}},
            PolicyOrigin::ab_run};
  if (!comparison.session.empty())
    return {{PolicyCode::one_session, {{"session", comparison.session}}}, PolicyOrigin::records};
  if (policy.learned.empty())
    return {{PolicyCode::sessions, {{"sd", policy.session_sd}}},
            origin_of(policy.session_sd == Policy{}.session_sd, PolicyOrigin::calibration)};
  const auto [least, most] = std::minmax_element(
      policy.learned.begin(), policy.learned.end(),
      [](const LearnedSpread& a, const LearnedSpread& b) { return a.session_sd < b.session_sd; });
  const bool calibrated =
      std::any_of(policy.learned.begin(), policy.learned.end(),
                  [](const LearnedSpread& one) { return one.from == LearnedFrom::calibration; });
  return {{PolicyCode::sessions,
           {{"sd", policy.session_sd},
            {"least", least->session_sd},
            {"most", most->session_sd},
            {"results", policy.learned.size()}}},
          calibrated ? PolicyOrigin::calibration : PolicyOrigin::history};
}

PolicyFact allowances_fact(const Policy& policy) {
  std::vector<std::string> allowed;
  if (policy.allow_inconclusive) allowed.emplace_back("inconclusive");
  if (policy.allow_missing) allowed.emplace_back("missing");
  if (policy.allow_not_comparable) allowed.emplace_back("not-comparable");
  if (policy.allow_skipped) allowed.emplace_back("skipped");
  Fact<PolicyCode> value{PolicyCode::allowed};
  if (!allowed.empty()) value.figures = {{"verdicts", join(allowed, ", ")}};
  return {std::move(value), origin_of(allowed.empty())};
}

PolicyFact waivers_fact(const Comparison& comparison) {
  const Policy& policy = comparison.policy;
  if (policy.waivers_file.empty() && policy.waivers.empty())
    return {{PolicyCode::waivers}, PolicyOrigin::standard};
  std::map<WaiverUse::State, std::size_t> counts;
  for (const WaiverUse& use : comparison.waivers) ++counts[use.state];
  Fact<PolicyCode> value{PolicyCode::waivers};
  for (const auto& [state, count] : counts) value.figures.emplace_back(name_of(state), count);
  return {std::move(value),
          policy.waivers_file.empty() ? PolicyOrigin::command_line : PolicyOrigin::waivers_file};
}

}  // namespace

std::vector<PolicyFact> facts_of_policy(const Comparison& comparison) {
  const Policy& policy = comparison.policy;
  std::vector<PolicyFact> facts;
  facts.push_back(
      gate_fact(PolicyCode::margin, policy.margin, comparison, &ComparisonRow::margin, Gate{}.margin));
  facts.push_back(
      gate_fact(PolicyCode::alpha, policy.alpha, comparison, &ComparisonRow::alpha, Gate{}.alpha));
  add_informative(facts, comparison);
  add_loosened(facts, comparison);
  facts.push_back(processes_fact(comparison));
  facts.push_back(sessions_fact(comparison));
  if (policy.allow_other_device)
    facts.push_back({{PolicyCode::other_device, {{"sd", policy.device_sd}}}, PolicyOrigin::command_line});
  facts.push_back(allowances_fact(policy));
  facts.push_back(
      {{PolicyCode::improvements, {{"fail", policy.fail_on_improved}}}, origin_of(!policy.fail_on_improved)});
  facts.push_back(waivers_fact(comparison));
  add_proposed(facts, comparison);
  return facts;
}

}  // namespace harness
