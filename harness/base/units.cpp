#include "harness/base/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "harness/base/text.h"

namespace harness {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 7> duration_units{
    {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"m", 60.0}, {"min", 60.0}, {"h", 3600.0}}};

// A bare number of at least this is probably a percentage without its sign.
constexpr double ambiguous_fraction = 0.1;

// Splits "12.5ms" into 12.5 and "ms"; NaN when there is no leading number.
std::pair<double, std::string_view> number_and_rest(std::string_view text) {
  text = trim(text);
  double value = NAN;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return {NAN, text};
  return {value, trim(text.substr(static_cast<std::size_t>(end - text.data())))};
}

}  // namespace

Seconds seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Result<Seconds> parse_duration(std::string_view text) {
  const auto [value, unit] = number_and_rest(text);
  for (const auto& [name, scale] : duration_units)
    if (unit == name && std::isfinite(value) && value >= 0) return value * scale;
  return fail(ErrorKind::usage, fmt::format("`{}` is not a duration", printable(text)),
              "write a number and a unit: ns, us, ms, s, m or h, for example `250ms`");
}

Result<double> parse_fraction(std::string_view text) {
  auto [value, rest] = number_and_rest(text);
  if (rest.empty() && value >= ambiguous_fraction && value < 1)
    return fail(ErrorKind::usage,
                fmt::format("`{}` may mean {} % or {:g} %", printable(text), trim(text), value * 100),
                fmt::format("write `{}%` or `{:g}%`", trim(text), value * 100));
  if (rest == "%") value /= 100;
  const bool known_suffix = rest.empty() || rest == "%";
  if (std::isnan(value))
    return fail(ErrorKind::usage, fmt::format("`{}` is not a number", printable(text)),
                "write a percentage such as `0.5%` or a fraction such as `0.005`");
  if (known_suffix && std::isfinite(value) && value >= 0 && value < 1) return value;
  return fail(ErrorKind::usage, fmt::format("`{}` is not a fraction from 0 to below 100 %", printable(text)),
              "write a percentage such as `0.5%` or a fraction such as `0.005`");
}

double seconds_per_unit(std::string_view unit) {
  if (unit == "s") return 1;
  if (unit == "ms") return 1e-3;
  if (unit == "us") return 1e-6;
  if (unit == "ns") return 1e-9;
  return 0;
}

std::string format_significant(double value, int digits) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (value == 0) return "0";
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  constexpr int least = -4;  // smaller numbers would begin with zeros
  if (magnitude < least) return fmt::format("{:.{}e}", value, digits - 1);
  const int decimals = std::max(0, digits - 1 - magnitude);
  return fmt::format("{:.{}f}", value, std::min(decimals, 12));
}

std::string after_number(std::string_view unit) {
  return unit.empty() || unit == "1" ? std::string() : " " + std::string(unit);
}

std::string format_quantity(double value, std::string_view unit) {
  constexpr double least = 0.1, most = 1e4;
  const double size = std::fabs(value);
  if (const double seconds = seconds_per_unit(unit);
      seconds > 0 && size > 0 && (size < least || size >= most))
    return format_seconds(value * seconds);
  return format_significant(value) + after_number(unit);
}

std::string format_seconds(Seconds value) {
  const double size = std::fabs(value);
  if (!std::isfinite(value)) return format_significant(value);
  if (size >= 120) return format_significant(value / 60, 3) + " min";
  if (size >= 1) return format_significant(value) + " s";
  if (size >= 1e-3) return format_significant(value * 1e3) + " ms";
  if (size >= 1e-6) return format_significant(value * 1e6) + " us";
  return format_significant(value * 1e9) + " ns";
}

std::string format_percent(double fraction, int digits) {
  return fmt::format("{:.{}f} %", fraction * 100, digits);
}

std::string format_si(double value, std::string_view unit) {
  static constexpr std::array<std::pair<double, std::string_view>, 6> prefixes{
      {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
  for (const auto& [scale, prefix] : prefixes)
    if (std::fabs(value) >= scale)
      return fmt::format("{} {}{}", format_significant(value / scale, 3), prefix, unit);
  return fmt::format("{} {}", format_significant(value, 3), unit);
}

}  // namespace harness
