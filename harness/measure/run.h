// The parent's side of a run: starts worker processes one after the other, each measuring all cases
// in an order of its own, hands every result to a sink as it arrives, and survives workers that
// crash, hang or refuse. Creates no device context itself.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"

namespace harness {

struct Progress {
  std::size_t done = 0;  // (case, process) pairs finished, those already in the store included
  std::size_t total = 0;
  std::string case_id;  // being measured
  int process = 0;
  Seconds elapsed = 0;
  Seconds left = 0;  // estimate from the pairs measured so far; 0 while unknown
};

struct RunOptions {
  // Device to use for each kind, as open_device() takes it: {"cuda", "cuda:0"}, {"cpu", "cpu"}.
  std::map<std::string, std::string> devices;
  std::set<std::pair<std::string, int>> already;   // (case id, process) to leave out: a continued run
  std::uint64_t order_seed = 1;                    // of each process's case order
  std::vector<std::string> worker_command;         // default: this program, "worker"
  std::function<Status(ProcessResult)> on_result;  // required: the journal
  std::function<void(const std::string& device_kind, const Machine&)> on_machine;  // once a kind
  std::function<void(const Progress&)> on_progress;
  // Asked before each process in which a case is still to be measured; false ends the run there.
  std::function<bool()> may_begin = {};
  bool measure_ceilings = true;  // of each device, once: not when they are known from before
};

struct RunReport {
  bool ended = false;        // by may_begin
  bool interrupted = false;  // SIGINT or SIGTERM: what was finished is in the sink
};

// Runs every unskipped case of `plan`. An Error only when nothing can be run or the sink fails.
Result<RunReport> run_plan(const Plan& plan, const RunOptions& options);

// Asks a worker whether a device can be used, without this process touching it. The traits of the
// device, or an error whose message is the reason.
struct DeviceProbe {
  Machine machine;
};
Result<DeviceProbe> probe_device(const std::string& device,
                                 const std::vector<std::string>& worker_command = {});

}  // namespace harness
