// Tails: rare calls that are much slower, planted into real or simulated samples, and how often they pass as
// unchanged. How often unchanged samples are left open because of slow calls of their own.
#pragma once

#include <string>
#include <vector>

#include "repeat.h"
#include "sessions.h"

namespace harness {

// A share of the calls takes `factor` times as long.
struct Tail {
  double share = 0;
  double factor = 1;
};

// Tails that must not pass.
inline constexpr Tail rare_tails[] = {{0.02, 10}, {0.005, 100}, {0.05, 2.5}};

// Two sides of one session or of two, `processes` each, with `samples` of each placement; 0: all of them.
struct TailSetup {
  std::string name;
  const Session* baseline = nullptr;
  const Session* current = nullptr;  // null: other processes of the same session
  std::size_t processes = 5;
  std::size_t samples = 0;
};

// Counts all cases of unchanged sides: {left open by slow calls alone, called slower, decided otherwise}.
std::vector<Count> unchanged_tails(const TailSetup& setup, std::size_t splits, std::uint64_t seed);

// The current side has a tail of each of `rare_tails` in one drawn case: for each {called slower, left open,
// passed}.
std::vector<Count> planted_tails(const TailSetup& setup, std::size_t splits, std::uint64_t seed);

// The same of simulated cases: `processes` a side of 10 placements of 20 calls of 20 us, with 1 % of noise,
// 0.1 % between processes, and `own` in both sides. Counts as unchanged_tails() and planted_tails() do.
std::vector<Count> simulated_unchanged_tails(Tail own, std::size_t processes, std::size_t trials,
                                             std::uint64_t seed);
std::vector<Count> simulated_planted_tails(std::size_t processes, std::size_t trials, std::uint64_t seed);

}  // namespace harness
