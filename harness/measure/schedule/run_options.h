// The options of a run, and its report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/measure/program/start_program.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/model/codec.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"

namespace harness {

class EndingWorkers;  // worker_process.h

struct Progress {
  std::size_t done = 0;  // (case, process) pairs finished, those already in the store included
  std::size_t total = 0;
  std::string case_id;  // being measured
  int process = 0;
  Seconds elapsed = 0;
  Seconds left = 0;  // estimate from the pairs measured so far; 0 while unknown
};

// One of several devices of a kind that are used at the same time.
struct SideDevice {
  std::string name;  // as open_device() takes it
  std::string uuid;
};

struct RunOptions {
  // Device to use for each kind, as open_device() takes it: {"cuda", "cuda:0"}, {"cpu", "cpu"}.
  std::map<std::string, std::string> devices;
  // Two or more devices of a kind that measure at the same time. Process i is measured on device (i - 1) mod
  // their number, and its result names the device. Callbacks come one at a time.
  std::map<std::string, std::vector<SideDevice>> side_by_side = {};
  // Further devices of a kind, as open_device() takes them: a case of several GPUs uses the first of them.
  std::map<std::string, std::vector<std::string>> peers = {};
  std::set<std::pair<std::string, int>> already;   // (case id, process) to leave out: a continued run
  std::uint64_t order_seed = 1;                    // of each process's case order
  std::vector<std::string> worker_command;         // default: this program, "worker"
  std::filesystem::path worker_folder;             // working directory of workers; default: the parent's
  std::function<Status(EncodedResult)> on_result;  // required: the journal
  // Both or neither: every worker measures two builds at once. `on_result` gets the current build's results,
  // `on_baseline` the other's just before. A crash or a hang is both builds' failure.
  std::optional<PairedBuilds> pair;
  std::string alone = {};  // the side of `pair` that workers load and measure, for `on_result`; "": both
  std::function<Status(EncodedResult)> on_baseline;
  // Before the results of a case that is not in the plan: a benchmark in the output of a program. Again and
  // again for the same.
  std::function<Status(const PlannedCase&)> on_case = {};
  // Reads what a program wrote in an import format: a result a benchmark, numbered as `process`.
  std::function<Checked<std::vector<ProcessResult>>(const std::string& format, const std::string& text,
                                                    const std::string& file, int process)>
      read_program = {};
  StartProgram start_program = harness::start_program;
  std::function<void(const std::string& device_kind, const Machine&)> on_machine;  // once a device
  std::function<void(const Progress&)> on_progress;
  // Asked before each process in which a case is still to be measured; false ends the run there.
  std::function<bool()> may_begin = {};
  // One worker process a device kind, number 0, reads what a call of each case launches (look_at_case()).
  // Nothing is timed or preheated. Works with `pair`, too. For many cases of a GPU, several such workers run
  // at once.
  bool look = false;
  bool counters = false;         // with `look`: the hardware counters among the metrics (counters_of_case())
  int processes_before = 0;      // the numbers of this run's processes begin behind it
  bool measure_ceilings = true;  // of each device, once: not when they are known from before
  std::map<std::string, std::map<std::string, double>> ceilings = {};  // those known from before, by kind
  std::shared_ptr<EndingWorkers> ending = {};  // workers of before; awaited before measuring
  // Whether the run leaves its last worker to `ending` while it ends, and the caller waits for it.
  bool leaves_worker = false;
};

// One of two builds that are measured in turns.
struct Turn {
  const Plan& plan;
  const RunOptions& options;  // with a worker command of its own
};

// Whether a worker sends the results of two builds.
inline bool measures_both(const RunOptions& options) {
  return options.pair && options.alone.empty();
}

struct RunReport {
  bool ended = false;        // by may_begin
  bool interrupted = false;  // by SIGINT or SIGTERM; the journal holds what was finished
};

}  // namespace harness
