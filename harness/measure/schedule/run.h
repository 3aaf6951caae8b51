// The parent's side of a run: starts worker processes one after the other, each measuring all cases
// in an order of its own, hands every result to a sink as it arrives, and survives workers that
// crash, hang or refuse. Creates no device context itself.
#pragma once

#include <array>
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

// A device of several that are used side by side.
struct SideDevice {
  std::string name;  // as open_device() takes it
  std::string uuid;
};

struct RunOptions {
  // Device to use for each kind, as open_device() takes it: {"cuda", "cuda:0"}, {"cpu", "cpu"}.
  std::map<std::string, std::string> devices;
  // Of a kind that is measured on several devices at once: two or more. Process i is measured on device
  // (i - 1) mod their number, and its result names the device. Callbacks come one at a time.
  std::map<std::string, std::vector<SideDevice>> side_by_side = {};
  std::map<std::string, std::string> device_uuids = {};  // by kind: what each result names as its device
  std::set<std::pair<std::string, int>> already;         // (case id, process) to leave out: a continued run
  std::uint64_t order_seed = 1;                          // of each process's case order
  std::vector<std::string> worker_command;               // default: this program, "worker"
  std::filesystem::path worker_folder;                   // that workers stand in; default: ours
  std::function<Status(EncodedResult)> on_result;        // required: the journal
  // Both of these or neither: every worker measures two builds at once. `on_result` gets the current build's
  // results, `on_baseline` the other's just before. A crash or a hang is both builds' failure.
  std::optional<PairedBuilds> pair;
  std::function<Status(EncodedResult)> on_baseline;
  std::function<void(const std::string& device_kind, const Machine&)> on_machine;  // once a kind
  std::function<void(const Progress&)> on_progress;
  // Asked before each process in which a case is still to be measured; false ends the run there.
  std::function<bool()> may_begin = {};
  bool measure_ceilings = true;  // of each device, once: not when they are known from before
  // Of a probe: gone before anything is measured.
  std::shared_ptr<EndingWorkers> ending = {};
};

struct RunReport {
  bool ended = false;        // by may_begin
  bool interrupted = false;  // SIGINT or SIGTERM: what was finished is in the sink
};

// Runs every unskipped case of `plan`. An Error only when nothing can be run or the sink fails.
Result<RunReport> run_plan(const Plan& plan, const RunOptions& options);

// One of two builds that are measured together.
struct Turn {
  const Plan& plan;
  const RunOptions& options;  // with a worker command of its own
};

// Runs two plans, the baseline's and the current build's, in processes that take turns: process i of one
// right after process i of the other, in the order of stats/turns.h. Else as run_plan().
Result<RunReport> run_in_turns(const Turn& baseline, const Turn& current, std::uint64_t seed);

// Asks a worker whether a device can be used, without this process touching it. Its fingerprint, with
// ceilings where asked for, or an error whose message is the reason.
struct DeviceProbe {
  Machine machine;
};
// What goes on beside a probe.
struct Meanwhile {
  std::function<void()> work = {};             // called once, while the worker opens the device
  std::shared_ptr<EndingWorkers> ending = {};  // takes over the worker, which is waited for otherwise
};
Result<DeviceProbe> probe_device(const std::string& device,
                                 const std::vector<std::string>& worker_command = {}, bool ceilings = false,
                                 const Meanwhile& meanwhile = {});

// Asks a worker whether it can load both builds side by side and open the device, which is what measuring
// them in one process takes; else an error whose message is the reason.
Status probe_pair(const std::string& device, const PairedBuilds& pair,
                  const std::vector<std::string>& worker_command = {},
                  const std::filesystem::path& worker_folder = {});

}  // namespace harness
