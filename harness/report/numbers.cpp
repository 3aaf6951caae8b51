#include "harness/report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "harness/base/units.h"

namespace harness::report {
namespace {

struct PositiveRange {
  double low = 0;
  double high = 0;
};

// The range of the positive, finite values; zeros when there are none.
PositiveRange range_of(std::span<const double> values) {
  PositiveRange range;
  for (const double value : values) {
    if (!std::isfinite(value) || value <= 0) continue;
    range.low = range.low == 0 ? value : std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range;
}

// Decimals that show `size` with four significant digits and `width` (of an interval) with one.
int decimals_for(double size, double width) {
  if (!std::isfinite(size) || size == 0) return 2;
  const int of_size = 3 - static_cast<int>(std::floor(std::log10(std::fabs(size))));
  const int of_width =
      std::isfinite(width) && width > 0 ? static_cast<int>(std::ceil(-std::log10(width))) : 0;
  return std::clamp(std::max(of_size, std::min(of_width, of_size + 3)), 0, 12);
}

}  // namespace

Scale scale_for(std::string_view unit, std::span<const double> values) {
  Scale scale{1, std::string(unit), true, std::string(unit)};
  const double seconds = seconds_per_unit(unit);
  const PositiveRange range = range_of(values);
  if (seconds == 0 || range.low == 0) return scale;
  if (range.high / range.low > 1e5) return {1, "", false, std::string(unit)};
  static constexpr std::array<std::string_view, 4> units{"s", "ms", "us", "ns"};
  for (const std::string_view candidate : units) {
    scale.unit = candidate;
    scale.factor = seconds / seconds_per_unit(candidate);
    if (range.low * scale.factor >= 1) break;
  }
  return scale;
}

std::string quantity(double value, const Scale& scale, int digits) {
  if (!std::isfinite(value)) return std::string(unknown);
  if (!scale.shared) return format_seconds(value * seconds_per_unit(scale.source));
  return format_significant(value * scale.factor, digits);
}

namespace {

bool says_little(const Interval& interval) {
  return interval.lo >= 0 && interval.hi > most_bounds_apart * interval.lo;
}

}  // namespace

bool ratio_says_little(const Interval& ratio) {
  return says_little(ratio) && ratio.lo <= 1 && ratio.hi >= 1;
}

std::string bounds(const Interval& interval, const Scale& scale) {
  if (!std::isfinite(interval.lo) || !std::isfinite(interval.hi)) return std::string(unknown);
  if (says_little(interval)) return std::string(too_wide);
  if (!scale.shared)
    return fmt::format("[{}, {}]", quantity(interval.lo, scale), quantity(interval.hi, scale));
  const double lo = interval.lo * scale.factor;
  const double hi = interval.hi * scale.factor;
  const int decimals = decimals_for((lo + hi) / 2, (hi - lo) / 2);
  return fmt::format("[{:.{}f}, {:.{}f}]", lo, decimals, hi, decimals);
}

std::string bounds(const Interval& interval) {
  if (!std::isfinite(interval.lo) || !std::isfinite(interval.hi)) return std::string(unknown);
  if (says_little(interval)) return std::string(too_wide);
  const double centre = (interval.lo + interval.hi) / 2;
  const int decimals = std::max(0, decimals_for(centre, (interval.hi - interval.lo) / 2) - 1);
  return fmt::format("[{:.{}f}, {:.{}f}]", interval.lo, decimals, interval.hi, decimals);
}

std::string signed_percent(double fraction) {
  if (!std::isfinite(fraction)) return std::string(unknown);
  if (std::fabs(fraction) < 0.00005) return "0.00 %";  // never "-0.00 %"
  return fmt::format("{:+.{}f} %", fraction * 100, std::fabs(fraction) < 1 ? 2 : 0);
}

std::string percent_bounds(const Interval& ratio) {
  if (!std::isfinite(ratio.lo) || !std::isfinite(ratio.hi)) return std::string(unknown);
  if (ratio_says_little(ratio)) return std::string(too_wide);
  return fmt::format("[{}, {}]", signed_percent(ratio.lo - 1), signed_percent(ratio.hi - 1));
}

std::string short_percent(double fraction) {
  if (!std::isfinite(fraction)) return std::string(unknown);
  const double size = std::fabs(fraction);
  return fmt::format("{:.{}f} %", fraction * 100, size < 0.01 ? 2 : size < 0.1 ? 1 : 0);
}

std::string plain_percent(double fraction) {
  if (!std::isfinite(fraction)) return std::string(unknown);
  return fmt::format("{:.6g} %", fraction * 100);
}

std::string probability(const std::optional<double>& p) {
  if (!p || !std::isfinite(*p)) return std::string(unknown);
  if (*p < 1e-16) return "< 1e-16";
  return *p < 0.001 ? fmt::format("{:.1e}", *p) : fmt::format("{:.3f}", *p);
}

Scale si_scale_for(std::string_view unit, std::span<const double> values) {
  static constexpr std::array<std::pair<double, std::string_view>, 6> prefixes{
      {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
  const PositiveRange range = range_of(values);
  for (const auto& [size, prefix] : prefixes)
    if (range.low >= size || (range.high >= size * 10 && range.low * 10 >= size))
      return {1 / size, std::string(prefix) + std::string(unit), true, std::string(unit)};
  return {1, std::string(unit), true, std::string(unit)};
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped_digits(count), count == 1 ? one : many);
}

std::string coarse_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return std::string(unknown);
  if (seconds < 60) return fmt::format("{:.{}f} s", seconds, seconds < 9.95 ? 1 : 0);
  const auto whole = static_cast<unsigned long long>(std::min(std::llround(seconds), 1LL << 53));
  const unsigned long long minutes = whole / 60;
  if (minutes < 60) return fmt::format("{} min {} s", minutes, whole % 60);
  return fmt::format("{} h {} min", grouped_digits(minutes / 60), minutes % 60);
}

std::string grouped_digits(unsigned long long value) {
  std::string digits = fmt::format("{}", value);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

}  // namespace harness::report
