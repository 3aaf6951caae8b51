#include <benchmark/benchmark.h>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>
#include <vector>
static void spin(std::chrono::nanoseconds d) {
  auto t = std::chrono::steady_clock::now() + d;
  while (std::chrono::steady_clock::now() < t) {}
}
using namespace std::chrono_literals;
static void BM_ranges(benchmark::State& s) {
  std::string a(s.range(0), 'a'), b(s.range(0), 'b');
  for (auto _ : s) { std::memcpy(a.data(), b.data(), a.size()); benchmark::ClobberMemory(); }
  s.SetBytesProcessed(s.iterations() * s.range(0));
  s.SetItemsProcessed(s.iterations());
  s.SetLabel("a label");
}
BENCHMARK(BM_ranges)->Args({64, 1})->Args({4096, 2})->ArgNames({"n", ""});
static void BM_threads(benchmark::State& s) { for (auto _ : s) spin(200us); }
BENCHMARK(BM_threads)->Threads(1)->Threads(2)->Iterations(5);
BENCHMARK(BM_threads)->Threads(2)->UseRealTime()->Iterations(5);
static void BM_manual(benchmark::State& s) { for (auto _ : s) { spin(50us); s.SetIterationTime(0.002); } }
BENCHMARK(BM_manual)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);
static void BM_process(benchmark::State& s) { for (auto _ : s) { std::thread t([] { spin(100us); }); spin(100us); t.join(); } }
BENCHMARK(BM_process)->MeasureProcessCPUTime()->UseRealTime()->Iterations(5)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_process)->MeasureProcessCPUTime()->Iterations(5)->Unit(benchmark::kSecond);
static void BM_error(benchmark::State& s) { s.SkipWithError("no device"); for (auto _ : s) {} }
BENCHMARK(BM_error)->Arg(1)->Arg(2);
static void BM_error_late(benchmark::State& s) { for (auto _ : s) { spin(10us); s.SkipWithError("wrong result"); break; } }
BENCHMARK(BM_error_late);
#ifdef NEW
static void BM_skip(benchmark::State& s) { s.SkipWithMessage("needs two GPUs"); for (auto _ : s) {} }
BENCHMARK(BM_skip);
#endif
static void BM_complex(benchmark::State& s) { std::vector<char> v(s.range(0)); for (auto _ : s) { for (auto& c : v) benchmark::DoNotOptimize(c += 1); } s.SetComplexityN(s.range(0)); }
BENCHMARK(BM_complex)->RangeMultiplier(4)->Range(64, 1024)->Complexity(benchmark::oN);
static void BM_lambda(benchmark::State& s) { for (auto _ : s) spin(1us); s.SetComplexityN(s.range(0)); }
BENCHMARK(BM_lambda)->Arg(8)->Arg(16)->Arg(32)->Complexity();
static void BM_counters(benchmark::State& s) {
  for (auto _ : s) spin(2us);
  using C = benchmark::Counter;
  s.counters["zero"] = 0;
  s.counters["nan"] = std::nan("");
  s.counters["inf"] = INFINITY;
  s.counters["minus_inf"] = -INFINITY;
  s.counters["tokens"] = C(double(s.iterations()) * 7, C::kIsRate);
  s.counters["frames"] = C(100, C::kAvgIterations);
  s.counters["seconds_each"] = C(double(s.iterations()), C::kIsRate | C::kInvert);
  s.counters["bytes"] = C(4096. * s.iterations(), C::kIsIterationInvariantRate, C::kIs1024);
  s.counters["real_time"] = 5;
}
BENCHMARK(BM_counters);
template <class T, int N> static void BM_template(benchmark::State& s) { T x{}; for (auto _ : s) { spin(N * 1us); benchmark::DoNotOptimize(x); } }
BENCHMARK_TEMPLATE(BM_template, float, 3);
BENCHMARK_TEMPLATE(BM_template, std::vector<std::pair<int, double>>, 4);
static void BM_capture(benchmark::State& s, std::string t) { for (auto _ : s) spin(1us); s.SetLabel(t); }
BENCHMARK_CAPTURE(BM_capture, "quoted, with comma/slash", std::string("x \"y\"\\ \t\xc3\xa9"));
struct Fix : benchmark::Fixture {};
BENCHMARK_F(Fix, F)(benchmark::State& s) { for (auto _ : s) spin(1us); }
namespace a { static void BM_same(benchmark::State& s) { for (auto _ : s) spin(5us); } BENCHMARK(BM_same)->Unit(benchmark::kMicrosecond); }
namespace b { static void BM_same(benchmark::State& s) { for (auto _ : s) spin(50us); } BENCHMARK(BM_same); }
BENCHMARK_MAIN();
