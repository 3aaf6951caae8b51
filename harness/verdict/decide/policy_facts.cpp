#include "harness/verdict/decide/policy_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/text.h"
#include "harness/verdict/decide/gates.h"

namespace harness {
namespace {

std::string percent(double share) {
  return fmt::format("{:.4g} %", share * 100);
}

class Facts {
 public:
  explicit Facts(const Comparison& comparison) : comparison_(comparison), policy_(comparison.policy) {}

  std::vector<PolicyFact> all() {
    gate("margin", policy_.margin, &ComparisonRow::margin, Gate{}.margin);
    gate("alpha", policy_.alpha, &ComparisonRow::alpha, Gate{}.alpha);
    informative();
    loosened();
    processes();
    sessions();
    if (policy_.allow_other_device)
      facts_.push_back(
          {"other device", fmt::format("allowed, adds {}", percent(policy_.device_sd)), "command line"});
    allowances();
    chosen("improvements", policy_.fail_on_improved ? "fail: the baseline is stale" : "pass",
           !policy_.fail_on_improved);
    waivers();
    return std::move(facts_);
  }

 private:
  // "5 a side at the least", and by how much that was loosened.
  void processes() {
    const bool shared = comparison_.pairing == Pairing::Kind::process;
    const int least = shared ? policy_.min_shared_processes : policy_.min_processes;
    const int usual = shared ? Policy{}.min_shared_processes : Policy{}.min_processes;
    std::string value = fmt::format("{} {} at the least", least, shared ? "with both builds" : "a side");
    if (least < usual) value += fmt::format(", loosened from {}", usual);
    chosen("processes", std::move(value), least == usual);
  }

  // "differ by 0.1 %", or what calibrations say of the rows, or that there was only one.
  void sessions() {
    if (comparison_.pairing) {
      const bool shared = *comparison_.pairing == Pairing::Kind::process;
      facts_.push_back({"sessions",
                        shared ? "paired in one process: both builds in turn, sample by sample"
                               : "one session: processes of both builds in turn",
                        "A/B run"});
      return;
    }
    if (!comparison_.session.empty()) {
      facts_.push_back({"sessions", "one for both sides: " + comparison_.session, "both records"});
      return;
    }
    if (policy_.learned.empty()) {
      chosen("sessions", fmt::format("differ by {}", percent(policy_.session_sd)),
             policy_.session_sd == Policy{}.session_sd, "calibration");
      return;
    }
    const auto [least, most] = std::minmax_element(
        policy_.learned.begin(), policy_.learned.end(),
        [](const LearnedSpread& a, const LearnedSpread& b) { return a.session_sd < b.session_sd; });
    const std::string range =
        least->session_sd == most->session_sd
            ? percent(least->session_sd)
            : fmt::format("{} to {}", percent(least->session_sd), percent(most->session_sd));
    facts_.push_back(
        {"sessions",
         fmt::format("differ by {}, learned for {} {}; others by {}", range, policy_.learned.size(),
                     policy_.learned.size() == 1 ? "result" : "results", percent(policy_.session_sd)),
         "calibration"});
  }

  void chosen(std::string name, std::string value, bool is_default, const char* otherwise = "command line") {
    facts_.push_back({std::move(name), std::move(value), is_default ? "default" : otherwise});
  }

  // "1 %", or "0.5 % to 5 %" where cases differ.
  void gate(const char* name, const std::optional<double>& set, double ComparisonRow::*member, double usual) {
    if (set) {
      facts_.push_back({name, percent(*set), "command line"});
      return;
    }
    std::set<double> values;
    for (const ComparisonRow& row : comparison_.rows) values.insert(row.*member);
    if (values.empty()) values.insert(usual);
    const bool is_default = values.size() == 1 && *values.begin() == usual;
    const std::string suite = comparison_.suite_file.empty() ? "suite" : "suite " + comparison_.suite_file;
    facts_.push_back({name,
                      values.size() == 1 ? percent(*values.begin())
                                         : fmt::format("{} to {}, by case and metric",
                                                       percent(*values.begin()), percent(*values.rbegin())),
                      is_default ? "default" : suite});
  }

