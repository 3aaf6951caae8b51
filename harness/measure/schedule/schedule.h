// Schedule: which worker process measures which cases, on which device, and in which order. Made from plans
// before anything runs. Pure.
//
//   one device       one stage of one lane:  1, 2, 3, ... of a kind, then of the next
//   several devices  kinds with one device first; then a stage with a lane a device:  1, 3, 5 | 2, 4, 6
//   in turns         one stage of one lane:  1 of A, 1 of B, 2 of B, 2 of A, ...
//   a look           a stage a kind of device:  0; many cases of a GPU on up to four lanes
//
// Cases of several GPUs have processes of their own, on the first device of their kind and its peers. The
// processes of a kind follow each other, because some kernels were faster after a pause (measure/power.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/measure/schedule/run_options.h"

namespace harness {

// The process that looks at launches before a run.
inline constexpr int look_process = 0;

// Whether anything tells what a case launches: of programs only a trace does, for all kernels at once.
bool can_be_looked_at(const PlannedCase& planned);

// The cases of one kind of device in one process, all of as many GPUs.
struct Task {
  std::size_t turn = 0;                   // whose plan it is of, where builds take turns: 0 or 1
  int process = 1;                        // from 1; look_process of a look
  std::string kind;                       // of device: "cuda"
  std::string device;                     // as open_device() takes it: "cuda:1"
  std::string device_uuid;                // where several devices measure at the same time
  std::vector<const PlannedCase*> cases;  // in the order to measure them; of the plan
  bool audited = false;                   // whatever the run draws
  std::vector<std::string> peers = {};    // further devices, where a case uses several
};

using Lane = std::vector<Task>;       // one after the other
using Stage = std::vector<Lane>;      // at the same time, on a device each
using Schedule = std::vector<Stage>;  // one after the other

// Leaves out skipped cases and pairs that `options` has already. The CPU is never timed while it launches for
// two GPUs, so kinds with one device come first. Pointers into the plan.
Schedule schedule_of(const Plan& plan, const RunOptions& options);

// Process i of one plan right after process i of the other; `seed` says which comes first.
Schedule schedule_in_turns(const Turn& baseline, const Turn& current, std::uint64_t seed);

}  // namespace harness
