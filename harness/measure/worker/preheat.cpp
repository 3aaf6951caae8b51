#include "harness/measure/worker/preheat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace harness {
namespace {

constexpr Seconds step = 0.005;
constexpr Seconds short_step = 0.005;
constexpr double reheat_share = 6;     // of the process's preheating, one part
constexpr Seconds short_idle = 0.005;  // leaves no trace
constexpr double idle_share = 10;      // of the time that the device idled, one part
constexpr Seconds negligible = 1e-6;   // sums of steps are not exact
constexpr std::size_t agreeing_readings = 3;

// The last few readings of a clock.
class Readings {
 public:
  void add(double ghz) {
    std::rotate(last_.begin(), last_.begin() + 1, last_.end());
    last_.back() = ghz;
    ++count_;
  }
  [[nodiscard]] bool enough() const { return count_ >= last_.size(); }
  [[nodiscard]] bool agree(double tolerance) const {
    if (!enough()) return false;
    const auto [least, most] = std::minmax_element(last_.begin(), last_.end());
    return *least > 0 && *most - *least <= tolerance * *least;
  }
  [[nodiscard]] double last() const { return last_.back(); }

 private:
  std::array<double, agreeing_readings> last_{};
  std::size_t count_ = 0;
};

}  // namespace

PreheatLimits preheat_of(const std::vector<PlannedCase>& cases) {
  PreheatLimits limits;
  limits.tolerance = 1;
  for (const PlannedCase& planned : cases) {
    const Sampling& sampling = planned.sampling;
    limits.full_power = std::max(limits.full_power, sampling.full_power);
    if (!(sampling.preheat > 0)) continue;
    limits.least = std::max(limits.least, sampling.preheat);
    limits.most = std::max({limits.most, sampling.preheat, sampling.preheat_most});
    limits.tolerance = std::min(limits.tolerance, sampling.steady);
  }
  return limits;
}

// The two readings of before `least` are one step apart, as those after it are.
Result<Preheated> preheat(Device& device, const PreheatLimits& limits) {
  Preheated done;
  if (limits.full_power > 0)
    if (Status worked = device.timer().full_power(limits.full_power); !worked) return fail(worked.error());
  if (!(limits.least > 0)) return done;
  const Seconds most = std::max(limits.least, limits.most);
  Readings readings;
  const auto heat = [&](Seconds duration) -> Status {
    if (!(duration > 0)) return {};
    if (Status busy = device.timer().preheat(duration); !busy) return busy;
    done.duration += duration;
    return {};
  };
  const auto read = [&] {
    done.clock_ghz = device.sensors().clock_ghz();
    readings.add(done.clock_ghz);
  };
  const bool in_steps = limits.least > 2 * step;
  if (Status busy = heat(in_steps ? limits.least - 2 * step : limits.least); !busy) return fail(busy.error());
  read();
  if (!(done.clock_ghz > 0)) {
    if (in_steps)
      if (Status busy = heat(2 * step); !busy) return fail(busy.error());
    return done;
  }
  const auto left_until = [&](Seconds end) {
    return end - done.duration > negligible ? end - done.duration : 0;
  };
  while (left_until(most) > 0) {
    if (left_until(limits.least) == 0 && readings.agree(limits.tolerance)) return done;
    const Seconds left = left_until(left_until(limits.least) > 0 ? limits.least : most);
    if (Status busy = heat(std::min(step, left)); !busy) return fail(busy.error());
    read();
  }
  done.steady = !readings.enough() || readings.agree(limits.tolerance);
  return done;
}

Result<Preheated> reheat(Device& device, const Sampling& sampling, Warmth& warmth) {
  Preheated done;
  const Seconds most = sampling.preheat / reheat_share;
  if (!(most > 0)) return done;
  const double warm = warmth.clock_ghz();
  const auto heat = [&](Seconds duration) -> Status {
    if (!(duration > negligible)) return {};
    if (Status busy = device.timer().preheat(duration); !busy) return busy;
    done.duration += duration;
    return {};
  };
  const std::optional<Seconds> idle = warmth.idle(device.timer().now());
  Seconds wanted = most;
  if (idle) wanted = *idle < short_idle ? 0 : std::min(*idle / idle_share, most);
  if (Status busy = heat(wanted); !busy) return fail(busy.error());
  const auto agrees = [&](double one, double other) {
    return std::abs(one - other) <= sampling.steady * std::min(one, other);
  };
  done.clock_ghz = device.sensors().clock_ghz();
  done.steady = !(done.clock_ghz > 0) || (warm > 0 && agrees(done.clock_ghz, warm));
  while (!done.steady && most - done.duration > negligible) {
    if (Status busy = heat(std::min(short_step, most - done.duration)); !busy) return fail(busy.error());
    const double before = std::exchange(done.clock_ghz, device.sensors().clock_ghz());
    done.steady = agrees(before, done.clock_ghz);
  }
  warmth.worked(device.timer().now(), done.steady ? done.clock_ghz : 0);
  return done;
}

}  // namespace harness
