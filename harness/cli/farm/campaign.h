// Campaign: suites that are measured task by task, by as many elements as there are devices. All that an
// element must know stands in it and in its cases, so that elements need no suite file and no repository. The
// store keeps each case for itself, and an element reads those of its task.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/model/plan.h"
#include "harness/store/farm/farm_store.h"

namespace harness {

// One build and its record.
struct CampaignSide {
  std::string record;              // id
  std::string program;             // measures it; absolute, as all paths here
  std::string folder;              // where it is started
  std::vector<std::string> files;  // the build
  std::string identity;            // of their contents, see identity_of_files()
  Plan plan;                       // the cases to measure, the same on all sides; none until load_cases()
  int looked = 0;  // results that the record had when it was planned: looks at proven cases, left-out ones
};

struct CampaignSuite {
  std::vector<CampaignSide> sides;  // one, or the baseline and the current build
  std::optional<PairedBuilds> pair = {};
  // By kind: UUID of the device that all is measured on, so that it compares with a stored baseline. Empty:
  // every task has both sides, so each may be measured on another device of the class.
  std::map<std::string, std::string> devices = {};
  std::uint64_t seed = 1;                // of the order of cases and turns
  bool partial = false;                  // some of the suite's cases were left out
  std::vector<PlannedCase> probes = {};  // of the first side: they tell whether a device is well
  // One of each kind of device, of those that use the most GPUs.
  std::vector<PlannedCase> kinds = {};
  // By id: seconds of a case in one process of each side, summed. Empty where no earlier record tells, and
  // until load_cases().
  std::map<std::string, Seconds> seconds = {};

  [[nodiscard]] const CampaignSide& current() const { return sides.back(); }
};

struct Campaign {
  std::string tool;                 // the program that planned it; elements must be the same
  std::string against;              // what a suite of one side is judged by, or ""
  std::vector<std::string> device;  // that --device named when it was planned
  Seconds lease = 0;
  int block = 0;         // most cases of a task; 0: 24, and more where they are short
  int elements = 1;      // that are expected to measure, each on a device
  bool confirm = false;  // regressed cases are measured again
  Seconds budget = 0;    // of the whole campaign; 0: as long as it takes
  Seconds time = 0;      // that an element has until somebody ends it; 0: as long as it takes
  std::vector<CampaignSuite> suites;

  [[nodiscard]] bool is_judged() const;
};

// Without its cases.
std::string encode(const Campaign& campaign);
Result<Campaign> decode_campaign(const StoredCampaign& stored);

// The cases as a store keeps them.
std::vector<CampaignCase> cases_of(const Campaign& campaign);
// Reads all cases into the plans. Does nothing where that was done.
Status load_cases(FarmStore& store, const std::string& id, Campaign& campaign);
// The cases of a task, as each side has them.
Result<std::vector<Plan>> load_task(FarmStore& store, const std::string& id, const Campaign& campaign,
                                    const FarmTask& task);

std::vector<PlannedCase> kinds_of(const Campaign& campaign, const Plan& plan);

// GPUs that a case uses at once, or 0 for a case of the CPU. Devices that a script stands for are GPUs.
int gpus_of(const Campaign& campaign, const PlannedCase& planned);

// Tasks are measured in this order of their GPUs: those of one GPU, of several, and those of none. A device
// then waits for others once, not between two tasks of its own, and all GPUs rest while a CPU is measured.
int turn_of(int gpus);

// The result of a process that a budget left out.
ProcessResult left_out(const PlannedCase& planned, int process, Seconds budget);

}  // namespace harness
