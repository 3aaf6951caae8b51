// Plan: what a suite expands to. Plain data; made by suite/, measured by measure/, printed by
// `harness list`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/model/cause.h"
#include "harness/model/counter_fact.h"
#include "harness/model/sampling_modes.h"
#include "harness/sdk/params.h"

namespace harness {

inline constexpr int most_batch_nodes = 100'000;
inline constexpr int most_gpus = 64;         // of one case
inline constexpr int most_processes = 1000;  // the most that a suite may ask for

// Default preheating with `power: sustained`: the clock settles below the boost clock.
inline constexpr Seconds sustained_preheat = 0.3;

// How a case is sampled. One *process* is a fresh worker process and one replicate of the
// statistics; a *placement* is one allocation of all buffers within a process.
struct Sampling {
  int processes = 5;
  int placements = 10;
  int samples = 20;     // per placement; the maximum where a width is given
  int min_samples = 5;  // per placement, when max_time cuts sampling short
  // Relative width of the 95 % interval of a placement's mean at which sampling stops, judged from
  // `width_samples` samples on; 0: always take `samples`.
  double width = 0;
  int width_samples = 20;
  int warmup = 2;  // untimed calls after each placement's allocation
  CacheMode cache = CacheMode::cold;
  // Busy time of a process before its first case: at least (0: none) and at most, until readings of the clock
  // agree within `steady`. The default only wakes the device, because heat brings it to its power limit.
  Seconds preheat = 0.02;
  Seconds preheat_most = 1.0;
  double steady = 0.005;
  Seconds full_power = 0;        // of a process, before the preheating (measure/power.md); only on GPUs
  Seconds max_time = 3.0;        // of sampling, per case and process
  Seconds timeout = 60.0;        // of one case in one process, all included; then the process is killed
  Seconds gate_deadline = 0.25;  // the launch gate opens then, even if the queue is not full
  std::uint64_t seed = 1;        // of the inputs; each process derives its own
  TimingMode timing = TimingMode::automatic;
  PowerMode power = PowerMode::boost;
  std::vector<int> batch_nodes = {};  // calls in each batch, increasing; empty: by the call's time
  // The values on which calls are timed (measure/tensors/stated_inputs.h): the name of an InputsMode, or a
  // file as the suite writes it.
  std::string inputs = std::string(name_of(InputsMode::drawn));
  std::string inputs_hash = {};  // content_hash of the file; "": it is none

  bool operator==(const Sampling&) const = default;
};

// The limits of a change of one metric, where they differ from the case's gate.
struct MetricGate {
  std::string metric;
  std::optional<double> margin;
  std::optional<double> alpha;
  bool informative = false;  // shown and compared, but it decides nothing
  // The unit of the margin as the suite writes it: "points", "bytes", "absolute"; "": a share.
  std::string unit = {};

  bool operator==(const MetricGate&) const = default;
};

inline constexpr std::size_t most_looks = 3;

// Smallest chance for which Student's t and its relatives are computed, after dividing it among the cases.
inline constexpr double smallest_alpha = 1e-9;

// The limits of a change. Effects are on log time, so a margin of 1 % is log(1.01).
struct Gate {
  double margin = 0.01;                  // changes this small do not matter
  double alpha = 0.01;                   // one-sided, after correction for many cases
  std::vector<MetricGate> metrics = {};  // by metric, each at most once
  // Processes a side at which results are judged, declared before measuring: at most most_looks, increasing.
  // Empty: one look at all processes.
  std::vector<int> looks = {};
  // Largest share of a side's throttled placements for a verdict.
  double throttled = 0.2;

  bool operator==(const Gate&) const = default;
};

// A command that is measured as a case. One start of it is one process.
struct Program {
  std::string name;                             // the id of its case
  std::vector<std::string> command;             // `{output}` stands for the file that it writes
  std::string folder;                           // working folder, absolute; not kept in records
  std::map<std::string, std::string> env = {};  // added to the environment
  std::string reads = {};                       // the import format of its output; "": it is only timed
  std::string prepare = {};                     // shell command before each start
  std::string steps = {};                       // of a trace: "period", "whole", "nvtx:NAME"; "": the default
  std::string build = {};  // shell command in `folder`; `run` gives it before the first start
  std::string inputs =
      {};                  // of a trace: "trusted", where what comes from the host need not be the same; of
                           // others: "files", where a start that finds the same in files need not be measured
  std::string built = {};  // in records: hash of the files of its command that git does not track, without
                           // `build`; "": none, or not known

