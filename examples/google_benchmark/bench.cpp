// An ordinary program of Google Benchmark: nothing in it is made for the harness.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

static void sort_random(benchmark::State& state) {
  std::mt19937 random(1);
  std::vector<unsigned> values(static_cast<std::size_t>(state.range(0)));
  for (unsigned& value : values) value = static_cast<unsigned>(random());
  for (auto _ : state) {
    std::vector<unsigned> copy = values;
    std::sort(copy.begin(), copy.end());
    benchmark::DoNotOptimize(copy.data());
  }
}
BENCHMARK(sort_random)->Arg(1000)->Arg(10000);
BENCHMARK_MAIN();
