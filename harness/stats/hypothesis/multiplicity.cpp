#include "harness/stats/hypothesis/multiplicity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace harness::stats {
namespace {

// Indices by ascending p-value, NaN last.
std::vector<std::size_t> ascending(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t index) {
    return std::isnan(p_values[index]) ? std::numeric_limits<double>::infinity() : p_values[index];
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.begin(), p_values.end());
  double largest = 0;
  std::size_t remaining = p_values.size();
  for (const std::size_t index : ascending(p_values)) {
    if (std::isnan(p_values[index])) break;
    largest = std::max(largest, std::min(1.0, static_cast<double>(remaining--) * p_values[index]));
    adjusted[index] = largest;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.begin(), p_values.end());
  const std::vector<std::size_t> order = ascending(p_values);
  const double count = static_cast<double>(p_values.size());
  double smallest = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t index = order[rank - 1];
    if (std::isnan(p_values[index])) continue;
    smallest = std::min(smallest, count * p_values[index] / static_cast<double>(rank));
    adjusted[index] = smallest;
  }
  return adjusted;
}

}  // namespace harness::stats
