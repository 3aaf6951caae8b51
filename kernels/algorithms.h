// Choosing among a library's algorithms: the fastest by times that a caller takes, how many a fair reference
// is chosen from, and what a record says where the library has fewer. Pure; needs no CUDA.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

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

// Takes time_of(index) of each of `count` (at least one) ways in turns, once uncounted and `rounds` (at least
// one) times counted, and gives that with the smallest median. Among ways within 1 % of it, where noise would
// choose, it gives the first. A way is out once two counted calls took more than twice the shortest of all.
template <class TimeOf>
std::size_t fastest_by(std::size_t count, int rounds, const TimeOf& time_of) {
  constexpr float alike = 1.01F, hopeless = 2.0F;
  std::vector<std::vector<float>> times(count);
  std::vector<float> shortest(count, std::numeric_limits<float>::max());
  const auto least_times = [](float factor, const std::vector<float>& all) {
    return factor * *std::min_element(all.begin(), all.end());
  };
  float limit = std::numeric_limits<float>::max();
  for (int round = -1; round < rounds; ++round) {
    if (round == 2) limit = least_times(hopeless, shortest);
    for (std::size_t i = 0; i < count; ++i) {
      if (shortest[i] > limit) continue;
      const float time = time_of(i);
      if (round < 0) continue;
      shortest[i] = std::min(shortest[i], time);
      times[i].push_back(time);
    }
  }
  std::vector<float> medians;
  for (std::vector<float>& of_one : times) {
    const auto middle = of_one.begin() + std::ssize(of_one) / 2;
    std::nth_element(of_one.begin(), middle, of_one.end());
    medians.push_back(*middle);
  }
  limit = least_times(alike, medians);
  const auto chosen = std::find_if(medians.begin(), medians.end(), [&](float time) { return time <= limit; });
  return static_cast<std::size_t>(chosen - medians.begin());
}

}  // namespace kernels