  [[nodiscard]] bool is_observed() const { return inputs == "files"; }  // files_inputs
  bool operator==(const Program&) const = default;
};

// In a command: the file that the program writes. Without it, standard output is read.
inline constexpr const char* output_mark = "{output}";

// Reads the trace of the program instead of an output.
inline constexpr const char* trace_format = "cuda_trace";
inline constexpr const char* nvtx_steps = "nvtx:";  // of Program::steps
inline constexpr const char* trusted_inputs = "trusted";
inline constexpr const char* files_inputs = "files";

struct PlannedCase {
  std::string id;  // "linear_gelu/cublaslt_epilogue/dtype=f16/m=512/n=1024/k=1024"
  std::string workload;
  std::string variant;
  std::string device;  // kind: "cpu" or "cuda"
  sdk::Params params;
  Sampling sampling;
  Gate gate;
  std::string reference;  // id of the case that speedups are relative to, or ""
  std::vector<std::string> tags;
  std::vector<std::string> metrics;  // of metric.h or the workload's own; `time` is measured in any case
  int counter_passes = 0;            // replays of a call to read its hardware counters; 0: unknown
  double flops = 0;                  // executed by one call, as the workload declares; 0 when unknown
  double bytes = 0;                  // compulsory traffic of one call, likewise
  double items = 0;                  // items of one call, likewise
  std::string item_name;             // "tokens"; "" when unknown
  double link_bytes = 0;             // that the busiest GPU of several sends, likewise
  int gpus = 1;                      // that one call uses, as the workload declares
  std::string hides = {};            // the module whose workload hides a built-in one of this name; "": none
  Location where;                    // of the group in the suite
  std::optional<Cause> skip = {};    // why it cannot run here
  // The suite's own sampling, where the command line replaced it. A result with less is no baseline.
  std::optional<Sampling> suite_sampling = {};
  // The values of the parameters that `params` calls `tuned`: what the variant gets. Empty: it has none.
  sdk::Params tuned = {};
  std::string choice = {};       // that the variant is to make (sdk::Kernel::choose); "": its own
  std::string inputs_file = {};  // where Sampling::inputs names a file, its path here; not kept in records
  // Instead of a workload. A benchmark in the output of a program is a case with the same program.
  std::optional<Program> program = {};

  [[nodiscard]] bool is_benchmark() const { return program && id != program->name; }
  [[nodiscard]] bool is_traced() const { return program && program->reads == trace_format; }
  // Whether one start of it is observed, to know what it reads.
  [[nodiscard]] bool is_observed() const { return program && program->is_observed(); }
};

struct SuiteIdentity {
  std::string name;
  std::string file;  // as given by the user
  std::string hash;  // content_hash of the text

  bool operator==(const SuiteIdentity&) const = default;
};

// The variants of one point have the same inputs and right answers.
inline std::string point_of(const PlannedCase& one) {
  return one.workload + "/" + one.params.text_id();
}

struct Plan {
  SuiteIdentity suite;
  std::vector<std::string> modules;          // plugin paths, absolute
  std::vector<PlannedCase> cases;            // in the order of the suite, or of a campaign's tasks
  std::optional<CounterFact> counters = {};  // the result of their look-up, where a case has any
};

// In `params` and in the id of a case: a parameter whose value `harness tune` found for this machine class.
inline constexpr const char* tuned_value = "tuned";

// The parameters that the variant of a case gets.
inline sdk::Params with_tuned(sdk::Params params, const sdk::Params& tuned) {
  for (const auto& [name, value] : tuned.entries()) params.set(name, value);
  return params;
}

inline bool has_programs(const Plan& plan) {
  return std::any_of(plan.cases.begin(), plan.cases.end(),
                     [](const PlannedCase& one) { return one.program.has_value(); });
}

}  // namespace harness
