#include "harness/verdict/read/step_overlap.h"

#include <algorithm>

#include "harness/model/program_metrics.h"

namespace harness {
namespace {

// Of all samples; 0 where the record lacks the metric.
double sum_of(const CaseRecord& record, std::string_view metric) {
  double sum = 0;
  for (const Series& series : record.series)
    if (series.metric == metric)
      for (const ProcessSamples& process : series.processes)
        for (const Placement& placement : process.placements)
          for (const double sample : placement.samples) sum += sample;
  return sum;
}

// Entries without a margin and an alpha are those of every traced program.
bool has_gate_of_its_own(const CaseRecord& one, std::string_view metric) {
  return std::any_of(one.gate.metrics.begin(), one.gate.metrics.end(), [&](const MetricGate& gate) {
    return gate.metric == metric && (gate.margin || gate.alpha);
  });
}

}  // namespace

std::optional<double> step_overlap(const CaseRecord& program) {
  const double kernel = sum_of(program, traced_kernel_time), busy = sum_of(program, traced_busy_time);
  if (!(kernel > 0 && busy > 0)) return std::nullopt;
  return std::max(1.0, kernel / busy);
}

std::optional<bool> informs_by_overlap(const CaseRecord& before, const CaseRecord& after,
                                       std::string_view metric) {
  if (metric != traced_kernel_time && metric != traced_busy_time) return std::nullopt;
  const std::optional<double> old = step_overlap(before), now = step_overlap(after);
  if (!old || !now || std::max(*old, *now) < 1 + notable_overlap) return std::nullopt;
  if (has_gate_of_its_own(before, metric) || has_gate_of_its_own(after, metric)) return std::nullopt;
  return metric == traced_kernel_time;
}

}  // namespace harness
