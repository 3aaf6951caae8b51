#include "harness/verdict/unit/unit_values.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "harness/model/pin/figures.h"

namespace harness {

UnitValues read_unit_values(const Series& series, int most) {
  UnitValues read;
  for (const ProcessSamples& process : series.processes) {
    if (process.process > most) continue;
    for (const Placement& placement : process.placements)
      for (const double sample : placement.samples)
        if (!std::isfinite(sample) && !read.unusable) read.unusable = UnusableSample{process.process, sample};
    if (sample_count(process) == 0) continue;
    read.processes.push_back(process.process);
    read.values.push_back(mean_sample(process));
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
