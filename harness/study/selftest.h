// Selftest: error rates of the rule that decides, by simulation (simulate.h) and on random halves of a run.
//
// The rule is a parameter, so that a test can show a wrong one to fail; the default is verdicts() of
// compare.h. Several threads call it at once. The same seed gives the same report on any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/model/results/error_rates.h"
#include "harness/model/results/spread.h"
#include "harness/study/simulate.h"

namespace harness {

// Rows in the order of the cases of `current`, with their verdicts.
using Rule = std::function<std::vector<ComparisonRow>(const Record&, const Record&, const Policy&)>;

struct SelftestOptions {
  std::uint64_t seed = 1;
  std::size_t splits = 1000;  // simulated suites for each rate
  unsigned threads = 0;       // 0: as many as the machine has
  std::vector<Noise> noises = {Noise::normal,         Noise::lognormal, Noise::bimodal,
                               Noise::autoregressive, Noise::slow_tail, Noise::drift,
                               Noise::sessions,       Noise::devices,   Noise::scattered};
  std::vector<MeasuringPlan> plans = {
      {3}, {5}, {8}, {16}, {20, {5, 10, 20}}, {3, {}, true}, {5, {}, true}, {5, {}, false, 20}};
  // Processes that a verdict needs: a side, and of those that both sides share.
  int min_processes = Policy{}.min_processes;
  int min_shared_processes = Policy{}.min_shared_processes;
  Rule rule = {};  // empty: the one of compare()
  // Called on the calling thread whenever it ends a few trials, with all that are done; false stops.
  std::function<bool(std::size_t done, std::size_t all)> on_progress = {};
};

// Simulated rates. Impossible pairs of noise and plan are left out: sides in the same processes share session
// and device, and sides that take turns have one look. A plan with too few processes for a verdict runs with
// the first noise only. std::nullopt: stopped.
std::optional<SelftestReport> selftest(const SelftestOptions& options);

// How often the rule of compare() calls a case regressed between random halves of each session of `records`.
// The halves are processes of one run, so nothing differs, not even the session.
SelftestRun halves_of(const std::vector<Record>& records, const SelftestOptions& options);

}  // namespace harness
