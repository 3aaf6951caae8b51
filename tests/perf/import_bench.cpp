// links: harness_store
// Importing files of another tool. Target: many cases in six files take at most twice as long as the same six
// processes in one file; `of_one_file` is that ratio.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/store/adapters/import_formats.h"

namespace harness {
namespace {

constexpr int processes = 6;

// JSON Lines of these processes; each has a time of its own, as copies are refused.
std::string lines(int cases, int first, int last) {
  std::string text;
  for (int process = first; process <= last; ++process)
    for (int i = 0; i < cases; ++i)
      fmt::format_to(
          std::back_inserter(text),
          R"({{"case": "family_{}/size={}", "metric": "gpu_time", "unit": "us", "process": {}, "samples": [{}]}})"
          "\n",
          i % 97, i, last == first ? 1 : process, 100.0 + 0.0137 * process + 0.001 * (i % 991));
  return text;
}

double seconds_to_import(const std::vector<std::string>& files) {
  const auto begin = std::chrono::steady_clock::now();
  Import import({.suite = "perf"});
  int number = 0;
  for (const std::string& text : files)
    if (!import.add(text, fmt::format("{}.jsonl", ++number))) throw std::runtime_error("refused");
  const Checked<Record> record = std::move(import).take();
  if (!record) throw std::runtime_error(record.error().front().text());
  benchmark::DoNotOptimize(record->cases.size());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void six_files(benchmark::State& state) {
  const int cases = static_cast<int>(state.range(0));
  std::vector<std::string> apart;
  for (int process = 1; process <= processes; ++process) apart.push_back(lines(cases, process, process));
  const std::vector<std::string> together{lines(cases, 1, processes)};
  double six = 0, one = 0;
  for (auto _ : state) {
    const double now = seconds_to_import(apart);
    six += now;
    one += seconds_to_import(together);
    state.SetIterationTime(now);
  }
  state.counters["of_one_file"] = six / one;
}
BENCHMARK(six_files)->ArgName("cases")->Arg(200)->Arg(20'000)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
