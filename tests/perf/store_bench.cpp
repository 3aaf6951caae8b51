// links: harness_store
// Loading 1,000 cases x 5 results from a SQLite file, and putting one result. Budget of loading with
// 10 samples a placement, in a Release build: 100 ms.
#include <benchmark/benchmark.h>

#include "harness/base/files.h"
#include "harness/store/store.h"

namespace harness {
namespace {

ProcessResult result_of(const std::string& id, int process, int samples) {
  Placement placement;
  for (int i = 0; i < samples; ++i) placement.samples.push_back(23.0 + 0.032 * ((i * 7 + process) % 40));
  Series series{"gpu_time", "us", Direction::lower_is_better, {{process, {5, placement}}}};
  return {id, process, Outcome::measured, {}, Verification{1e-4, 1e-4, 1e-3, 4096}, {series}, {}};
}

Record large_record(int samples) {
  Record record;
  record.id = "large";
  record.suite.name = "large";
  record.finished = record.started = "2026-11-20T05:40:00Z";
  for (int i = 0; i < 1000; ++i) {
    CaseRecord one;
    one.id = "linear_gelu/cublas/dtype=f16/m=" + std::to_string(i);
    one.device = "cuda";
    for (int process = 1; process <= 5; ++process) add_result(one, result_of(one.id, process, samples));
    record.cases.push_back(std::move(one));
  }
  return record;
}

void load_large_record(benchmark::State& state) {
  const TemporaryFolder folder;
  const auto store = Store::open((folder.path() / "s.db").string());
  if (!store || !(*store)->put_record(large_record(static_cast<int>(state.range(0)))))
    state.SkipWithError("no store");
  for (auto _ : state) benchmark::DoNotOptimize((*store)->load("large"));
}
BENCHMARK(load_large_record)->ArgName("samples")->Arg(10)->Arg(50)->Unit(benchmark::kMillisecond);

void put_one_result(benchmark::State& state) {
  const TemporaryFolder folder;
  const auto store = Store::open((folder.path() / "s.db").string());
  const Record record = large_record(10);
  if (!store || !(*store)->begin(record)) state.SkipWithError("no store");
  int process = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize((*store)->put("large", {result_of(record.cases[0].id, ++process, 50)}));
}
BENCHMARK(put_one_result)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace harness
