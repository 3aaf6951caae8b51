// Judge: from two readings of one metric to a verdict, in two steps: evidence for each row alone, then
// the verdicts of all rows together, because Holm's correction needs them all. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/side.h"

namespace harness {

// What step one hands to step two about the row at `row`. Effects are logs of ratios, signed so that
// positive is worse, whatever the metric's direction.
struct Evidence {
  std::size_t row = 0;
  stats::WelchTest effect;
  stats::Bounds bounds;       // of the effect, at 1 - 2 alpha
  double known_variance = 0;  // both sides together: sessions and devices
  bool enough_processes = false;
  Remedy remedy = Remedy::as_advised;  // of the doubt
  std::string doubt;                   // why no verdict may rest on the pair, or ""
  // Its place among the rows that are corrected together, from 1, by p ascending; 0: not corrected.
  std::size_t rank_worse = 0;
  std::size_t rank_better = 0;
};

// Processes that each side must have at the least for a verdict.
int least_processes(const Policy& policy);

// Why this gate cannot be applied, or "".
std::string gate_obstacle(double margin, double alpha);

// Whether evidence calls its row regressed by this gate, by itself: before any correction.
bool is_worse(const Evidence& evidence, double margin, double alpha);

// Fills the numbers of `row`, whose sides, margin and alpha are set. std::nullopt, with verdict and
// reason set, when a side has fewer than two processes, so that nothing can be tested.
std::optional<Evidence> weigh(ComparisonRow& row, std::size_t index, const SideReading& baseline,
                              const SideReading& current, double known_variance_per_side,
                              const Policy& policy);

// Corrects over all evidence that may bear a verdict and decides something, and sets verdict, reason,
// smallest detectable effect and processes needed of each row that evidence is about. An informative row is
// judged by its own p. Returns how many rows were corrected together.
std::size_t decide(std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence, const Policy& policy);

}  // namespace harness
