// Simulate: pairs of records with a known true change, drawn from a seed, with the kinds of noise that
// kernels show. A simulator belongs to one thread. The same seed gives the same pair.
#pragma once

#include <cstdint>

#include "harness/model/results/comparison.h"
#include "harness/model/results/error_rates.h"

namespace harness {

// A pair of records is drawn for each trial.
struct SimulatedPair {
  Record baseline;
  Record current;
};

class Simulator {
 public:
  // `deciding` cases that decide, then `alone` ones whose metric is informative: each is judged by itself.
  // Where noise is bimodal only the first of each kind has modes, and the others are normal (see
  // `is_shaped`).
  Simulator(Noise noise, MeasuringPlan plan, int deciding, int alone);

  // Draws every sample anew; the current side is slower by `change` (0.01: 1 %). Valid until the next call.
  const SimulatedPair& draw(double change, std::uint64_t seed);

  // Whether the case at `index` has the noise asked for.
  [[nodiscard]] bool is_shaped(int index) const;
  // The policy that the pair is to be judged by: defaults, but for what devices need.
  [[nodiscard]] Policy policy() const;

 private:
  Noise noise_;
  MeasuringPlan plan_;
  int deciding_;
  SimulatedPair pair_;
};

// The chance of a false call that no rule can avoid if it finds changes at all. With two modes, all processes
// of one side may be in the fast mode and all of the other in the slow one. 0 without modes.
double unavoidable(Noise noise, const MeasuringPlan& plan);

}  // namespace harness
