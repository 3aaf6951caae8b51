// An upper bound on the statistic of change_points.h. It shows cheaply that no split of a shuffled segment
// reaches a bar. Most shuffles stay so far below a true change that the bound decides them.
//
// With S the sum of |x - y| over the pairs of a side, and m and n values on the sides,
//
//   Q = 2/N [S_all - (N-1) (S_left / (m-1) + S_right / (n-1))],  N = m + n,
//
// so a lower bound of each S is an upper bound of Q. Two are used:
// - Values of neighbouring ranks share a bin, and count as equal.
// - S / (m-1) never falls when a value x joins its side: summed over the old pairs, |y - z| <= |x - y| + |x -
//   z| is S <= (m-1) (sum of |x - y|). So one sum every few splits suffices.
//
// An object belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace harness::stats {

// The rank of each finite value; equal ones have different ranks.
std::vector<std::uint32_t> ranks_of(std::span<const double> values);

// Values by rank, and their distances |x - y|.
struct RankedValues {
  RankedValues(std::span<const double> values, std::span<const std::uint32_t> ranks);

  std::vector<double> sorted;     // ascending, less their mean: so sums of them keep their digits
  std::vector<double> distances;  // of each to all others, summed
  double total = 0;               // over all pairs
};

class SplitBound {
 public:
  // For orders of these values. Where the bar is too low for this to be worth its cost, nothing is shown.
  SplitBound(const RankedValues& values, double bar);

  // True: in this order of the ranks, every split that leaves `least` values, 2 or more, on both sides has a
  // statistic below the bar. There must be such a split. `values`: those that this was made for.
  bool shows_below(std::span<const std::uint32_t> order, std::size_t least, const RankedValues& values);

 private:
  // Vectors of the width that every 64-bit processor has.
  using Pair __attribute__((vector_size(16))) = double;
  using Tally = Pair;  // how many values there are, and their sum

  [[nodiscard]] std::size_t bin_of(std::uint64_t rank) const { return rank * scale_ >> 32; }
  void set_bins(std::size_t bins, std::size_t values);
  [[nodiscard]] double total_within_bins(const RankedValues& values) const;
  [[nodiscard]] Pair between_bins(double size) const;

  double bar_;
  std::size_t stride_ = 0;    // splits from one sum to the next; 0: nothing can be shown
  std::uint64_t scale_ = 0;   // bins a value, times 2^32
  std::vector<Tally> front_;  // by bin, of the side that begins the order
  std::vector<Tally> back_;   // of the side that ends it
};

}  // namespace harness::stats
