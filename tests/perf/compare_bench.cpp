// links: harness_verdict
// Comparing and summarising records in memory. Targets on the wall: 1,000 cases x 5 processes well under 50
// ms, 10,000 cases x 20 processes (2 placements each) under 500 ms. CPU is that of all threads together.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <string>

#include "harness/verdict/compare.h"
#include "harness/verdict/read/summarize.h"

namespace harness {
namespace {

// Samples as a GPU gives them: 2 % of spread in 32 ns steps, a slow tail, 0.3 % between processes.
Record record_of(int cases, int processes, int placements, int samples, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise;
  std::uniform_real_distribution<double> uniform;
  Record record;
  record.machines["cuda"] = Machine{"nvidia-h200", "GPU-1", {{"driver", "580", FieldClass::warn}}, {}};
  for (int c = 0; c < cases; ++c) {
    CaseRecord one;
    one.id = "linear_gelu/fused/dtype=f16/m=" + std::to_string(c);
    one.device = "cuda";
    one.outcome = Outcome::measured;
    one.reference = c == 0 ? "" : record.cases.front().id;
    one.series.push_back(Series{"gpu_time", "us", Direction::lower_is_better, {}});
    for (int p = 1; p <= processes; ++p) {
      ProcessSamples process{p, {}};
      const double center = 30 * (1 + 0.003 * noise(random));
      for (int i = 0; i < placements; ++i) {
        Placement placement;
        for (int s = 0; s < samples; ++s) {
          double value = center * (1 + 0.02 * noise(random));
          if (uniform(random) < 0.02) value *= 1.3;
          placement.samples.push_back(std::round(value / 0.032) * 0.032);
        }
        process.placements.push_back(std::move(placement));
      }
      one.series[0].processes.push_back(std::move(process));
    }
    record.cases.push_back(std::move(one));
  }
  return record;
}

void compare_records(benchmark::State& state) {
  const int cases = static_cast<int>(state.range(0)), processes = static_cast<int>(state.range(1)),
            placements = static_cast<int>(state.range(2));
  const auto threads = static_cast<unsigned>(state.range(3));
  const Record baseline = record_of(cases, processes, placements, 50, 1);
  const Record current = record_of(cases, processes, placements, 50, 2);
  for (auto _ : state) benchmark::DoNotOptimize(compare(baseline, current, Policy{}, threads));
  state.SetItemsProcessed(state.iterations() * 2L * cases * processes * placements * 50);
}
// 0 threads: as many as there are processors.
BENCHMARK(compare_records)
    ->ArgNames({"cases", "processes", "placements", "threads"})
    ->Args({1000, 5, 5, 0})
    ->Args({10000, 20, 2, 1})
    ->Args({10000, 20, 2, 0})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void summarize_record(benchmark::State& state) {
  const Record record = record_of(static_cast<int>(state.range(0)), 5, 5, 50, 1);
  for (auto _ : state) benchmark::DoNotOptimize(summarize(record));
}
BENCHMARK(summarize_record)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
