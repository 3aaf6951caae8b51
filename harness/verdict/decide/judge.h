// Judge: from two readings of one metric to a verdict, in two steps: evidence for each row alone, look by
// look, then the verdicts of all rows together, because Holm's correction needs them all. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/verdict/decide/looks.h"

namespace harness {

// What step one hands to step two about the row at `row`.
struct Evidence {
  std::size_t row = 0;
  double known_variance = 0;        // both sides together: sessions and devices
  int baseline_processes = 0;       // that there are, whatever a look takes of them
  std::vector<LookEvidence> looks;  // that were reached and can be tested, in order
  // Filled by step two: which of `looks` the row tells, and the p of all looks up to there, corrected for
  // the number of those declared. 1 as long as none counts.
  std::size_t shown = 0;
  double p_worse = 1;
  double p_better = 1;
  // Its place among the rows that are corrected together, from 1, by p ascending; 0: not corrected.
  std::size_t rank_worse = 0;
  std::size_t rank_better = 0;
};

// 1 where more of the row's metric is worse, -1 where less is.
int sign_of(const ComparisonRow& row);

// The row's margin on the scale of logarithms.
double log_margin(const ComparisonRow& row);

// Processes a side, or in common where the sides shared them.
int processes_of(const LookEvidence& look);

// Processes that each side must have at the least for a verdict.
int least_processes(const Policy& policy);

// "3 against 5 processes: a verdict needs 5 a side, 2 more of the baseline": why sides with fewer than
// `least` processes have none.
std::string too_few_processes(int baseline, int current, int least);

// Why this gate cannot be applied, or "".
std::string gate_obstacle(double margin, double alpha);

// How the two sides were measured.
struct Design {
  double known_variance_per_side = 0;  // between sessions and devices
  // Log ratios of the processes that measured both sides, where they shared them (pairs.h).
  std::optional<std::vector<double>> ratios = {};
};

// Whether what the row shows calls it regressed by this gate, by itself: before any correction.
bool is_worse(const Evidence& evidence, double margin, double alpha);

// What the look `number` says of the row, whose direction, margin, alpha and declared looks are set.
// std::nullopt when there are fewer than two processes a side, or in common, so that nothing can be tested.
std::optional<LookEvidence> weigh(const ComparisonRow& row, int number, const SideReading& baseline,
                                  const SideReading& current, const Design& design, const Policy& policy);

// Decides look by look, over all evidence that may bear a verdict and decides something, and sets numbers,
// verdict and look of each row that evidence is about. What a look decided, later looks leave alone. An
// informative row is judged by its own p. Returns how many rows were corrected together.
std::size_t call_verdicts(std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence,
                          const Policy& policy);

// call_verdicts, and then the reason, the smallest detectable effect and the processes needed of each row.
std::size_t decide(std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence, const Policy& policy);

}  // namespace harness
