#include "harness/measure/case/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "harness/base/text.h"
#include "harness/measure/case/microseconds.h"
#include "harness/measure/worker/phases.h"
#include "harness/model/device_kinds.h"
#include "harness/stats/estimate/estimator.h"
#include "harness/stats/estimate/mean_interval.h"

namespace harness {
namespace {

constexpr double short_call_us = 10;  // beside which the control is shown
constexpr double least_cost_of_a_call = 1.2;

// So that records stay small.
double rounded(double value) {
  return std::round(value * 1e4) / 1e4;
}

// Notes on placements that were not sampled as the suite asks for.
void add_stop_notes(Notes& notes, const std::vector<Placement>& placements, const Sampling& sampling,
                    std::size_t taken) {
  const auto stopped_by = [&](Stop why) {
    return std::count_if(placements.begin(), placements.end(),
                         [&](const Placement& placement) { return placement.stopped == why; });
  };
  const auto planned = static_cast<std::size_t>(std::max(1, sampling.placements)) *
                       static_cast<std::size_t>(std::max(1, sampling.samples));
  if (stopped_by(Stop::max_time) > 0)
    notes.push_back(
        {NoteCode::out_of_time, {{"max_time", sampling.max_time}, {"samples", taken}, {"of", planned}}});
  const auto wide = stopped_by(Stop::count);
  if (!(sampling.width > 0) || wide == 0) return;
  double widest = 0;
  for (const Placement& placement : placements)
    if (placement.stopped == Stop::count)
      widest = std::max(widest, stats::relative_width_of_mean(placement.samples));
  notes.push_back({NoteCode::wide_intervals,
                   {{"placements", wide},
                    {"of", placements.size()},
                    {"width", sampling.width},
                    {"samples", sampling.samples},
                    {"widest", widest}}});
}

void add_notes(Subject& subject, const Sampling& sampling, const std::optional<Note>& gate_obstacle) {
  Notes& notes = subject.result.notes;
  std::size_t taken = 0;
  int forced = 0;
  for (const Placement& placement : subject.samples.placements) {
    taken += placement.samples.size();
    forced += placement.forced_gates;
  }
  if (forced > 0)
    notes.push_back(
        {NoteCode::forced_gates, {{"samples", forced}, {"of", taken}, {"deadline", sampling.gate_deadline}}});
  if (gate_obstacle)
    notes.push_back(*gate_obstacle);
  else if (!subject.calls.gated)
    notes.push_back({NoteCode::ungated_by_waiting});
  else if (!subject.calls.keeps_to_stream)
    notes.push_back({NoteCode::plain_streams});
  add_stop_notes(notes, subject.samples.placements, sampling, taken);
}

void add_mode_notes(Subject& subject, const Sampling& sampling) {
  Notes& notes = subject.result.notes;
  if (subject.calls.retaken > 0)
    notes.push_back({NoteCode::samples_retaken, {{"samples", subject.calls.retaken}}});
  if (subject.calls.rotates_in_cache)
    notes.push_back({NoteCode::sets_fit_in_cache,
                     {{"sets", subject.result.input_sets}, {"cache", std::string(name_of(sampling.cache))}}});
  const Rare<Batching>& batching = subject.result.batching;
  if (batching && batching->off_line > most_off_line)
    notes.push_back(
        {NoteCode::bent_batches,
         {{"calls", fmt::format("{}", fmt::join(batching->calls, ", "))}, {"off_line", batching->off_line}}});
}

// The median of all samples, in us; infinite without any.
double median_of(const ProcessSamples& samples) {
  std::vector<double> all;
  for (const Placement& placement : samples.placements)
    all.insert(all.end(), placement.samples.begin(), placement.samples.end());
  return all.empty() ? std::numeric_limits<double>::infinity() : stats::median(all);
}

}  // namespace

void load(const sdk::Variant& variant, Phases& phases, const sdk::Params& params,
          const sdk::DeviceTraits& traits) {
  if (!variant.prepare) return;
  const auto phase = phases.run("load");
  variant.prepare(params, traits);
}

tl::unexpected<Ending> ended(Outcome outcome, Cause cause) {
  return tl::unexpected<Ending>(Ending{outcome, std::move(cause), false});
}

PlannedCase as_workload_sees(const PlannedCase& planned, const Catalog& catalog) {
  PlannedCase own = planned;
  if (const sdk::Workload* workload = catalog.workload(planned.workload))
    own.params = workload_params(with_tuned(planned.params, planned.tuned), workload->params());
  return own;
}

bool same_tensors(const sdk::Problem& one, const sdk::Problem& other) {
  return std::equal(one.tensors.begin(), one.tensors.end(), other.tensors.begin(), other.tensors.end(),
                    [](const sdk::TensorSpec& a, const sdk::TensorSpec& b) {
                      return a.name == b.name && a.role == b.role && a.dtype == b.dtype && a.shape == b.shape;
                    });
}

bool changes_in_place(const sdk::Problem& problem) {
  return std::any_of(problem.tensors.begin(), problem.tensors.end(),
                     [](const sdk::TensorSpec& one) { return one.role == sdk::Role::in_place; });
}

Step find(Subject& subject, const PlannedCase& planned, const sdk::DeviceTraits& traits) {
  subject.workload = subject.catalog->workload(planned.workload);
  if (subject.workload == nullptr)
    return ended(Outcome::failed, {CauseCode::no_workload, {{"workload", printable(planned.workload)}}});
  subject.variant = subject.catalog->variant(planned.workload, planned.variant);
  if (subject.variant == nullptr)
    return ended(Outcome::failed,
                 {CauseCode::no_variant,
                  {{"workload", printable(planned.workload)}, {"variant", printable(planned.variant)}}});
  const sdk::Variant& variant = *subject.variant;
  if (variant.make == nullptr) return ended(Outcome::skipped, cause_of_absence(variant));
  if (variant.device != traits.kind)
    return ended(
        Outcome::skipped,
        {CauseCode::other_device,
         {{"variant", planned.variant}, {"needs", variant.device}, {"device", std::string(traits.kind)}}});
  const auto gpus = static_cast<int>(traits.peers.size()) + 1;
  if (is_gpu_kind(traits.kind) && planned.gpus > gpus)
    return ended(Outcome::skipped, {CauseCode::too_few_gpus, {{"needs", planned.gpus}, {"has", gpus}}});
  return {};
}

Status look_at_streams(Subject& subject, Device& device) {
  if (!subject.calls.gated) return {};
  const Result<bool> keeps =
      device.timer().keeps_to_stream([&](sdk::Stream stream) { subject.kernel->run(stream); });
  if (!keeps) return fail(keeps.error());
  subject.calls.keeps_to_stream = *keeps;
  return {};
}

Step keep(Subject& subject, const Timing& timing, bool slow) {
  if (!(timing.elapsed > 0) || !std::isfinite(timing.elapsed))
    return ended(Outcome::failed, {CauseCode::too_short});
  subject.placement.samples.push_back(to_microseconds(timing.elapsed));
  subject.placement.forced_gates += timing.gate_forced ? 1 : 0;
  subject.placement.slow_samples += slow ? 1 : 0;
  if (timing.clock_ghz > 0) {
    subject.placement.clock_ghz += timing.clock_ghz;
    ++subject.clocks;
  }
  for (const auto& collector : subject.collectors) collector->after_sample(timing);
  return {};
}

void close_placement(Subject& subject, const Placement& surroundings) {
  subject.placement.started = surroundings.started;
  subject.placement.conditions = surroundings.conditions;
  const int clocks = std::exchange(subject.clocks, 0);
  subject.placement.clock_ghz =
      clocks > 0 ? rounded(subject.placement.clock_ghz / clocks) : surroundings.clock_ghz;
  subject.placement.duty = rounded(surroundings.duty);
  subject.placement.stopped = surroundings.stopped;
  subject.samples.placements.push_back(std::exchange(subject.placement, {}));
  for (const auto& collector : subject.collectors) collector->after_placement();
}

Step compare_with_nothing(Subject& subject, const Sampling& sampling, Device& device) {
  subject.result.batching = subject.calls.batch_means.summary();
  add_mode_notes(subject, sampling);
  const double median = median_of(subject.samples);
  if (median >= short_call_us && sampling.timing != TimingMode::batch) return {};
  subject.result.control = device.timer().control();
  const Rare<Control>& control = subject.result.control;
  if (sampling.timing == TimingMode::batch || !control || !control->pair) return {};
  // A device on which a call costs hardly more than none, a CPU, tells nothing.
  const bool tells = control->call > least_cost_of_a_call * *control->pair;
  if (!tells || median >= (*control->pair + control->call) / 2) return {};
  return ended(Outcome::failed, {CauseCode::queues_nothing,
                                 {{"call", median / microseconds_per_second},
                                  {"nothing", *control->pair / microseconds_per_second},
                                  {"empty_kernel", control->call / microseconds_per_second}}});
}

// Time is measured whatever the suite asks for; the others where it asks. A case's first metric is its time.
void conclude(Subject& subject, const PlannedCase& planned, Device& device, std::size_t buffer_bytes) {
  add_notes(subject, planned.sampling, device.timer().gate_obstacle());
  ProcessResult& result = subject.result;
  for (const auto& collector : subject.collectors)
    collector->add_to(result, {subject.samples, buffer_bytes, subject.own_bytes, subject.energy});
  Series time{std::string(find_device_kind(device.traits().kind)->time_metric),
              "us",
              Direction::lower_is_better,
              {std::move(subject.samples)}};
  result.series.insert(result.series.begin(), std::move(time));
  subject.reported->add_to(result, planned.metrics);
}

}  // namespace harness
