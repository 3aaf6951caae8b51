#include "harness/verdict/read/kernel_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "harness/base/units.h"
#include "harness/model/known_metrics.h"
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

// What a pair of events around a call adds where no control was measured: on H200s 2.1 to 2.4 us.
constexpr double usual_pair_us = 2.3;
// The longest gap between two launches of one stream that is no news; on H200s 1.5 to 2.5 us.
constexpr double usual_gap_us = 3;
// No power cap and no heat has been seen to take a GPU below two thirds of its clock.
constexpr double plausible_clock_share = 0.35;

// Both views of the calls of one process, and what bears on their difference.
struct View {
  double event_us = 0;
  double kernels_us = 0;
  int launches = 0;
  bool forced = false;
  std::size_t known = 0;  // placements that tell whether the device held its clock down
  std::size_t throttled = 0;
};

// What may explain why events tell more.
struct Suspects {
  View typical;
  double event_us = 0;
  double gap_us = 0;
  double pair_us = 0;          // what the events themselves cost
  bool pair_known = false;     // by a control
  double throttled_share = 0;  // that the case's gate bears
};

View view_of(const ProcessResult& process, const ProcessSamples& samples, double us_per_unit) {
  View view;
  std::vector<double> all;
  for (const Placement& placement : samples.placements) {
    all.insert(all.end(), placement.samples.begin(), placement.samples.end());
    view.forced = view.forced || placement.forced_gates > 0;
    if (!placement.conditions) continue;
    ++view.known;
    if (!placement.conditions->throttled.empty()) ++view.throttled;
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

// The median difference between a call that does nothing by itself and in a batch: what the events cost.
std::optional<double> pair_cost_of(const std::vector<const CaseRecord*>& cases) {
  std::vector<double> costs;
  for (const CaseRecord* one : cases)
    for (const ProcessResult& process : one->processes)
      if (process.control && process.control->call > process.control->batched)
        costs.push_back(process.control->call - process.control->batched);
  if (costs.empty()) return std::nullopt;
  return median(std::move(costs));
}

// A lower clock changes every kernel by the same share, so a large difference is none, and neither is one
// that events and launches come to anyway.
bool clock_explains(const Suspects& all) {
  const View& view = all.typical;
  if (view.known == 0) return false;
  const double share = static_cast<double>(view.throttled) / static_cast<double>(view.known);
  const double launches = all.pair_us + tolerable_time_us + (view.launches - 1) * usual_gap_us;
  return share > all.throttled_share && all.gap_us > launches &&
         all.gap_us < plausible_clock_share * all.event_us;
}

// What makes events tell more than the kernels, from the surest sign to the likeliest cause.
std::string why_more(const Suspects& all) {
  const View& view = all.typical;
  if (view.forced)
    return "the launch gate opened on its deadline, so launch latency is in the events: raise gate_deadline";
  if (clock_explains(all))
    return "the device held its clock down while samples were taken, and the profiler looked later";
  const bool less_pair = all.pair_known && all.gap_us > all.pair_us;
  if (view.launches > 1)
    return fmt::format(
        "{}gaps between the {} launches, {:.2f} us each: fuse them, or launch them as one CUDA graph",
        less_pair
            ? fmt::format("two events around a call cost {:.2f} us (control), and there are ", all.pair_us)
            : "",
        view.launches, (all.gap_us - (less_pair ? all.pair_us : 0)) / (view.launches - 1));
  if (all.pair_known && all.gap_us <= all.pair_us + tolerable_time_us)
    return fmt::format(
        "two events around a call cost {:.2f} us (control); for a short kernel time a batch of calls",
        all.pair_us);
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

EventPairCosts::EventPairCosts(const Record& record) {
  std::map<std::string, std::vector<const CaseRecord*>> cases;
  for (const CaseRecord& one : record.cases) cases[one.device].push_back(&one);
  for (const auto& [device, all] : cases)
    if (const std::optional<double> cost = pair_cost_of(all)) known_.emplace(device, *cost);
}

std::optional<double> EventPairCosts::of(const std::string& device) const {
  const auto found = known_.find(device);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> kernel_time_doubt(const CaseRecord& record, std::optional<double> pair_us) {
  const std::vector<View> views = views_of(record);
  if (views.empty()) return std::nullopt;
  Suspects all{views.front(), 0, 0, 0, false, record.gate.throttled};
  if (record.sampling.timing != TimingMode::batch) {  // a slope over batches holds no events
    if (const auto own = pair_cost_of({&record})) pair_us = own;
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
  return fmt::format("events say {:.4g} us a call, its kernels {:.4g} us by the profiler: {}", all.event_us,
                     sum, all.gap_us > 0 ? why_more(all) : why_less(all.typical));
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
