#include "harness/device/control.h"

#include <algorithm>
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

TimingOptions hot(const Device& device) {
  return {.cache = CacheMode::hot, .gated = device.gate_obstacle().empty()};
}

// Of an odd number of timings, after some that do not count; std::nullopt when one fails.
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

// The mean over several placements of the device, as a case is measured in several.
std::optional<Seconds> mean_over_placements(Device& device, const std::function<void()>& work) {
  Seconds sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (!device.begin_placement(true)) return std::nullopt;
    const auto one = median(samples, warm_calls, [&] { return device.time(work, hot(device)); });
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum / rounds;
}

std::optional<Seconds> median_of_batch(Device& device, int calls, const std::function<void()>& empty) {
  const Result<std::unique_ptr<Batch>> batch = device.record(calls, [&](int) { empty(); });
  if (!batch) return std::nullopt;
  return median(batch_samples, 1, [&] { return (*batch)->time(hot(device)); });
}

}  // namespace

std::optional<Control> measure_control(Device& device, const std::function<void()>& empty) {
  // Not gated: whatever is loaded at its first launch would wait for ever behind a closed gate.
  if (!device.time_first_call(empty)) return std::nullopt;
  const auto call = mean_over_placements(device, empty);
  const auto pair = mean_over_placements(device, [] {});
  const auto shorter = median_of_batch(device, short_batch, empty);
  const auto longer = median_of_batch(device, long_batch, empty);
  if (!call || !pair || !shorter || !longer) return std::nullopt;
  const double node = (*longer - *shorter) / (long_batch - short_batch);
  return Control{*call * microseconds_per_second, std::max(0.0, node) * microseconds_per_second,
                 *pair * microseconds_per_second};
}

}  // namespace harness
