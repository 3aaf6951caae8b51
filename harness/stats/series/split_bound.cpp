#include "harness/stats/series/split_bound.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/stats/estimate/estimator.h"

namespace harness::stats {
namespace {

// These constants only affect the speed. The unit is the mean distance of two values. The largest statistic
// of a shuffled order is rarely above `usual`; the rest of the bar is left for the bound's slack. Bins take a
// part of it, each split of a stride takes a unit, and chance takes the rest.
constexpr double usual = 4, least_room = 3, share_of_bins = 0.25, share_of_strides = 0.7;
constexpr double most_bins_a_split = 8;  // above it the bound costs half as much as the statistics

}  // namespace

std::vector<std::uint32_t> ranks_of(std::span<const double> values) {
  std::vector<std::uint32_t> by_value(values.size()), ranks(values.size());
  std::iota(by_value.begin(), by_value.end(), 0U);
  std::sort(by_value.begin(), by_value.end(),
            [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) ranks[by_value[rank]] = rank;
  return ranks;
}

RankedValues::RankedValues(std::span<const double> values, std::span<const std::uint32_t> ranks)
    : sorted(values.size()) {
  const double center = mean(values);
  for (std::size_t i = 0; i < values.size(); ++i) sorted[ranks[i]] = values[i] - center;
  const double all = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  double lower = 0, upto = 0;
  for (const double value : sorted) {
    upto += value;
    distances.push_back(value * (2 * lower + 2 - static_cast<double>(values.size())) + all - 2 * upto);
    lower += 1;
  }
  total = std::accumulate(distances.begin(), distances.end(), 0.0) / 2;
}

SplitBound::SplitBound(const RankedValues& values, double bar)
    : bar_(0.999 * bar) {  // what rounding may add is far less than the rest
  const double count = static_cast<double>(values.sorted.size());
  const double unit = 2 * values.total / count / (count - 1);
  const double room = bar / unit - usual;
  if (!(room >= least_room)) return;
  // Enough bins for evenly spaced values.
  double bins = std::ceil(std::sqrt(count / (share_of_bins * room))), lost = 0;
  for (;; bins = std::ceil(1.2 * bins)) {
    if (bins > most_bins_a_split * share_of_strides * room) return;
    set_bins(static_cast<std::size_t>(bins), values.sorted.size());
    lost = 2 / count * total_within_bins(values) / unit;
    if (lost <= share_of_bins * room) break;
  }
  stride_ = static_cast<std::size_t>(std::min(share_of_strides * (room - lost), count));
}

bool SplitBound::shows_below(std::span<const std::uint32_t> order, std::size_t least,
                             const RankedValues& values) {
  if (stride_ == 0) return false;
  std::ranges::fill(front_, Tally{});
  std::ranges::fill(back_, Tally{});
  // Both ends of the order grow until they meet. The other side of each shrinks; its sum follows, because the
  // distances of an end to all values are those between the sides and twice those within the end.
  const std::size_t half = order.size() / 2;
  const double count = static_cast<double>(order.size());
  const double needed = (values.total - bar_ * count / 2) / (count - 1);
  Pair to_all{}, before{};  // lane 0: the front; lane 1: the back
  std::size_t done = 0;
  for (std::size_t end = least;; end = std::min(end + stride_, half)) {
    const bool first = done == 0;
    for (; done < end; ++done) {
      const std::uint32_t front = order[done], back = order[order.size() - 1 - done];
      front_[bin_of(front)] += Tally{1, values.sorted[front]};
      back_[bin_of(back)] += Tally{1, values.sorted[back]};
      to_all += Pair{values.distances[front], values.distances[back]};
    }
    const double size = static_cast<double>(end);
    const Pair within = between_bins(size), growing = within / (size - 1);
    const Pair shrinking = (values.total + within - to_all) / (count - size - 1);
    // Left minimum: previous split; right minimum: this one.
    const Pair sides = (first ? growing : before) + shrinking;
    if (!(sides[0] > needed && sides[1] > needed)) return false;
    if (end == half) return true;
    before = growing;
  }
}

void SplitBound::set_bins(std::size_t bins, std::size_t values) {
  scale_ = (std::uint64_t{bins} << 32) / values;
  front_.resize(bins);
  back_.resize(bins);
}

// Sum of the distances between values that share a bin: what no side's sum can be short of more than.
double SplitBound::total_within_bins(const RankedValues& values) const {
  double total = 0, sum = 0, met = 0;
  for (std::size_t rank = 0; rank < values.sorted.size(); ++rank) {
    if (rank > 0 && bin_of(rank) != bin_of(rank - 1)) sum = met = 0;
    total += met * values.sorted[rank] - sum;
    sum += values.sorted[rank];
    met += 1;
  }
  return total;
}

// Sum of the distances between values of different bins, of `size` values at either end.
SplitBound::Pair SplitBound::between_bins(double size) const {
  Pair sum{}, lower = Pair{} - size / 2;  // a value counts once for each lower one, less the higher ones
  for (std::size_t bin = 0; bin < front_.size(); ++bin) {
    const Pair upto = lower + Pair{front_[bin][0], back_[bin][0]};
    sum += Pair{front_[bin][1], back_[bin][1]} * (lower + upto);
    lower = upto;
  }
  return sum;
}

}  // namespace harness::stats
