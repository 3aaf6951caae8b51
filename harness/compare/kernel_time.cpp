#include "harness/compare/kernel_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "harness/base/units.h"
#include "harness/model/metric.h"
#include "harness/stats/estimator.h"

namespace harness {
namespace {

constexpr double microsecond = 1e-6;

double median(std::vector<double> values) {
  return values.empty() ? 0 : stats::quantile(values, 0.5);
}

const Series* time_of(const CaseRecord& record) {
  const auto found = std::find_if(record.series.begin(), record.series.end(), [](const Series& series) {
    return std::find(names_of_time.begin(), names_of_time.end(), series.metric) != names_of_time.end();
  });
  return found == record.series.end() ? nullptr : &*found;
}

// Both views of the calls of one process, and what bears on their difference.
struct View {
  double event_us = 0;
  double kernels_us = 0;
  int launches = 0;
  bool forced = false;
  bool throttled = false;
};

View view_of(const ProcessResult& process, const ProcessSamples& samples, double us_per_unit) {
  View view;
  std::vector<double> all;
  for (const Placement& placement : samples.placements) {
    all.insert(all.end(), placement.samples.begin(), placement.samples.end());
    view.forced = view.forced || placement.forced_gates > 0;
    view.throttled = view.throttled || (placement.conditions && !placement.conditions->throttled.empty());
  }
  view.event_us = median(std::move(all)) * us_per_unit;
  for (const KernelUse& kernel : process.kernels) {
    view.kernels_us += kernel.us * kernel.launches;
    view.launches += kernel.launches;
  }
  return view;
}

std::vector<View> views_of(const CaseRecord& record) {
  std::vector<View> views;
  const Series* time = time_of(record);
  if (time == nullptr) return views;
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

// What makes events tell more than the kernels, from the surest sign to the likeliest cause.
std::string why_more(const View& view, double gap) {
  if (view.forced)
    return "the launch gate opened on its deadline, so launch latency is in the events: raise gate_deadline";
  if (view.throttled)
    return "the device held its clock down while samples were taken, and the profiler looked later";
  if (view.launches > 1)
    return fmt::format(
        "gaps between the {} launches, {:.2f} us each: fuse them, or launch them as one CUDA graph",
        view.launches, gap / (view.launches - 1));
  return "one launch cannot have gaps: work that the profiler does not see, or launch latency; for a short "
         "kernel time a batch of calls";
}

std::string why_less(const View& view) {
  if (view.launches > 1) return "kernels overlap on several streams, or the profiler slows them down";
  return "the profiler slows the kernel down, or found the caches and the clock in another state";
}

std::optional<double> median_of(const CaseRecord& record, std::string_view metric) {
  for (const Series& series : record.series) {
    if (series.metric != metric) continue;
    std::vector<double> values;
    for (const ProcessSamples& process : series.processes)
      for (const Placement& placement : process.placements)
        values.insert(values.end(), placement.samples.begin(), placement.samples.end());
    if (!values.empty()) return median(std::move(values));
  }
  return std::nullopt;
}

std::string bytes_text(double bytes) {
  static constexpr std::string_view units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

}  // namespace

std::optional<std::string> kernel_time_doubt(const CaseRecord& record) {
  const std::vector<View> views = views_of(record);
  if (views.empty()) return std::nullopt;
  View typical = views.front();
  std::vector<double> events, kernels;
  for (const View& view : views) {
    events.push_back(view.event_us);
    kernels.push_back(view.kernels_us);
    typical.forced = typical.forced || view.forced;
    typical.throttled = typical.throttled || view.throttled;
  }
  const double event = median(std::move(events)), sum = median(std::move(kernels));
  const double gap = event - sum;
  if (!(std::abs(gap) > tolerable_time_share * event + tolerable_time_us)) return std::nullopt;
  return fmt::format("events say {:.4g} us a call, its kernels {:.4g} us by the profiler: {}", event, sum,
                     gap > 0 ? why_more(typical, gap) : why_less(typical));
}

std::optional<std::string> traffic_note(const CaseRecord& record) {
  const auto read = median_of(record, "dram__bytes_read.sum");
  const auto written = median_of(record, "dram__bytes_write.sum");
  if (!read || !written) return std::nullopt;
  const std::string moved = fmt::format("{} read, {} written", bytes_text(*read), bytes_text(*written));
  if (!(record.bytes > 0))
    return fmt::format("moves {} through DRAM a call: {}", bytes_text(*read + *written), moved);
  return fmt::format("moves {:.2f} times the declared {} through DRAM: {}", (*read + *written) / record.bytes,
                     bytes_text(record.bytes), moved);
}

}  // namespace harness
