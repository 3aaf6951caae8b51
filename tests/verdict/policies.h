// Policies for the tests of verdict/: records of given series, gates, waivers.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/verdict/decide/gates.h"
#include "tests/verdict/records.h"

namespace harness {

inline const ComparisonRow& row_named(const Comparison& comparison, const std::string& metric) {
  for (const ComparisonRow& row : comparison.rows)
    if (row.metric == metric) return row;
  throw std::runtime_error("no row " + metric);
}

// A metric that has the same value in every sample of five processes.
inline Series constant(double value, std::string metric = "peak_memory", std::string unit = "B",
                       int processes = 5) {
  Series series{std::move(metric), std::move(unit), Direction::lower_is_better, {}};
  for (int i = 1; i <= processes; ++i) series.processes.push_back({i, {{{value, value}, 0, 0}}});
  return series;
}

inline Record with_series(std::vector<Series> series, Gate gate = {}) {
  Record record = record_of({case_of("c", std::move(series))});
  record.cases[0].gate = std::move(gate);
  return record;
}

inline Gate gate_with(MetricGate one) {
  Gate gate;
  gate.metrics = {std::move(one)};
  return gate;
}

// The fact with this code; throws where there is none.
inline const PolicyFact& policy_fact(const Comparison& comparison, PolicyCode code) {
  for (const PolicyFact& one : comparison.policy_facts)
    if (one.value.code == code) return one;
  throw std::runtime_error("no policy fact");
}

// A policy that lets the change's own proposals count.
inline Policy accepting() {
  Policy policy;
  policy.accept_proposed = true;
  return policy;
}

inline Waiver waiver(std::string pattern, double ceiling, std::string expires = "2026-12-31",
                     std::string metric = "") {
  return {std::move(pattern),    std::move(metric), ceiling, std::move(expires), "it is known", "#7",
          {"waivers.yaml", 3, 5}};
}

inline Policy waiving(std::vector<Waiver> waivers, std::string today = "2026-11-20") {
  Policy policy;
  policy.waivers = std::move(waivers);
  policy.waivers_file = "waivers.yaml";
  policy.today = std::move(today);
  return policy;
}

// +4 %, with an interval of about [3.7, 4.4].
inline Comparison slower(const Policy& policy) {
  return compare(record_of(about(20)), record_of(about(20.8)), policy);
}

}  // namespace harness
