#include "harness/verdict/unit/unit_values.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace harness {

UnitValues read_unit_values(const Series& series, int most) {
  UnitValues read;
  for (const ProcessSamples& process : series.processes) {
    if (process.process > most) continue;
    double sum = 0;
    std::size_t count = 0;
    for (const Placement& placement : process.placements) {
      for (const double sample : placement.samples)
        if (!std::isfinite(sample) && !read.unusable) read.unusable = UnusableSample{process.process, sample};
      sum = std::accumulate(placement.samples.begin(), placement.samples.end(), sum);
      count += placement.samples.size();
    }
    if (count == 0) continue;
    read.processes.push_back(process.process);
    read.values.push_back(sum / static_cast<double>(count));
    read.pooled |= process.session > 0;
  }
  return read;
}

Side side_of(const UnitValues& values) {
  Side side;
  side.processes = static_cast<int>(values.values.size());
  if (values.values.empty()) return side;
  const stats::Moments moments = stats::moments(values.values);
  side.center = moments.mean;
  if (side.center != 0) side.process_sd = std::sqrt(moments.variance) / std::abs(side.center);
  side.process_values = values.values;
  return side;
}

std::optional<std::vector<double>> differences_by_process(const UnitValues& baseline,
                                                          const UnitValues& current) {
  if (baseline.pooled || current.pooled) return std::nullopt;
  std::unordered_map<int, double> before;
  for (std::size_t i = 0; i < baseline.values.size(); ++i)
    before.emplace(baseline.processes[i], baseline.values[i]);
  std::vector<double> differences;
  for (std::size_t i = 0; i < current.values.size(); ++i)
    if (const auto found = before.find(current.processes[i]); found != before.end())
      differences.push_back(current.values[i] - found->second);
  if (differences.size() < std::min(baseline.values.size(), current.values.size())) return std::nullopt;
  return differences;
}

}  // namespace harness
