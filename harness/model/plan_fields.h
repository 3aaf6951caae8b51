// The fields of plan.h's structs, as files and suites hold them (schema/fields.h).
#pragma once

#include "harness/model/fact_fields.h"
#include "harness/model/plan.h"
#include "harness/schema/json_fields.h"

namespace harness {

template <>
struct Described<Location> {
  static constexpr auto fields =
      list_fields<Location>(JsonLayout::line, field("file", &Location::file), field("line", &Location::line),
                            field("column", &Location::column));
};

// Values of records that were written before there was a choice. These values are still written by leaving
// the key out.
struct EventsWhereAbsent : Plain {
  static constexpr TimingMode when_absent = TimingMode::events;
};
struct SustainedWhereAbsent : Plain {
  static constexpr PowerMode when_absent = PowerMode::sustained;
};

template <>
struct Described<Sampling> {
  static constexpr bool stops_early(const Sampling& sampling) { return sampling.width != 0; }

  static constexpr auto fields = list_fields<Sampling>(
      JsonLayout::line,
      field("processes", &Sampling::processes)
          .within(1, most_processes)
          .says("Fresh worker processes, the replicates of the statistics. A verdict needs 5 a side."),
      field("placements", &Sampling::placements)
          .within(1, 1000)
          .says("Allocations of all buffers within a process, each at other addresses."),
      field("samples", &Sampling::samples)
          .called("samples.max")
          .within(8, 1'000'000)
          .says("Timed calls per placement, at most."),
      field("min_samples", &Sampling::min_samples)
          .within(1, 1'000'000)
          .says("Timed calls per placement, at least, when `max_time` ends sampling early."),
      field("warmup", &Sampling::warmup).within(0, 1'000'000).says("Untimed calls after each allocation."),
      field("cache", &Sampling::cache)
          .says("Last-level cache before a call. `cold`: evicted. `hot`: as the last call left it. `rotate`: "
                "each call takes another set of buffers; all sets together are larger than the cache."),
      field("width", &Sampling::width)
          .unless_default()
          .called("samples.width")
          .in(Unit::share)
          .above(0)
          .up_to(0.5)
          .such_as("0.3%")
          .says("Relative width of the 95 % interval of a placement's mean that ends sampling."),
      field("width_samples", &Sampling::width_samples)
          .when(stops_early)
          .called("samples.min")
          .within(8, 1'000'000)
          .says("Timed calls per placement before the width is judged."),
      field("preheat", &Sampling::preheat)
          .called("preheat.min")
          .in(Unit::seconds)
          .says("Busy time before a process's first case, at least."),
      field("preheat_most", &Sampling::preheat_most)
          .unless_default()
          .called("preheat.max")
          .in(Unit::seconds)
          .says("Busy time before a process's first case, at most."),
      field("steady", &Sampling::steady)
          .unless_default()
          .called("preheat.steady")
          .in(Unit::share)
          .above(0)
          .up_to(0.5)
          .says("The clock is steady when three readings lie this close together."),
      field("full_power", &Sampling::full_power)
          .unless_default()
          .in(Unit::seconds)
          .such_as("1s")
          .says("Work of a GPU at its highest power before a process's first case. For suites with kernels "
                "that raise its voltage."),
      field("max_time", &Sampling::max_time)
          .in(Unit::seconds)
          .above(0)
          .says("Longest sampling of one case in one process."),
      field("timeout", &Sampling::timeout)
          .in(Unit::seconds)
          .above(0)
          .says("Longest time for one case in one process, all included; then the process is killed."),
      field("gate_deadline", &Sampling::gate_deadline)
          .in(Unit::seconds)
          .above(0)
          .says("The launch gate opens after this time even if the queue is not full."),
      field("seed", &Sampling::seed).says("Seed of inputs and placements. Each process derives its own."),
      field("timing", &Sampling::timing)
          .as<EventsWhereAbsent>()
          .says("How calls are timed. `events`: each by itself. `batch`: many together; the slope over their "
                "number is the time of one. `auto`: batches for a GPU's calls below some 64 us that can be "
                "recorded, else events."),
      field("power", &Sampling::power)
          .as<SustainedWhereAbsent>()
          .says("`boost`: a GPU idles between calls, so that each runs at the boost clock. `sustained`: it "
                "never idles."),
      field("batch_nodes", &Sampling::batch_nodes)
          .unless_default()
          .at_least(1)
          .within(1, most_batch_nodes)
          .elements(2, 8)
          .such_as("[100, 200, 400]")
          .says("With `timing: batch`, the calls of each batch: two to eight increasing numbers. Default: by "
                "the time of a call."),
      field("inputs", &Sampling::inputs)
          .unless_default()
          .such_as("zeros")
          .says("Values on which calls are timed. `drawn`: as the workload draws them. Else `zeros`, "
                "`uniform`, "
                "`normal` or a safetensors file. Results are always checked on drawn values."),
      field("inputs_hash", &Sampling::inputs_hash).unless_default());
};

template <>
struct Described<MetricGate> {
  static constexpr auto fields =
      list_fields<MetricGate>(JsonLayout::line, field("metric", &MetricGate::metric),
                              field("margin", &MetricGate::margin)
                                  .unless_default()
                                  .in(Unit::share)
                                  .below(1)
                                  .plain_only_below(0.1)
                                  .or_in_own_unit()
                                  .such_as("1%")
                                  .says("Changes of this metric up to this size do not matter: a percentage, "
                                        "or a number with the metric's unit, such as `0.5 points`."),
                              field("alpha", &MetricGate::alpha)
                                  .unless_default()
                                  .within(smallest_alpha, 0.5)
                                  .below(0.5)
                                  .such_as("0.01")
                                  .says("Accepted probability of a false alarm for this metric."),
                              field("informative", &MetricGate::informative)
                                  .unless_default()
                                  .says("The metric is compared and shown, but decides nothing."),
                              field("unit", &MetricGate::unit).unless_default());
};

template <>
struct Described<Gate> {
  static constexpr auto fields = list_fields<Gate>(
      JsonLayout::line,
      field("margin", &Gate::margin)
          .in(Unit::share)
          .below(1)
          .plain_only_below(0.1)
          .says("Changes up to this size do not matter. 0% compares exactly."),
      field("alpha", &Gate::alpha)
          .within(smallest_alpha, 0.5)
          .below(0.5)
          .says("Accepted probability of a false alarm over the whole suite."),
      field("metrics", &Gate::metrics)
          .as<ByName>()
          .unless_default()
          .says("Gates of single metrics, by name. `time` is the device's time."),
      field("throttled", &Gate::throttled)
          .unless_default()
          .in(Unit::share)
          .below(1)
          .says("Largest share of throttled placements on a side that allows a verdict."),
      field("looks", &Gate::looks)
          .unless_default()
          .within(2, most_processes)
          .elements(1, static_cast<int>(most_looks))
          .such_as("[5, 10, 20]")
          .says("Numbers of processes a side at which results are judged: at most three, increasing. `run "
                "--against` continues undecided cases from one to the next."));
};

template <>
struct Described<SuiteIdentity> {
  static constexpr auto fields =
      list_fields<SuiteIdentity>(JsonLayout::line, field("name", &SuiteIdentity::name).required(),
                                 field("file", &SuiteIdentity::file), field("hash", &SuiteIdentity::hash));
};

template <>
struct Described<Program> {
  static constexpr auto fields = list_fields<Program>(
      JsonLayout::line, field("name", &Program::name).required(),
      field("command", &Program::command).required(), field("folder", &Program::folder).unless_default(),
      field("env", &Program::env).unless_default(), field("reads", &Program::reads).unless_default(),
      field("prepare", &Program::prepare).unless_default(), field("steps", &Program::steps).unless_default(),
      field("build", &Program::build).unless_default(), field("inputs", &Program::inputs).unless_default(),
      field("built", &Program::built).unless_default());
};

template <>
struct Described<PlannedCase> {
  static constexpr auto fields = list_fields<PlannedCase>(
      JsonLayout::lines, field("case", &PlannedCase::id).required(),
      field("workload", &PlannedCase::workload).required(),
      field("variant", &PlannedCase::variant).required(), field("device", &PlannedCase::device).required(),
      field("params", &PlannedCase::params), field("metrics", &PlannedCase::metrics),
      field("tags", &PlannedCase::tags), field("flops", &PlannedCase::flops).null_when_default(),
      field("bytes", &PlannedCase::bytes).null_when_default(),
      field("items", &PlannedCase::items).null_when_default(),
      field("item_name", &PlannedCase::item_name).unless_default(),
      field("link_bytes", &PlannedCase::link_bytes).unless_default(),
      field("hides", &PlannedCase::hides).unless_default(),
      field("gpus", &PlannedCase::gpus).unless_default().within(1, most_gpus),
      field("reference", &PlannedCase::reference).null_when_default(),
      field("sampling", &PlannedCase::sampling).required(),
      field("suite_sampling", &PlannedCase::suite_sampling).unless_default(),
      field("tuned", &PlannedCase::tuned).unless_default(),
      field("choice", &PlannedCase::choice).unless_default(),
      field("inputs_file", &PlannedCase::inputs_file).unless_default(),
      field("program", &PlannedCase::program).unless_default(), field("gate", &PlannedCase::gate),
      field("counter_passes", &PlannedCase::counter_passes).unless_default(),
      field("where", &PlannedCase::where).null_when_default(),
      field("skip", &PlannedCase::skip).null_when_default());
};

template <>
struct Described<Plan> {
  static constexpr auto fields = list_fields<Plan>(
      JsonLayout::lines, field("suite", &Plan::suite).required(), field("modules", &Plan::modules),
      field("counters", &Plan::counters).unless_default(), field("cases", &Plan::cases).required());
};

}  // namespace harness
