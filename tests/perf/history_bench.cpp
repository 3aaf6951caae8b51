// links: harness_store;harness_study
// Reading the history of 100,000 stored results (1,000 runs x 20 cases x 5 processes) from a SQLite file.
// Budget in a Release build, the search for trends included: 1 s.
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "harness/base/files.h"
#include "harness/stats/estimate/random.h"
#include "harness/store/history.h"
#include "harness/study/trends.h"

namespace harness {
namespace {

constexpr int cases = 20, processes = 5;

Record record_number(int number) {
  Record record;
  record.id = fmt::format("run {}", number);
  record.suite.name = "suite";
  record.revision.commit = fmt::format("{:040x}", number);
  record.machines["cuda"] = {"nvidia-h200", "GPU-1", {}, {}};
  record.started = record.finished =
      fmt::format("2026-11-20T{:02}:{:02}:{:02}Z", number / 3600, number / 60 % 60, number % 60);
  stats::Random random(static_cast<std::uint64_t>(number) + 1);  // an unchanged kernel: noise, no pattern
  for (int i = 0; i < cases; ++i) {
    CaseRecord one;
    one.id = fmt::format("linear_gelu/cublas/dtype=f16/m={}", i);
    one.device = "cuda";
    for (int process = 1; process <= processes; ++process) {
      Placement placement;
      for (int sample = 0; sample < 50; ++sample) placement.samples.push_back(23.0 + 0.2 * random.uniform());
      const Series series{"gpu_time", "us", Direction::lower_is_better, {{process, {placement}}}};
      add_result(one, {one.id, process, Outcome::measured, {}, std::nullopt, {series}, {}});
    }
    record.cases.push_back(std::move(one));
  }
  return record;
}

// A store of each size is made once, a hundred runs a transaction.
std::string filled_store(int runs) {
  static const TemporaryFolder folder;
  const std::string path = (folder.path() / fmt::format("{}.db", runs)).string();
  if (std::filesystem::exists(path)) return path;
  const auto store = Store::open(path);
  std::vector<Record> together;
  for (int number = 0; store && number < runs; ++number) {
    together.push_back(record_number(number));
    if (together.size() < 100 && number + 1 < runs) continue;
    if (!(*store)->put_records(together)) return std::string();
    together.clear();
  }
  return path;
}

void read_history(benchmark::State& state) {
  const int runs = static_cast<int>(state.range(0));
  const auto store = Store::open_existing(filled_store(runs));
  if (!store) return state.SkipWithError("no store");
  std::size_t values = 0;
  for (auto _ : state) {
    const auto history = (*store)->history({});
    values = 0;
    if (history)
      for (const StoredSeries& series : history->series) values += series.log_values.size();
  }
  if (values != static_cast<std::size_t>(runs) * cases * processes) state.SkipWithError("values are missing");
  state.counters["results"] = static_cast<double>(values);
}
BENCHMARK(read_history)->ArgName("runs")->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

// The same results as 20 series of a point a run; `changed` of them slower by 3 % from the middle on.
// `wander`: the sd of what an AR(1) of rho .95 adds to each commit's results.
std::vector<MeasuredSeries> series_of(const StoredHistory& history, int changed, double wander = 0) {
  stats::Random random(7);
  std::vector<double> levels(cases, 0.0);
  std::vector<MeasuredSeries> series(cases);
  std::size_t next = 0;
  for (std::size_t i = history.series.size(); i-- > 0;) {  // runs come newest first
    const StoredSeries& stored = history.series[i];
    MeasuredSeries& one = series[next++ % cases];
    one.trend.margin = 0.01;
    one.trend.alpha = 0.01;
    MeasuredPoint point;
    point.point.commit = history.runs[stored.run].info.revision.commit;
    point.point.distance = static_cast<int>(stored.run);
    point.log_values = stored.log_values;
    double& level = levels[(next - 1) % cases];
    level = 0.95 * level + std::sqrt(1 - 0.95 * 0.95) * wander * random.normal();
    for (double& value : point.log_values) value += level;
    const bool later = one.points.size() >= history.runs.size() / 2;
    if (later && static_cast<int>((next - 1) % cases) < changed)
      for (double& value : point.log_values) value += 0.03;
    one.points.push_back(std::move(point));
  }
  return series;
}

void find_trends_in_history(benchmark::State& state) {
  const auto store = Store::open_existing(filled_store(static_cast<int>(state.range(0))));
  const auto history = store ? (*store)->history({}) : Result<StoredHistory>();
  if (!history) return state.SkipWithError("no store");
  const auto series = series_of(*history, static_cast<int>(state.range(1)));
  for (auto _ : state) benchmark::DoNotOptimize(find_trends(series, {}));
}
BENCHMARK(find_trends_in_history)
    ->ArgNames({"runs", "changed"})
    ->Args({100, 2})
    ->Args({1000, 0})
    ->Args({1000, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// Every series wanders: the machine's clock, its neighbours, its temperature.
void find_trends_in_wandering_history(benchmark::State& state) {
  const auto store = Store::open_existing(filled_store(static_cast<int>(state.range(0))));
  const auto history = store ? (*store)->history({}) : Result<StoredHistory>();
  if (!history) return state.SkipWithError("no store");
  const auto series = series_of(*history, 0, 0.01);
  std::size_t found = 0;
  for (auto _ : state) {
    found = 0;
    for (const Trend& trend : find_trends(series, {})) found += trend.changes.size();
  }
  state.counters["found"] = static_cast<double>(found);
}
BENCHMARK(find_trends_in_wandering_history)
    ->ArgName("runs")
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace harness
