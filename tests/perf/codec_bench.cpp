// links: harness_model
// Reading and writing a record of 1,000 cases x 5 processes x 5 placements x 50 samples. Budget of
// reading, in a Release build: 70 ms for 10 MB of text.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "harness/model/codec.h"

namespace harness {
namespace {

// Event times come in steps of 32 ns; wall times have every digit.
double sample(std::mt19937& random, bool every_digit) {
  const double micros = 20 + std::exponential_distribution<double>(1.0)(random);
  return every_digit ? micros : std::round(micros / 0.032) * 32 / 1000;
}

Record large_record(bool every_digit) {
  std::mt19937 random(7);
  Record record;
  record.id = "00000000-0000-4000-8000-000000000000";
  record.suite = {"large", "suites/large.yaml", "abc"};
  for (int i = 0; i < 1000; ++i) {
    CaseRecord one;
    one.id = "linear_gelu/cublas/dtype=f16/m=" + std::to_string(i);
    one.device = "cuda";
    one.params.set("m", std::int64_t{i});
    for (int process = 1; process <= 5; ++process) {
      ProcessResult result{one.id, process, Outcome::measured, {}, Verification{1e-4, 1e-4, 1e-3, 4096},
                           {},     {}};
      Series series{"gpu_time", "us", Direction::lower_is_better, {{process, {}}}};
      for (int p = 0; p < 5; ++p) {
        Placement placement{{}, 0, 1.98};
        for (int s = 0; s < 50; ++s) placement.samples.push_back(sample(random, every_digit));
        series.processes[0].placements.push_back(std::move(placement));
      }
      result.series.push_back(std::move(series));
      add_result(one, std::move(result));
    }
    record.cases.push_back(std::move(one));
  }
  return record;
}

void decode_large_record(benchmark::State& state) {
  const std::string text = encode(large_record(state.range(0) != 0));
  for (auto _ : state) benchmark::DoNotOptimize(decode_record(text, "bench"));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(decode_large_record)->ArgName("every_digit")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void encode_large_record(benchmark::State& state) {
  const Record record = large_record(state.range(0) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(encode(record));
}
BENCHMARK(encode_large_record)->ArgName("every_digit")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
