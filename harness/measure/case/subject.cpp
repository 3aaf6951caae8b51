#include "harness/measure/case/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/model/device_kinds.h"
#include "harness/stats/estimate/estimator.h"
#include "harness/stats/estimate/mean_interval.h"

namespace harness {
namespace {

constexpr double microseconds_per_second = 1e6;
constexpr double short_call_us = 10;  // beside which the control is shown
constexpr double least_cost_of_a_call = 1.2;

// What kept placements from being sampled as the suite asks for.
void add_stop_notes(std::vector<std::string>& notes, const std::vector<Placement>& placements,
                    const Sampling& sampling, std::size_t taken) {
  const auto stopped_by = [&](Stop why) {
    return std::count_if(placements.begin(), placements.end(),
                         [&](const Placement& placement) { return placement.stopped == why; });
  };
  const auto planned = static_cast<std::size_t>(std::max(1, sampling.placements)) *
                       static_cast<std::size_t>(std::max(1, sampling.samples));
  if (stopped_by(Stop::max_time) > 0)
    notes.push_back(fmt::format("max_time of {:g} s ended sampling after {} of {} samples; raise it for more",
                                sampling.max_time, taken, planned));
  const auto wide = stopped_by(Stop::count);
  if (!(sampling.width > 0) || wide == 0) return;
  double widest = 0;
  for (const Placement& placement : placements)
    if (placement.stopped == Stop::count)
      widest = std::max(widest, stats::relative_width_of_mean(placement.samples));
  notes.push_back(
      fmt::format("in {} of {} placements the mean's interval was still wider than {:g} % after {} samples "
                  "(up to {:.2g} %); raise `max` of `samples`, or allow a wider one",
                  wide, placements.size(), sampling.width * 100, sampling.samples, widest * 100));
}

void add_notes(Subject& subject, const Sampling& sampling, const std::string& gate_obstacle) {
  std::vector<std::string>& notes = subject.result.notes;
  std::size_t taken = 0;
  int forced = 0;
  for (const Placement& placement : subject.samples.placements) {
    taken += placement.samples.size();
    forced += placement.forced_gates;
  }
  if (forced > 0)
    notes.push_back(
        fmt::format("{} of {} samples were forced by the launch gate's deadline of {:g} s, so launch latency "
                    "may be in them; if "
                    "run() waits for the device, let synchronises() return true, else raise gate_deadline",
                    forced, taken, sampling.gate_deadline));
  if (!gate_obstacle.empty())
    notes.push_back(
        fmt::format("timed without a launch gate, because this process {}: launch latency is included, "
                    "and no time of this run should be kept",
                    gate_obstacle));
  else if (!subject.gated)
    notes.emplace_back(
        "timed without a launch gate, because run() waits for the device: launch latency is included");
  else if (!subject.keeps_to_stream)
    notes.emplace_back(
        "timed on streams that wait for the default stream, because a call of run() could not be captured "
        "(it queues work there, waits, allocates or fails); such times differ more between processes");
  add_stop_notes(notes, subject.samples.placements, sampling, taken);
}

void add_mode_notes(Subject& subject, const Sampling& sampling) {
  std::vector<std::string>& notes = subject.result.notes;
  if (subject.retaken > 0)
    notes.push_back(fmt::format("samples taken again, because longer batches of calls took no longer: {}",
                                subject.retaken));
  if (subject.rotates_in_cache)
    notes.push_back(fmt::format(
        "{} sets of its buffers fit in the cache together, so calls that take turns with "
        "them are not cold; {}",
        subject.result.input_sets,
        sampling.cache == CacheMode::cold ? "give shorter batches (`batch_nodes`)" : "use `cache: cold`"));
  const std::optional<Batching>& batching = subject.result.batching;
  if (batching && batching->off_line > most_off_line)
    notes.push_back(fmt::format(
        "batches of {} calls lie up to {:.1f} % off a straight line, so their slope is not the time "
        "of a call alone; give other `batch_nodes`",
        fmt::join(batching->calls, ", "), batching->off_line * 100));
}

// Of all samples, in us; infinite without any.
double median_of(const ProcessSamples& samples) {
  std::vector<double> all;
  for (const Placement& placement : samples.placements)
    all.insert(all.end(), placement.samples.begin(), placement.samples.end());
  return all.empty() ? std::numeric_limits<double>::infinity() : stats::median(all);
}

}  // namespace

tl::unexpected<Ending> ended(Outcome outcome, std::string reason) {
  return tl::unexpected<Ending>(Ending{outcome, std::move(reason), false});
}

double to_microseconds(Seconds value) {
  const double us = value * microseconds_per_second;
  const double rounded = std::round(us * 1e4) / 1e4;
  return rounded > 0 ? rounded : us;
}

PlannedCase as_workload_sees(const PlannedCase& planned, const Catalog& catalog) {
  PlannedCase own = planned;
  if (const sdk::Workload* workload = catalog.workload(planned.workload))
    own.params = workload_params(planned.params, workload->params());
  return own;
}

bool same_tensors(const sdk::Problem& one, const sdk::Problem& other) {
  return std::equal(one.tensors.begin(), one.tensors.end(), other.tensors.begin(), other.tensors.end(),
                    [](const sdk::TensorSpec& a, const sdk::TensorSpec& b) {
                      return a.name == b.name && a.role == b.role && a.dtype == b.dtype && a.shape == b.shape;
                    });
}

Step find(Subject& subject, const PlannedCase& planned, const sdk::DeviceTraits& traits) {
  subject.workload = subject.catalog->workload(planned.workload);
  if (subject.workload == nullptr)
    return ended(Outcome::failed, fmt::format("this worker knows no workload `{}`", planned.workload));
  subject.variant = subject.catalog->variant(planned.workload, planned.variant);
  if (subject.variant == nullptr)
    return ended(Outcome::failed,
                 fmt::format("this worker knows no variant `{}` of `{}`", planned.variant, planned.workload));
  const sdk::Variant& variant = *subject.variant;
  if (variant.make == nullptr)
    return ended(Outcome::skipped, variant.unavailable.empty() ? "not available here" : variant.unavailable);
  if (variant.device != traits.kind)
    return ended(Outcome::skipped, fmt::format("variant `{}` runs on {}, and this device is {}",
                                               planned.variant, variant.device, traits.kind));
  return {};
}

Status look_at_streams(Subject& subject, Device& device) {
  if (!subject.gated) return {};
  const Result<bool> keeps =
      device.timer().keeps_to_stream([&](sdk::Stream stream) { subject.kernel->run(stream); });
  if (!keeps) return fail(keeps.error());
  subject.keeps_to_stream = *keeps;
  return {};
}

Step keep(Subject& subject, const Timing& timing) {
  if (!(timing.elapsed > 0) || !std::isfinite(timing.elapsed))
    return ended(Outcome::failed, "one call is shorter than the clock can tell; make the case larger");
  subject.placement.samples.push_back(to_microseconds(timing.elapsed));
  subject.placement.forced_gates += timing.gate_forced ? 1 : 0;
  if (timing.launch) subject.placement_launches.samples.push_back(to_microseconds(*timing.launch));
  return {};
}

void close_placement(Subject& subject, const Placement& surroundings) {
  subject.placement.started = surroundings.started;
  subject.placement.conditions = surroundings.conditions;
  subject.placement.clock_ghz = surroundings.clock_ghz;
  subject.placement.stopped = surroundings.stopped;
  subject.samples.placements.push_back(std::exchange(subject.placement, {}));
  if (!subject.placement_launches.samples.empty())
    subject.launches.placements.push_back(std::exchange(subject.placement_launches, {}));
}

Step compare_with_nothing(Subject& subject, const Sampling& sampling, Device& device) {
  subject.result.batching = subject.batch_means.summary();
  add_mode_notes(subject, sampling);
  const double median = median_of(subject.samples);
  if (median >= short_call_us && sampling.timing != TimingMode::batch) return {};
  subject.result.control = device.timer().control();
  const std::optional<Control>& control = subject.result.control;
  if (sampling.timing == TimingMode::batch || !control || !control->pair) return {};
  // A device on which a call costs hardly more than none, a CPU, tells nothing.
  const bool tells = control->call > least_cost_of_a_call * *control->pair;
  if (!tells || median >= (*control->pair + control->call) / 2) return {};
  return ended(
      Outcome::failed,
      fmt::format("a call reads {:.2f} us, as nothing does ({:.2f} us; an empty kernel {:.2f} us): run() "
                  "queues nothing on the stream that it is given; queue all its work there, none on "
                  "a stream of its own",
                  median, *control->pair, control->call));
}

// Time is measured whatever the suite asks for; the others where it asks.
void conclude(Subject& subject, const PlannedCase& planned, Device& device, double buffer_bytes) {
  add_notes(subject, planned.sampling, device.timer().gate_obstacle());
  ProcessResult& result = subject.result;
  const std::vector<std::string>& wanted = planned.metrics;
  const int process = result.process;
  add_cycles(result, wanted, subject.samples);
  Series time{std::string(find_device_kind(device.traits().kind)->time_metric),
              "us",
              Direction::lower_is_better,
              {std::move(subject.samples)}};
  result.series.insert(result.series.begin(), std::move(time));  // a case's first metric is its time
  if (contains(wanted, error_metric))
    result.series.push_back(single_value(error_metric, process,
                                         std::max(result.verification->before, result.verification->after)));
  if (contains(wanted, buffer_memory_metric))
    result.series.push_back(single_value(buffer_memory_metric, process, buffer_bytes));
  if (contains(wanted, peak_memory_metric) && subject.peak_memory)
    result.series.push_back(
        single_value(peak_memory_metric, process, static_cast<double>(*subject.peak_memory)));
  else if (contains(wanted, peak_memory_metric))
    result.notes.emplace_back(
        subject.side.empty()
            ? "peak_memory is missing: this device does not tell it"
            : "peak_memory is missing: two builds in one process cannot be told apart; `harness run` "
              "measures it");
  if (contains(wanted, launch_time_metric) && subject.launches.placements.empty())
    result.notes.emplace_back(planned.sampling.timing == TimingMode::batch
                                  ? "launch_time is missing: a batch launches all its calls at once"
                                  : "launch_time is missing: this device does not tell it");
  else if (contains(wanted, launch_time_metric))
    result.series.push_back(Series{std::string(launch_time_metric.name),
                                   "us",
                                   Direction::lower_is_better,
                                   {std::move(subject.launches)}});
  subject.reported->add_to(result, wanted);
}

}  // namespace harness
