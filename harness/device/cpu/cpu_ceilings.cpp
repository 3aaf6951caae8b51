// The two ceilings of a CPU: how fast it copies memory and how fast it multiplies and adds.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "harness/device/cpu/cpu_device.h"
#include "harness/device/cpu/cpu_facts.h"
#include "harness/device/cpu/cpu_threads.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t copy_limit = std::size_t{256} << 20;
constexpr Seconds copy_budget = 0.2;
constexpr std::size_t slices = 10;
constexpr Seconds slice_length = 0.01;

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
constexpr int chained_rounds = 4000;

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
#pragma GCC unroll 12  // without it the chains live in memory, not in registers
  for (int i = 0; i < chains; ++i) chain[i] = term * static_cast<float>(i);
  for (int round = 0; round < chained_rounds; ++round) {
#pragma GCC unroll 12
    for (V& one : chain) one = one * factor + term;
  }
  V sum{};
#pragma GCC unroll 12
  for (const V& one : chain) sum += one;
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

// The best slice of time, summed over all threads: other processes disturb some slices and not others.
double arithmetic_rate(int threads) {
  const Kernel kernel = widest();
  std::array<std::atomic<std::int64_t>, slices> calls{};
  const auto begin = Clock::now();
  on_every_thread(threads, [&](int) {
    for (std::size_t slice = static_cast<std::size_t>(since(begin) / slice_length); slice < slices;
         slice = static_cast<std::size_t>(since(begin) / slice_length)) {
      [[maybe_unused]] volatile float keep = kernel.rounds_of();
      calls[slice].fetch_add(1, std::memory_order_relaxed);
    }
  });
  const std::int64_t most = *std::max_element(calls.begin(), calls.end());
  return static_cast<double>(most) * 2.0 * chains * chained_rounds * kernel.lanes / slice_length;
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