  void informative() {
    std::set<std::string> metrics;
    for (const ComparisonRow& row : comparison_.rows)
      if (row.informative) metrics.insert(row.metric);
    if (metrics.empty()) return;
    facts_.push_back({"informative", join(std::vector<std::string>(metrics.begin(), metrics.end()), ", "),
                      comparison_.suite_file.empty() ? "suite" : "suite " + comparison_.suite_file});
  }

  // What a reviewer of the change must know: which results are judged more leniently than before it.
  void loosened() {
    std::size_t all = 0, hidden = 0;
    for (const ComparisonRow& row : comparison_.rows) {
      if (row.loosened) ++all;
      if (hides_regression(row)) ++hidden;
    }
    if (all == 0) return;
    std::string value = fmt::format("for {} {} since the baseline", all, all == 1 ? "result" : "results");
    if (hidden > 0)
      value += fmt::format(", {} of which {} regressed by the baseline's gate", hidden,
                           hidden == 1 ? "is" : "are");
    facts_.push_back({"gates loosened", std::move(value),
                      comparison_.suite_file.empty() ? "suite" : "suite " + comparison_.suite_file});
  }

  void allowances() {
    std::vector<std::string> allowed;
    if (policy_.allow_inconclusive) allowed.emplace_back("inconclusive");
    if (policy_.allow_missing) allowed.emplace_back("missing");
    if (policy_.allow_not_comparable) allowed.emplace_back("not-comparable");
    chosen("allowed", allowed.empty() ? "nothing" : join(allowed, ", "), allowed.empty());
  }

  void waivers() {
    if (policy_.waivers_file.empty() && policy_.waivers.empty()) {
      facts_.push_back({"waivers", "none", "default"});
      return;
    }
    std::map<WaiverUse::State, std::size_t> counts;
    for (const WaiverUse& use : comparison_.waivers) ++counts[use.state];
    std::vector<std::string> parts;
    for (const auto& [state, count] : counts) parts.push_back(fmt::format("{} {}", count, word(state)));
    facts_.push_back({"waivers", parts.empty() ? "none" : join(parts, ", "),
                      policy_.waivers_file.empty() ? "command line" : policy_.waivers_file});
  }

  static std::string_view word(WaiverUse::State state) {
    return state == WaiverUse::State::holds ? "in use" : name_of(state);
  }

  const Comparison& comparison_;
  const Policy& policy_;
  std::vector<PolicyFact> facts_;
};

}  // namespace

std::vector<PolicyFact> facts_of_policy(const Comparison& comparison) {
  return Facts(comparison).all();
}

std::vector<std::string> remarks_on_gates(const Record& current) {
  std::map<std::string, std::set<std::string>>
      idle;  // metrics of the cases that have such a gate, by its name
  std::set<std::string> used;
  for (const CaseRecord& one : current.cases) {
    if (one.series.empty()) continue;
    for (const MetricGate& gate : one.gate.metrics) {
      const bool found = std::any_of(one.series.begin(), one.series.end(), [&](const Series& series) {
        return names_metric(gate.metric, series.metric);
      });
      if (found) used.insert(gate.metric);
      for (const Series& series : one.series) idle[gate.metric].insert(series.metric);
    }
  }
  std::vector<std::string> remarks;
  for (const auto& [name, metrics] : idle) {
    if (used.contains(name)) continue;
    const std::string advice = suggestion(name, std::vector<std::string>(metrics.begin(), metrics.end()));
    remarks.push_back(fmt::format("the gate of the metric `{}` has no effect: no case has it{}", name,
                                  advice.empty() ? "" : "; " + advice));
  }
  return remarks;
}

}  // namespace harness
