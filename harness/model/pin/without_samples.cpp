#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "harness/base/units.h"
#include "harness/model/pin/figures.h"
#include "harness/stats/estimate/estimator.h"
#include "harness/stats/estimate/process_estimator.h"

namespace harness {
namespace {

void take_duty(ProcessFigures& figures, const ProcessSamples& process) {
  double sum = 0;
  int paced = 0;
  for (const Placement& placement : process.placements) {
    if (placement.samples.empty()) continue;
    if (placement.forced_gates > 0) figures.forced_gates += placement.forced_gates;
    if (!(placement.duty > 0)) continue;
    sum += placement.duty;
    ++paced;
    figures.slow_samples += std::max(placement.slow_samples, 0);
  }
  if (paced > 0) figures.duty = std::round(sum / paced * 100) / 100;
}

class Leaner {
 public:
  void lean(Series& series) {
    const bool is_time = seconds_per_unit(series.unit) > 0;
    const bool counts_slow = is_time && series.direction == Direction::lower_is_better;
    std::vector<std::pair<ProcessSamples*, ProcessFigures>> found;
    for (ProcessSamples& process : series.processes) {
      if (process.figures || sample_count(process) < 2) continue;
      std::optional<ProcessFigures> figures = of_samples(process);
      if (!figures) continue;
      if (counts_slow) figures->slow = static_cast<int>(slow_calls(process, figures->log_value));
      if (is_time)
        figures->median = median_sample(process);
      else
        figures->plain = mean_of_placements(process);
      found.emplace_back(&process, std::move(*figures));
    }
    if (found.empty()) return;
    SeriesFigures all = all_samples_of(series);
    if (!series.all) all.step = step_of(series);
    series.all = all;
    for (auto& [process, figures] : found) {
      process->placements.clear();
      process->figures = std::move(figures);
    }
  }

 private:
  // std::nullopt where some sample has no logarithm.
  std::optional<ProcessFigures> of_samples(const ProcessSamples& process) {
    estimator_.begin(1);
    ProcessFigures figures;
    for (const Placement& placement : process.placements) {
      estimator_.add_placement(0, placement.samples);
      figures.placements += placement.samples.empty() ? 0 : 1;
    }
    const stats::ProcessEstimate estimate = estimator_.finish().front();
    if (!std::isfinite(estimate.log_value)) return std::nullopt;
    figures.log_value = estimate.log_value;
    figures.samples = static_cast<int>(estimate.samples);
    figures.mild = static_cast<int>(estimate.outliers.mild);
    figures.far = static_cast<int>(estimate.outliers.far);
    figures.mean = mean_sample(process);
    if (!std::isfinite(figures.mean)) return std::nullopt;
    figures.constant = constant_of({"", "", Direction::lower_is_better, {process}});
    figures.slowing = slowing_of(process, lanes_);
    figures.started = std::round(start_of(process) * 1000) / 1000;
    figures.conditions = conditions_of(process);
    take_duty(figures, process);
    return figures;
  }

  stats::ProcessEstimator estimator_;
  stats::Lanes lanes_;
};

// The larger error of the two checks; NaN is worse than any number.
double worst_error(const Verification& one) {
  if (std::isnan(one.before) || std::isnan(one.after)) return std::numeric_limits<double>::infinity();
  return std::max(one.before, one.after);
}

void keep_worst_check(std::vector<ProcessResult>& results) {
  ProcessResult* worst = nullptr;
  for (ProcessResult& result : results) {
    if (!result.verification) continue;
    if (worst != nullptr && !(worst_error(*result.verification) > worst_error(*worst->verification))) {
      result.verification.reset();
      continue;
    }
    if (worst != nullptr) worst->verification.reset();
    worst = &result;
  }
}

double median_of(const std::vector<double>& values) {
  return stats::quantile(values, 0.5);
}

void keep_median_control(std::vector<ProcessResult>& results) {
  std::vector<double> calls, batched, pairs;
  ProcessResult* first = nullptr;
  for (ProcessResult& result : results) {
    if (!result.control) continue;
    calls.push_back(result.control->call);
    batched.push_back(result.control->batched);
    if (result.control->pair) pairs.push_back(*result.control->pair);
    if (first == nullptr)
      first = &result;
    else
      result.control.reset();
  }
  if (first == nullptr) return;
  *first->control = {median_of(calls), median_of(batched), {}};
  if (!pairs.empty()) first->control->pair = median_of(pairs);
}

}  // namespace

bool lacks_samples(const CaseRecord& one) {
  const auto has_figures = [](const ProcessSamples& process) { return process.figures.has_value(); };
  return std::any_of(one.series.begin(), one.series.end(), [&](const Series& series) {
    return std::any_of(series.processes.begin(), series.processes.end(), has_figures);
  });
}

bool lacks_samples(const Record& record) {
  return std::any_of(record.cases.begin(), record.cases.end(),
                     [](const CaseRecord& one) { return lacks_samples(one); });
}

Record without_samples(Record record) {
  Leaner leaner;
  for (CaseRecord& one : record.cases) {
    for (std::vector<Series>* all : {&one.series, &one.alone})
      for (Series& series : *all) leaner.lean(series);
    keep_worst_check(one.processes);
    keep_median_control(one.processes);
    for (ProcessResult& result : one.processes) {
      result.phases.clear();
      result.batching.reset();
    }
  }
  return record;
}

}  // namespace harness
