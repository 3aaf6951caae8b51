// The two ceilings of a CPU: how fast it copies memory and how fast it multiplies and adds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "harness/device/cpu.h"
#include "harness/device/cpu_facts.h"
#include "harness/device/cpu_threads.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t copy_limit = std::size_t{256} << 20;
constexpr Seconds copy_budget = 0.2;
constexpr Seconds arithmetic_budget = 0.1;

Seconds since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double copy_rate(int threads) {
  const std::size_t bytes = std::min(2 * last_level_cache_bytes(), copy_limit);
  std::vector<std::byte> from(bytes, std::byte{1});
  std::vector<std::byte> to(bytes, std::byte{2});
  const std::size_t share = bytes / static_cast<std::size_t>(threads);
  double best = 0;
  const auto begin = Clock::now();
  do {
    const auto pass = Clock::now();
    on_every_thread(threads, [&](int thread) {
      const std::size_t offset = static_cast<std::size_t>(thread) * share;
      std::memcpy(to.data() + offset, from.data() + offset, share);
    });
    best = std::max(best, 2.0 * static_cast<double>(share) * threads / since(pass));
  } while (since(begin) < copy_budget);
  return best;
}

// Independent chains of multiply-add, enough of them to hide the latency of the unit (4-5 cycles) on
// two pipes. GCC's vector types become as many registers as the target has.
constexpr int chains = 12;
constexpr int rounds = 20000;

template <int Bytes>
struct Vector {
  using type __attribute__((vector_size(Bytes))) = float;
  static constexpr int lanes = Bytes / static_cast<int>(sizeof(float));
};

template <int Bytes>
[[gnu::always_inline]] inline float multiply_add_rounds() {
  using V = typename Vector<Bytes>::type;
  V chain[chains];
  V factor{};
  V term{};
  factor += 0.999F;
  term += 0.001F;
  for (int i = 0; i < chains; ++i) chain[i] = term * static_cast<float>(i);
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < chains; ++i) chain[i] = chain[i] * factor + term;
  V sum{};
  for (const V& value : chain) sum += value;
  return sum[0];
}

struct Kernel {
  float (*rounds_of)();
  int lanes;
};

float with_16_bytes() {
  return multiply_add_rounds<16>();
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) float with_64_bytes() {
  return multiply_add_rounds<64>();
}
__attribute__((target("avx2,fma"))) float with_32_bytes() {
  return multiply_add_rounds<32>();
}

Kernel widest() {
  if (__builtin_cpu_supports("avx512f")) return {with_64_bytes, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {with_32_bytes, 8};
  return {with_16_bytes, 4};
}
#else
Kernel widest() {
  return {with_16_bytes, 4};
}
#endif

double arithmetic_rate(int threads) {
  const Kernel kernel = widest();
  std::atomic<std::int64_t> calls{0};
  const auto begin = Clock::now();
  on_every_thread(threads, [&](int) {
    std::int64_t mine = 0;
    for (; since(begin) < arithmetic_budget; ++mine) {
      [[maybe_unused]] volatile float keep = kernel.rounds_of();
    }
    calls += mine;
  });
  const double flops_a_call = 2.0 * chains * rounds * kernel.lanes;
  return static_cast<double>(calls.load()) * flops_a_call / since(begin);
}

}  // namespace

Result<std::map<std::string, double>> CpuDevice::measure_ceilings() {
  try {
    return std::map<std::string, double>{{"copy_bytes_per_s", copy_rate(traits_.multiprocessors)},
                                         {"gemm_flops_per_s", arithmetic_rate(traits_.multiprocessors)}};
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::environment, "no memory for the copy that measures the memory ceiling");
  }
}

}  // namespace harness
