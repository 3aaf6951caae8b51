// links: harness_suite harness_kernels
//
// What `harness list` spends on a suite of 1,000 cases, without starting a process: reading, and
// planning. Written out case by case, which is the slowest way to say it, and by axes.
#include <benchmark/benchmark.h>

#include <string>

#include "harness/suite/load_suite.h"
#include "harness/suite/make_plan.h"

namespace {

std::string head() {
  return "version: 2\nname: bench\ncases:\n";
}

std::string point_by_point(int cases) {
  std::string text = head() + "  - workload: linear_gelu\n    variants: [threads_unfused, threads_fused]\n" +
                     "    reference: threads_unfused\n    axes: {dtype: f32}\n    zip:\n";
  for (int i = 0; i < cases / 2; ++i) text += "      - {m: " + std::to_string(64 + i) + ", n: 256, k: 256}\n";
  return text;
}

std::string group_by_group(int cases) {
  std::string text = head();
  for (int i = 0; i < cases; ++i)
    text +=
        "  - workload: linear_gelu\n    variant: threads_fused\n    axes:\n      dtype: f32\n      m: " +
        std::to_string(64 + i) +
        "\n      n: 256\n      k: 256\n    tags: [bench]\n    sampling: {processes: 5, max_time: 500ms}\n";
  return text;
}

std::string by_axes() {
  return head() +
         "  - workload: linear_gelu\n    variants: [threads_unfused, threads_fused]\n"
         "    axes: {dtype: f32, m: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], n: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],\n"
         "           k: [1, 2, 3, 4, 5]}\n";
}

void list(benchmark::State& state, const std::string& text) {
  std::size_t cases = 0;
  for (auto _ : state) {
    const auto suite = harness::parse_suite(text, "bench.yaml");
    if (!suite) return state.SkipWithError(suite.error().front().text().c_str());
    const auto plan = harness::make_plan(*suite, harness::Catalog::built_in(), {});
    if (!plan) return state.SkipWithError(plan.error().front().text().c_str());
    cases = plan->cases.size();
    benchmark::DoNotOptimize(*plan);
  }
  state.counters["cases"] = static_cast<double>(cases);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

BENCHMARK_CAPTURE(list, one_group_a_case, group_by_group(1000))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(list, one_point_a_line, point_by_point(1000))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(list, axes, by_axes())->Unit(benchmark::kMillisecond);

}  // namespace
