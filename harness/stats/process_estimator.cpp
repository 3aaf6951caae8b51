#include "harness/stats/process_estimator.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace harness::stats {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double trimmed_share = 0.1;

constexpr std::size_t lanes = ProcessEstimator::lanes;
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

bool usable(std::span<const double> samples) {
  bool all = true;
  for (const double sample : samples) all &= sample > 0 && sample <= std::numeric_limits<double>::max();
  return all;
}

}  // namespace

void ProcessEstimator::begin(std::size_t processes) {
  estimates_.assign(processes, ProcessEstimate{});
  placements_.assign(processes, 0);
  waiting_count_ = 0;
  rows_.resize(longest_lane * lanes);
}

void ProcessEstimator::add_placement(std::size_t process, std::span<const double> samples) {
  if (samples.empty()) return;
  ++placements_[process];
  estimates_[process].samples += samples.size();
  if (!usable(samples)) {
    estimates_[process].log_value = not_a_number;
  } else if (samples.size() > longest_lane) {
    sorted_.assign(samples.begin(), samples.end());
    std::sort(sorted_.begin(), sorted_.end());
    add_sorted(process, sorted_);
  } else {
    for (std::size_t i = 0; i < samples.size(); ++i) rows_[i * lanes + waiting_count_] = samples[i];
    waiting_[waiting_count_++] = {process, samples.size()};
    if (waiting_count_ == lanes) flush();
  }
}

void ProcessEstimator::flush() {
  std::size_t longest = 0;
  for (std::size_t lane = 0; lane < waiting_count_; ++lane) longest = std::max(longest, waiting_[lane].count);
  // Shorter lanes are filled up with what sorts to their end; an idle lane's content does not matter,
  // but it must be numbers.
  for (std::size_t lane = 0; lane < lanes; ++lane)
    for (std::size_t i = lane < waiting_count_ ? waiting_[lane].count : 0; i < longest; ++i)
      rows_[i * lanes + lane] = infinity;
  sort_lanes(rows_.data(), longest);
  for (std::size_t lane = 0; lane < waiting_count_; ++lane) {
    sorted_.resize(waiting_[lane].count);
    for (std::size_t i = 0; i < sorted_.size(); ++i) sorted_[i] = rows_[i * lanes + lane];
    add_sorted(waiting_[lane].process, sorted_);
  }
  waiting_count_ = 0;
}

void ProcessEstimator::add_sorted(std::size_t process, std::span<const double> sorted) {
  const Fences fences = fences_from_quartiles(quantile_sorted(sorted, 0.25), quantile_sorted(sorted, 0.75));
  const std::size_t count = sorted.size();
  std::size_t far_low = 0, far_high = 0;
  while (far_low < count && sorted[far_low] < fences.far_low) ++far_low;
  while (far_high < count && sorted[count - 1 - far_high] > fences.far_high) ++far_high;
  std::size_t mild_low = far_low, mild_high = far_high;
  while (mild_low < count && sorted[mild_low] < fences.mild_low) ++mild_low;
  while (mild_high < count && sorted[count - 1 - mild_high] > fences.mild_high) ++mild_high;

  ProcessEstimate& estimate = estimates_[process];
  estimate.outliers.far += far_low + far_high;
  estimate.outliers.mild += mild_low + mild_high - far_low - far_high;
  const std::size_t kept = count - far_low - far_high;
  const auto cut = static_cast<std::size_t>(trimmed_share * static_cast<double>(kept));
  // Logarithms keep the order, so the trimmed mean of logs needs only the logs of what is kept.
  estimate.log_value += mean_log(sorted.subspan(far_low + cut, kept - 2 * cut));
}

std::span<const ProcessEstimate> ProcessEstimator::finish() {
  if (waiting_count_ > 0) flush();
  for (std::size_t process = 0; process < estimates_.size(); ++process) {
    ProcessEstimate& estimate = estimates_[process];
    estimate.log_value = placements_[process] == 0
                             ? not_a_number
                             : estimate.log_value / static_cast<double>(placements_[process]);
  }
  return estimates_;
}

double process_log_value(std::span<const std::vector<double>> placements) {
  ProcessEstimator estimator;
  estimator.begin(1);
  for (const std::vector<double>& samples : placements) estimator.add_placement(0, samples);
  return estimator.finish().front().log_value;
}

}  // namespace harness::stats
