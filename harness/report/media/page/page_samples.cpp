#include "harness/report/media/page/page_samples.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace harness::report {
namespace {

// Doubles hold every integer up to here, and so do the page's numbers.
constexpr double largest_step = 9007199254740992.0;

std::vector<double> all_samples(const ProcessSamples& process) {
  std::vector<double> all;
  for (const Placement& placement : process.placements)
    all.insert(all.end(), placement.samples.begin(), placement.samples.end());
  return all;
}

// Steps to a unit, a power of ten, for `digits` significant digits of the median, but never coarser than 1,
// because bytes are counted. Fewer where all values are multiples of a coarser step, such as a clock's 32 ns.
double steps_per_unit(const std::vector<double>& finite, int digits) {
  std::vector<double> sizes;
  for (const double value : finite)
    if (value != 0) sizes.push_back(std::fabs(value));
  if (sizes.empty()) return 1;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const double greatest = *std::max_element(sizes.begin(), sizes.end());
  int exponent = digits - 1 - static_cast<int>(std::floor(std::log10(*middle)));
  exponent = std::clamp(exponent, 0, 300);
  while (exponent > -300 && greatest * std::pow(10.0, exponent) > largest_step / 2) --exponent;
  const auto is_coarser = [&](double value) {
    return std::fmod(std::round(value * std::pow(10.0, exponent)), 10.0) == 0;
  };
  while (exponent > 0 && std::all_of(finite.begin(), finite.end(), is_coarser)) --exponent;
  return std::pow(10.0, exponent);
}

}  // namespace

void put_samples(Json& process, const ProcessSamples& samples, const SampleDetail& detail) {
  std::vector<double> values = all_samples(samples);
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](double value) { return std::isfinite(value); });
  const double per_unit = steps_per_unit(finite, detail.digits);
  const bool whole = detail.quantiles < 2 || values.size() <= detail.quantiles;
  if (!whole) {
    std::sort(finite.begin(), finite.end());
    values.clear();
    const double last = static_cast<double>(finite.size()) - 1;
    for (std::size_t i = 0; i < detail.quantiles && !finite.empty(); ++i) {
      const double at = std::round(static_cast<double>(i) / static_cast<double>(detail.quantiles - 1) * last);
      values.push_back(finite[static_cast<std::size_t>(at)]);
    }
  }
  process["form"] = whole ? "samples" : "quantiles";
  process["per_unit"] =
      per_unit >= 1 && per_unit < largest_step ? Json(static_cast<std::int64_t>(per_unit)) : Json(per_unit);
  Json deltas = Json::array();
  std::int64_t before = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      deltas.push_back(nullptr);
      continue;
    }
    const auto now = static_cast<std::int64_t>(std::round(value * per_unit));
    deltas.push_back(now - before);
    before = now;
  }
  process["deltas"] = std::move(deltas);
}

double rounded(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = digits - 1 - static_cast<int>(std::floor(std::log10(std::fabs(value))));
  // Divided by, so that the result is the double nearest to its decimal.
  if (exponent >= 0 && exponent <= 22) {
    const double scale = std::pow(10.0, exponent);
    return std::round(value * scale) / scale;
  }
  if (exponent < 0 && exponent >= -22) {
    const double scale = std::pow(10.0, -exponent);
    return std::round(value / scale) * scale;
  }
  return value;
}

}  // namespace harness::report
