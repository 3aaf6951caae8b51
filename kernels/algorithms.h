// How many of a library's algorithms a fair reference is chosen from, and what a record says where the
// library has fewer. Pure; needs no CUDA.
#pragma once

#include <string>

namespace kernels {

inline constexpr int asked_algorithms = 16;
inline constexpr int fair_algorithms = 8;
static_assert(asked_algorithms >= fair_algorithms);

// "" where `tried` are enough, or where only one was `asked` for.
inline std::string too_few_algorithms(int tried, int asked) {
  if (asked == 1 || tried >= fair_algorithms) return {};
  return "cuBLASLt offers " + std::to_string(tried) + (tried == 1 ? " algorithm" : " algorithms") +
         " for this shape, of " + std::to_string(asked) +
         " that it was asked for: the fastest of fewer than " + std::to_string(fair_algorithms);
}

}  // namespace kernels
