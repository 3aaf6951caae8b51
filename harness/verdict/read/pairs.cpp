#include "harness/verdict/read/pairs.h"

#include <cmath>
#include <span>
#include <unordered_map>

#include "harness/stats/hypothesis/paired.h"

namespace harness {
namespace {

std::vector<std::span<const double>> placements_of(const ProcessSamples& process) {
  std::vector<std::span<const double>> all;
  for (const Placement& placement : process.placements) all.emplace_back(placement.samples);
  return all;
}

}  // namespace

std::vector<double> log_ratios(const Series& baseline, const Series& current) {
  std::unordered_map<int, const ProcessSamples*> before;
  for (const ProcessSamples& process : baseline.processes) before.emplace(process.process, &process);
  std::vector<double> ratios;
  for (const ProcessSamples& process : current.processes) {
    const auto found = before.find(process.process);
    if (found == before.end()) continue;
    const double ratio = stats::process_log_ratio(placements_of(*found->second), placements_of(process));
    if (!std::isnan(ratio)) ratios.push_back(ratio);
  }
  return ratios;
}

std::optional<std::vector<double>> ratios_in_turn(const SideReading& baseline, const SideReading& current) {
  std::unordered_map<int, double> before;
  for (std::size_t i = 0; i < baseline.numbers.size(); ++i)
    before.emplace(baseline.numbers[i], baseline.log_values[i]);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < current.numbers.size(); ++i)
    if (const auto found = before.find(current.numbers[i]); found != before.end())
      ratios.push_back(current.log_values[i] - found->second);
  if (ratios.size() < least_pairs_in_turn) return std::nullopt;
  return ratios;
}

}  // namespace harness
