// Simulate: pairs of records of which the truth is known, drawn from a seed: kinds of noise that kernels
// show, measured in the ways that the harness measures. A simulator belongs to one thread; same seed, same
// pair.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/model/comparison.h"

namespace harness {

enum class Noise {
  normal,          // processes and samples vary normally
  lognormal,       // skewed samples
  bimodal,         // each process lands in one of two modes, 22.5 and 25.5 us
  autoregressive,  // AR(1) with rho .9 within a process
  slow_tail,       // one sample in ten is half as slow again
  drift,           // 3 % over the run, both sides in turns A B B A
  sessions,        // each side is a session that differs by what the policy assumes
  devices,         // each side is another device, likewise
};
std::string_view name_of(Noise noise);

// How the two sides are measured.
struct MeasuringPlan {
  int processes = 5;            // a side
  std::vector<int> looks = {};  // empty: one
  bool shared = false;          // both sides in the same processes
};
std::string name_of(const MeasuringPlan& plan);

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

// The chance of a call that no rule can avoid which finds changes at all: with two modes, that all processes
// of one side land in the fast one and all of the other in the slow one, as if it had become slower. 0
// otherwise.
double unavoidable(Noise noise, const MeasuringPlan& plan);

}  // namespace harness
