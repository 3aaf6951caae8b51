// Whether a device is fit to measure a campaign: what the doctor sees of a GPU, and probe cases, whose
// conditions are read and whose times are compared with earlier ones of the same device and code.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/cli/farm/campaign.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/model/results/policy.h"
#include "harness/model/results/sick_device.h"
#include "harness/store/store.h"

namespace harness {

struct DeviceCheckRequest {
  const Campaign& campaign;
  const Prepared& prepared;  // the devices of the element
  int number = 1;            // of the check, from 1, by this element
  std::function<void()> on_progress = {};
  std::shared_ptr<EndingWorkers> ending = {};  // takes over the last worker, which is waited for otherwise
};

struct DeviceCheck {
  std::map<std::string, Machine> machines = {};  // by device kind
  std::vector<ProcessResult> results = {};       // of the probes
  std::optional<Sickness> sick = {};             // by the doctor
  bool interrupted = false;

  // UUID of the GPU, else of the CPU.
  [[nodiscard]] std::string device() const;
};

// Measures the probes. The device must be locked.
Result<DeviceCheck> check_device(const DeviceCheckRequest& request);

// The values of the probes, by the case, the digest of its launches (without one, the build) and the driver.
std::vector<ProbeValue> probe_values(const Campaign& campaign, const DeviceCheck& check);

// Why the results of a device are not used: the doctor says so, too many placements were throttled, others
// used the device, or a probe has moved. It has when `history` and the spread between sessions do not explain
// it. Pure.
std::optional<Sickness> sickness_of(const Campaign& campaign, const DeviceCheck& check,
                                    std::span<const ProbeValue> history,
                                    const std::vector<LearnedSpread>& learned);

// At most three cases of one GPU, spread by their bytes over all, or over the half of many cases with the
// fewest bytes. Cases that are proven identical come first; others take only the places that these leave.
std::vector<PlannedCase> choose_probes(const std::vector<const PlannedCase*>& cases,
                                       const std::set<std::string>& proven);

}  // namespace harness
