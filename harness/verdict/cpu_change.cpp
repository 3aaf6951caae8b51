#include "harness/verdict/cpu_change.h"

#include <cmath>
#include <cstddef>

#include "harness/model/pin/figures.h"
#include "harness/model/program_metrics.h"

namespace harness {
namespace {

// The mean of a metric over all samples; 0 without any.
double mean_sample_of(const CaseRecord& record, std::string_view metric) {
  double sum = 0;
  std::size_t count = 0;
  for (const Series& series : record.series) {
    if (series.metric != metric) continue;
    for (const ProcessSamples& process : series.processes) {
      const std::size_t samples = sample_count(process);
      if (samples > 0) sum += mean_sample(process) * static_cast<double>(samples);
      count += samples;
    }
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

// 0: unknown.
double cpu_time_of(const CaseRecord& record) {
  const double own = mean_sample_of(record, benchmark_cpu_time);
  return own > 0 ? own : mean_sample_of(record, user_time) + mean_sample_of(record, system_time);
}

}  // namespace

std::optional<double> cpu_change(const CaseRecord& baseline, const CaseRecord& current) {
  const double before = cpu_time_of(baseline), after = cpu_time_of(current);
  if (!(before > 0) || !(after > 0)) return std::nullopt;
  return std::log(after / before);
}

}  // namespace harness
