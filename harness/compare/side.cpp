#include "harness/compare/side.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/compare/compare.h"

namespace harness {
namespace {

// The first sample that has no logarithm, in words. Called only when there is one.
std::string describe_unusable(const ProcessSamples& process, const std::string& unit) {
  for (const Placement& placement : process.placements)
    for (const double sample : placement.samples)
      if (!(sample > 0) || !std::isfinite(sample))
        return fmt::format("process {} holds a sample of {}{}{}", process.process, sample,
                           unit.empty() ? "" : " ", unit);
  return fmt::format("process {} holds a sample that cannot be used", process.process);
}

void take_estimates(SideReading& reading, const Series& series,
                    std::span<const stats::ProcessEstimate> estimates) {
  reading.log_values.reserve(estimates.size());
  reading.outlier_rates.reserve(estimates.size());
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const stats::ProcessEstimate& estimate = estimates[i];
    if (estimate.samples == 0) {
      reading.empty.push_back(series.processes[i].process);
      continue;
    }
    if (std::isnan(estimate.log_value)) {
      if (reading.unusable.empty()) reading.unusable = describe_unusable(series.processes[i], series.unit);
      continue;
    }
    reading.log_values.push_back(estimate.log_value);
    reading.outlier_rates.push_back(static_cast<double>(estimate.outliers.far) /
                                    static_cast<double>(estimate.samples));
    reading.samples += estimate.samples;
    reading.outliers.mild += estimate.outliers.mild;
    reading.outliers.far += estimate.outliers.far;
  }
  if (!reading.log_values.empty()) reading.moments = stats::moments(reading.log_values);
}

}  // namespace

SideReading SideReader::read(const Series& series) {
  SideReading reading;
  estimator_.begin(series.processes.size());
  double clock_sum = 0;
  std::size_t clocks = 0;
  for (std::size_t i = 0; i < series.processes.size(); ++i) {
    for (const Placement& placement : series.processes[i].placements) {
      estimator_.add_placement(i, placement.samples);
      if (placement.samples.empty()) continue;
      if (placement.forced_gates > 0)
        reading.forced_gates += static_cast<std::size_t>(placement.forced_gates);
      if (placement.clock_ghz > 0 && std::isfinite(placement.clock_ghz)) {
        clock_sum += placement.clock_ghz;
        ++clocks;
      }
    }
  }
  if (clocks > 0) reading.clock_ghz = clock_sum / static_cast<double>(clocks);
  take_estimates(reading, series, estimator_.finish());
  return reading;
}

Side side_of(const SideReading& reading) {
  Side side;
  side.processes = static_cast<int>(reading.log_values.size());
  if (reading.log_values.empty()) return side;
  side.center = std::exp(reading.moments.mean);
  side.process_sd = std::sqrt(reading.moments.variance);
  if (reading.samples > 0)
    side.outlier_rate = static_cast<double>(reading.outliers.far) / static_cast<double>(reading.samples);
  side.process_values.reserve(reading.log_values.size());
  for (const double value : reading.log_values) side.process_values.push_back(std::exp(value));
  return side;
}

std::vector<double> process_values(const Series& series) {
  return side_of(SideReader().read(series)).process_values;
}

}  // namespace harness
