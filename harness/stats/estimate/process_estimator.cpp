#include "harness/stats/estimate/process_estimator.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "harness/stats/constants.h"

namespace harness::stats {
namespace {

// Whether all are positive and finite. As whole numbers their bits lie between those of 0 and of infinity,
// and comparing these makes vector instructions of the loop.
bool usable(std::span<const double> samples) {
  constexpr auto infinity = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  std::uint64_t beyond = 0;
  for (const double sample : samples) {
    const auto bits = std::bit_cast<std::uint64_t>(sample);
    beyond |= (bits - 1) | (bits + (top - infinity));
  }
  return (beyond & top) == 0;
}

}  // namespace

void ProcessEstimator::begin(std::size_t processes) {
  estimates_.assign(processes, ProcessEstimate{});
  placements_.assign(processes, 0);
  lanes_.clear();
}

void ProcessEstimator::add_placement(std::size_t process, std::span<const double> samples) {
  if (samples.empty()) return;
  ++placements_[process];
  estimates_[process].samples += samples.size();
  if (!usable(samples)) {
    estimates_[process].log_value = not_a_number;
  } else if (samples.size() > Lanes::longest) {
    sorted_.assign(samples.begin(), samples.end());
    std::sort(sorted_.begin(), sorted_.end());
    add_sorted(process, sorted_);
  } else {
    waiting_[lanes_.size()] = process;
    lanes_.add(samples);
    if (lanes_.full()) flush();
  }
}

void ProcessEstimator::flush() {
  lanes_.sort();
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) add_sorted(waiting_[lane], lanes_.sorted(lane));
  lanes_.clear();
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
  if (lanes_.size() > 0) flush();
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
