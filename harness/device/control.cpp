#include "harness/device/control.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace harness {
namespace {

constexpr int rounds = 8;
constexpr int warm_calls = 3;
constexpr int samples = 7;
constexpr int short_batch = 100;
constexpr int long_batch = 400;
constexpr int batch_samples = 5;
constexpr double microseconds_per_second = 1e6;

TimingOptions hot(const Timer& timer) {
  return {.cache = CacheMode::hot, .gated = !timer.gate_obstacle()};
}

// The median of an odd number of timings after `unused` others; std::nullopt when one fails.
template <class Time>
std::optional<Seconds> median(int count, int unused, Time&& time) {
  std::vector<Seconds> taken;
  for (int i = -unused; i < count; ++i) {
    const Result<Timing> timing = time();
    if (!timing) return std::nullopt;
    if (i >= 0) taken.push_back(timing->elapsed);
  }
  std::nth_element(taken.begin(), taken.begin() + count / 2, taken.end());
  return taken[static_cast<std::size_t>(count / 2)];
}

// The mean over several placements, as cases have several. The last one stays in `placement`.
std::optional<Seconds> mean_over_placements(Timer& timer, const Work& work, Scope& placement) {
  Seconds sum = 0;
  for (int round = 0; round < rounds; ++round) {
    Result<Scope> begun = timer.begin_placement(StreamUse::given_only);
    if (!begun) return std::nullopt;
    placement = std::move(*begun);
    const auto one = median(samples, warm_calls, [&] { return timer.time(work, hot(timer)); });
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum / rounds;
}

std::optional<Seconds> median_of_batch(Timer& timer, int calls, const Work& empty) {
  const auto batch = timer.record(calls, [&](sdk::Stream stream, int) { empty(stream); });
  if (!batch) return std::nullopt;
  return median(batch_samples, 1, [&] { return (*batch)->time(hot(timer)); });
}

}  // namespace

std::optional<Control> measure_control(Timer& timer, const Work& empty) {
  // Not gated: code that is loaded at its first launch would wait for ever behind a closed gate.
  if (!timer.time_first_call(empty)) return std::nullopt;
  Scope placement;  // the batches are timed in the last one
  const auto call = mean_over_placements(timer, empty, placement);
  const auto pair = mean_over_placements(
      timer, [](sdk::Stream) {}, placement);
  const auto shorter = median_of_batch(timer, short_batch, empty);
  const auto longer = median_of_batch(timer, long_batch, empty);
  if (!call || !pair || !shorter || !longer) return std::nullopt;
  const double node = (*longer - *shorter) / (long_batch - short_batch);
  return Control{*call * microseconds_per_second, std::max(0.0, node) * microseconds_per_second,
                 *pair * microseconds_per_second};
}

}  // namespace harness
