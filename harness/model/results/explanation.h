// Explanation: a verdict with every number that it rests on. Made by verdict/explain.h from the evidence that
// decided, put into words by report/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/results/comparison.h"

namespace harness {

// The questions that come before the test.
enum class CheckCode {
  both_sides,  // baseline, current: whether they have the metric
  identity,    // proven: whether both sides do the same on the device
  machine,     // baseline, current: class and UUID; other_device: whether another device was allowed
  sampling,    // import: whether another tool sampled
  estimator,   // estimator
  metric,      // of the row
  gate,        // of the row
};

struct ComparabilityCheck {
  Fact<CheckCode> question;
  std::optional<Obstacle> obstacle = {};     // why the row must not be compared
  std::vector<Difference> information = {};  // that bears on no verdict
};

struct PlacementEvidence {
  std::size_t samples = 0;
  std::size_t mild = 0;  // beyond 1.5 IQR but not 3: labelled
  std::size_t far = 0;   // beyond 3 IQR: left out of `value`
  double value = 0;      // exp of the trimmed mean of logs, in the metric's unit
};

struct ProcessEvidence {
  int process = 0;
  std::vector<PlacementEvidence> placements;     // with samples
  double value = 0;                              // the one number that stands for the process
  std::optional<PlacementEvidence> pinned = {};  // of a pin, which tells no placements: all of them
};

// One of the looks that a row reached; the logs of ratios as in TestEvidence.
struct LookTaken {
  int number = 0;     // from 1
  int processes = 0;  // a side, that it was declared for; 0: all there are
  double p_worse = 1, p_better = 1, p_passes = 1;
  double lo = 0, hi = 0;  // of the effect, at 1 - 2 alpha_to_pass()
};

// The test of one row; logs of ratios, signed so that positive is worse.
struct TestEvidence {
  double effect = 0;
  double standard_error = 0;
  std::optional<std::size_t> differences;  // processes that measured both sides, or pairs in turn
  bool in_turn = false;                    // the differences are of such pairs
  double difference_sd = 0;                // of their log ratios
  double known_variance = 0;               // of both sides together: sessions, and devices where allowed
  std::optional<Moderation> moderation;    // absent where too few cases tell what is usual
  double degrees_of_freedom = 0;
  double margin = 0;      // log(1 + margin)
  double t_worse = 0;     // (effect - margin) / standard_error
  double t_better = 0;    // (effect + margin) / standard_error
  double p_slow = 1;      // of the gate on slow calls, corrected for the looks declared
  double lo = 0, hi = 0;  // of the effect, at 1 - 2 alpha_to_pass()
  // Place among the rows that Holm corrected together, from 1; 0: this row was not corrected.
  std::size_t rank_worse = 0;
  std::size_t rank_better = 0;
  std::size_t family = 0;
  std::optional<Reason> doubt;        // why no verdict may rest on the pair
  std::vector<LookTaken> looks = {};  // those reached; the numbers above are of the row's
  double p_worse = 1, p_better = 1;   // corrected for the looks declared
};

struct RowExplanation {
  ComparisonRow row;  // as the comparison has it
  std::vector<ComparabilityCheck> checks;
  std::vector<ProcessEvidence> baseline, current;
  std::optional<TestEvidence> test;  // absent where nothing was tested
  int alone = 0;                     // the exit code if this row were the only one
};

struct Retelling {
  Comparison comparison;             // the whole that the rows belong to
  std::vector<RowExplanation> rows;  // those asked for, in the order of the comparison
};

}  // namespace harness
