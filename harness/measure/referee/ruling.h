// From the slopes of a match to its ruling. Pure.
#pragma once

#include <optional>
#include <span>

#include "harness/base/units.h"
#include "harness/model/referee/refereed.h"
#include "harness/stats/hypothesis/t_test.h"

namespace harness::referee {

// The times of one round: of a shorter and a longer batch of each build. Batches have as many calls in all
// rounds of a match.
struct RoundTimes {
  Seconds baseline_shorter = 0, baseline_longer = 0;
  Seconds current_shorter = 0, current_longer = 0;
};

struct BatchLengths {
  int shorter = 1;
  int longer = 4;

  bool operator==(const BatchLengths&) const = default;
};

// Only pairs of fresh processes reduce these, no number of rounds does. By so much a call of one process
// takes longer than that of another one with the same code, on average. Measured on an H200
// (measured/referee-h200.md).
inline constexpr Seconds process_sd = 90e-9;  // of the difference of a pair
inline constexpr double address_sd = 0.0005;  // of the ratio

// The pairs of processes that a match has: enough for process_sd to be 0.2 % of a call, at most four.
int choose_pairs(Seconds call);

struct Judging {
  double margin = 0.01;
  double confidence = 0.95;
  bool asks_faster = false;
};

// The cost of a call in one round: the slope between its batches. The context switches at both ends of a
// batch, some 290 us on an H200, are in no slope.
Seconds slope(Seconds shorter, Seconds longer, const BatchLengths& lengths);

// The test of the rounds' log ratios, current over baseline, of so many pairs of processes. std::nullopt with
// fewer than two rounds, or where a slope is not positive: then the batches are too short to tell.
std::optional<stats::TTest> test_rounds(std::span<const RoundTimes> rounds, const BatchLengths& lengths,
                                        int pairs);

Ruling ruling_of(const stats::TTest& test, const Judging& how);

// Fills in ruling and figures.
void rule(RefereedCase& result, std::span<const RoundTimes> rounds, const BatchLengths& lengths, int pairs,
          const Judging& how);

// These limit the batches of a match.
struct BatchLimits {
  Seconds call = 0;     // roughly, of the slower build
  Seconds drawing = 0;  // inputs and right answers of one call
  Seconds budget = 5;   // of the device, in all
  int most_sets = 256;  // of buffers
};

// Batches that are long enough to tell calls to 0.1 % in one round, where the limits allow it.
BatchLengths choose_lengths(const BatchLimits& limits);

// One match has at least and at most so many rounds.
inline constexpr int least_rounds = 5;
inline constexpr int most_rounds = 30;

// Fewer where the inputs of a call take long to draw.
int choose_rounds(const BatchLengths& lengths, Seconds drawing);

}  // namespace harness::referee
