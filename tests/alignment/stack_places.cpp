// Does a loop's time depend on where the stack begins? Prints the place of a buffer on the stack within its
// page, and how long a loop on it takes. That is a ratio: to the same loop on a buffer at the start of a
// cache line. The median of 21 ratios, which are measured in turns. For x86-64 with AVX2.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>

namespace {

constexpr int turns = 20'000;
constexpr std::uintptr_t page = 4096;

alignas(64) std::array<char, 64> aligned{};

// Reads and writes the first 32 bytes at once, so that they may lie in two cache lines.
__attribute__((noinline)) double seconds_of(char* buffer) {
  const auto begin = std::chrono::steady_clock::now();
  auto* const words = reinterpret_cast<__m256i*>(buffer);
  for (int i = 0; i < turns; ++i) {
    _mm256_storeu_si256(words, _mm256_add_epi32(_mm256_loadu_si256(words), _mm256_set1_epi32(1)));
    asm volatile("" ::: "memory");
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main() {
  std::array<char, 64> local{};
  std::array<double, 21> ratios{};
  for (double& ratio : ratios) {
    const double on_stack = seconds_of(local.data());
    ratio = on_stack / seconds_of(aligned.data());
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("%d %.3f\n", static_cast<int>(reinterpret_cast<std::uintptr_t>(local.data()) % page),
              ratios[ratios.size() / 2]);
}
