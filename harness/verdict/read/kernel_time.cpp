#include "harness/verdict/read/kernel_time.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "harness/base/units.h"
#include "harness/model/known_metrics.h"
#include "harness/model/pin/figures.h"
#include "harness/stats/estimate/estimator.h"

namespace harness {
namespace {

constexpr double microsecond = 1e-6;

double median(std::vector<double> values) {
  return values.empty() ? 0 : stats::quantile(values, 0.5);
}

const Series* time_of(const CaseRecord& record) {
  const auto found = std::find_if(record.series.begin(), record.series.end(),
                                  [](const Series& series) { return is_time_of_device(series.metric); });
  return found == record.series.end() ? nullptr : &*found;
}

// The cost of a pair of events around a call where no control was measured; on H200s 2.1 to 2.4 us.
constexpr double usual_pair_us = 2.3;
// The longest gap between two launches of one stream that is no news; on H200s 1.5 to 2.5 us.
constexpr double usual_gap_us = 3;
// No power cap and no heat has been seen to take a GPU below two thirds of its clock.
constexpr double plausible_clock_share = 0.35;

// Both times of the calls of one process, and possible causes of their difference.
struct View {
  double event_us = 0;
  double kernels_us = 0;
  int launches = 0;
  bool forced = false;
  std::size_t known = 0;  // placements that tell whether the device held its clock down
  std::size_t throttled = 0;
};

// Possible causes of a difference between events and kernels.
struct Suspects {
  View typical;
  double event_us = 0;
  double gap_us = 0;
  double pair_us = 0;          // what the events themselves cost
  bool pair_known = false;     // by a control
  double throttled_share = 0;  // that the case's gate allows
};

View view_of(const ProcessResult& process, const ProcessSamples& samples, double us_per_unit) {
  View view;
  const ConditionFigures conditions = conditions_of(samples);
  view.known = static_cast<std::size_t>(conditions.known);
  view.throttled = static_cast<std::size_t>(conditions.named);
  view.forced = (samples.figures && samples.figures->forced_gates > 0) ||
                std::any_of(samples.placements.begin(), samples.placements.end(),
                            [](const Placement& placement) { return placement.forced_gates > 0; });
  view.event_us = median_sample(samples).value_or(0) * us_per_unit;
  for (const KernelUse& kernel : process.kernels) {
    view.kernels_us += kernel.us * kernel.launches;
    view.launches += kernel.launches;
  }
  return view;
}

std::vector<View> views_of(const CaseRecord& record) {
  std::vector<View> views;
  const Series* time = time_of(record);
  // Kernels of several GPUs run beside each other, so the sum of their times is no time of a call.
  if (time == nullptr || record.gpus > 1) return views;
  const double us_per_unit = seconds_per_unit(time->unit) / microsecond;
  for (const ProcessResult& process : record.processes) {
    const auto samples =
        std::find_if(time->processes.begin(), time->processes.end(),
                     [&](const ProcessSamples& one) { return one.process == process.process; });
    if (process.kernels.empty() || samples == time->processes.end()) continue;
    const View view = view_of(process, *samples, us_per_unit);
    if (view.event_us > 0 && view.kernels_us > 0) views.push_back(view);
  }
  return views;
}

// The cost of the events: the difference between an empty call by itself and one in a batch, by the medians
// over the processes of a case.
std::optional<double> pair_cost_of(const CaseRecord& one) {
  std::vector<double> calls, batched;
  for (const ProcessResult& process : one.processes)
    if (process.control) {
      calls.push_back(process.control->call);
      batched.push_back(process.control->batched);
    }
  const double cost = median(std::move(calls)) - median(std::move(batched));
  return cost > 0 ? std::optional(cost) : std::nullopt;
}

// A lower clock changes every kernel by the same share. So it explains neither a large difference nor one
// that events and launches cost anyway.
bool clock_explains(const Suspects& all) {
  const View& view = all.typical;
  if (view.known == 0) return false;
  const double share = static_cast<double>(view.throttled) / static_cast<double>(view.known);
  const double launches = all.pair_us + tolerable_time_us + (view.launches - 1) * usual_gap_us;
  return share > all.throttled_share && all.gap_us > launches &&
         all.gap_us < plausible_clock_share * all.event_us;
}

// Why events tell more than the kernels, from the surest sign to the likeliest cause.
DiagnosticCode why_more(const Suspects& all) {
  if (all.typical.forced) return DiagnosticCode::events_gate;
  if (clock_explains(all)) return DiagnosticCode::events_clock;
  if (all.typical.launches > 1) return DiagnosticCode::events_gaps;
  if (all.pair_known && all.gap_us <= all.pair_us + tolerable_time_us) return DiagnosticCode::events_pair;
  return DiagnosticCode::events_unseen;
}

Diagnostic with_cause(const Suspects& all, double kernels_us) {
  if (all.gap_us <= 0)
    return {all.typical.launches > 1 ? DiagnosticCode::kernels_overlap : DiagnosticCode::kernels_slowed,
            {{"events_us", all.event_us}, {"kernels_us", kernels_us}}};
  Diagnostic found{why_more(all), {{"events_us", all.event_us}, {"kernels_us", kernels_us}}};
  const bool less_pair = all.pair_known && all.gap_us > all.pair_us;
  if (found.code == DiagnosticCode::events_pair || (found.code == DiagnosticCode::events_gaps && less_pair))
    found.figures.emplace_back("pair_us", all.pair_us);
  if (found.code == DiagnosticCode::events_gaps) {
    found.figures.emplace_back("launches", all.typical.launches);
    found.figures.emplace_back("gap_us",
                               (all.gap_us - (less_pair ? all.pair_us : 0)) / (all.typical.launches - 1));
  }
  return found;
}

std::optional<double> median_of(const CaseRecord& record, std::string_view metric) {
  for (const Series& series : record.series) {
    if (series.metric != metric) continue;
    const SeriesFigures all = all_samples_of(series);
    if (all.samples > 0) return all.median;
  }
  return std::nullopt;
}

}  // namespace

EventPairCosts::EventPairCosts(const Record& record) {
  std::map<std::string, std::vector<double>> costs;
  for (const CaseRecord& one : record.cases)
    if (const std::optional<double> cost = pair_cost_of(one)) costs[one.device].push_back(*cost);
  for (auto& [device, all] : costs) known_.emplace(device, median(std::move(all)));
}

std::optional<double> EventPairCosts::of(const std::string& device) const {
  const auto found = known_.find(device);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Diagnostic> kernel_time_doubt(const CaseRecord& record, std::optional<double> pair_us) {
  if (record.program) return std::nullopt;  // its kernels are those of a step, its time that of a process
  const std::vector<View> views = views_of(record);
  if (views.empty()) return std::nullopt;
  Suspects all{views.front(), 0, 0, 0, false, record.gate.throttled};
  if (record.sampling.timing != TimingMode::batch) {  // a slope over batches holds no events
    if (const auto own = pair_cost_of(record)) pair_us = own;
    all.pair_known = pair_us.has_value();
    all.pair_us = pair_us.value_or(usual_pair_us);
  }
  all.typical.known = all.typical.throttled = 0;
  std::vector<double> events, kernels;
  for (const View& view : views) {
    events.push_back(view.event_us);
    kernels.push_back(view.kernels_us);
    all.typical.forced = all.typical.forced || view.forced;
    all.typical.known += view.known;
    all.typical.throttled += view.throttled;
  }
  all.event_us = median(std::move(events));
  const double sum = median(std::move(kernels));
  all.gap_us = all.event_us - sum;
  if (!(std::abs(all.gap_us) > tolerable_time_share * all.event_us + tolerable_time_us)) return std::nullopt;
  return with_cause(all, sum);
}

std::optional<Diagnostic> traffic_diagnostic(const CaseRecord& record) {
  const auto read = median_of(record, "dram__bytes_read.sum");
  const auto written = median_of(record, "dram__bytes_write.sum");
  if (!read || !written) return std::nullopt;
  Diagnostic found{DiagnosticCode::traffic, {{"read", *read}, {"written", *written}}};
  if (record.bytes > 0) found.figures.emplace_back("declared", record.bytes);
  return found;
}

}  // namespace harness
