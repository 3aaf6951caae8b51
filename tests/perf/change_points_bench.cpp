// links: harness_stats
// A change-point search over one case's history. Budget, in a Release build: 50 ms for 1,000 points with
// 1,000 permutations, none of them cut short: one change at alpha .01, then the step that finds no other.
#include <benchmark/benchmark.h>

#include "harness/stats/estimate/random.h"
#include "harness/stats/series/change_points.h"

namespace harness::stats {
namespace {

// Log values around `changes` steps of 2 %, with a spread of about 0.4 %.
std::vector<double> series(std::size_t count, std::size_t changes) {
  Random random(17);
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double level = 0.02 * static_cast<double>(i * (changes + 1) / count % 2);
    values[i] = level + 0.004 * (random.uniform() + random.uniform() + random.uniform() - 1.5);
  }
  return values;
}

// AR(1) with rho .95: what a machine that wanders looks like. Every bend is a change to a test that shuffles.
std::vector<double> wandering(std::size_t count) {
  Random random(17);
  std::vector<double> values(count);
  double state = 0;
  for (double& value : values) value = state = 0.95 * state + 0.004 * random.normal();
  return values;
}

void search_wandering_series(benchmark::State& state) {
  const auto values = wandering(static_cast<std::size_t>(state.range(0)));
  std::size_t found = 0;
  for (auto _ : state) found = change_points(values)->size();
  state.counters["found"] = static_cast<double>(found);
}
BENCHMARK(search_wandering_series)->Arg(1000)->Unit(benchmark::kMillisecond);

void search_change_points(benchmark::State& state) {
  const auto values =
      series(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  std::size_t found = 0;
  for (auto _ : state) found = change_points(values)->size();
  state.counters["found"] = static_cast<double>(found);
}
BENCHMARK(search_change_points)
    ->ArgNames({"points", "changes"})
    ->Args({1000, 0})
    ->Args({1000, 1})
    ->Args({1000, 3})
    ->Args({100, 1})
    ->Args({10000, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness::stats
