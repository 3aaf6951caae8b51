#include "harness/stats/estimate/lanes.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "harness/stats/constants.h"

namespace harness::stats {
namespace {

constexpr std::size_t lanes = Lanes::most;
// Two lanes: the widest vector that every 64-bit processor has. Wider ones would be taken apart, slowly.
using Pair __attribute__((vector_size(16))) = double;
static_assert(lanes % 2 == 0);

// Orders rows `low` and `high` in every lane; compiles to vector minimum and maximum.
void exchange(double* low, double* high) {
  for (std::size_t lane = 0; lane < lanes; lane += 2) {
    Pair one, other;
    std::memcpy(&one, low + lane, sizeof one);
    std::memcpy(&other, high + lane, sizeof other);
    const Pair least = one < other ? one : other, most = one < other ? other : one;
    std::memcpy(low + lane, &least, sizeof least);
    std::memcpy(high + lane, &most, sizeof most);
  }
}

// Sorts each lane of `count` rows by Batcher's merge exchange (Knuth, vol. 3, 5.2.2, algorithm M).
void sort_lanes(double* rows, std::size_t count) {
  if (count < 2) return;
  const std::size_t top = std::bit_ceil(count) / 2;
  for (std::size_t p = top; p > 0; p /= 2) {
    std::size_t q = top, r = 0, d = p;
    for (;;) {
      for (std::size_t start = r; start + d < count; start += 2 * p)
        for (std::size_t i = start; i < std::min(start + p, count - d); ++i)
          exchange(rows + i * lanes, rows + (i + d) * lanes);
      if (q == p) break;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
}

}  // namespace

void Lanes::add(std::span<const double> values) {
  rows_.resize(longest * lanes);
  for (std::size_t i = 0; i < values.size(); ++i) rows_[i * lanes + size_] = values[i];
  counts_[size_++] = values.size();
}

void Lanes::sort() {
  const std::size_t rows = *std::max_element(counts_.begin(), counts_.begin() + size_);
  // Shorter lanes are filled up with what sorts to their end; an idle lane's content does not matter,
  // but it must be numbers.
  for (std::size_t lane = 0; lane < lanes; ++lane)
    for (std::size_t i = lane < size_ ? counts_[lane] : 0; i < rows; ++i) rows_[i * lanes + lane] = infinity;
  sort_lanes(rows_.data(), rows);
}

std::span<const double> Lanes::sorted(std::size_t lane) {
  sorted_.resize(counts_[lane]);
  for (std::size_t i = 0; i < sorted_.size(); ++i) sorted_[i] = rows_[i * lanes + lane];
  return sorted_;
}

}  // namespace harness::stats
