// Questions to a worker that measures nothing: can a device be used, can two builds share a process?
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/model/record.h"

namespace harness {

class EndingWorkers;  // worker_process.h

struct DeviceProbe {
  Machine machine;
};

// Devices that a worker could use, by name. Asking takes most of a second on a GPU, so the suites of one
// command share the answers.
using KnownDevices = std::map<std::string, DeviceProbe>;

// Work that goes on beside a probe.
struct WorkBesideProbe {
  std::function<void()> work = {};             // called once, while the worker opens the device
  std::shared_ptr<EndingWorkers> ending = {};  // takes over the worker, which is waited for otherwise
  std::shared_ptr<KnownDevices> known = {};    // no worker is asked about these; learns the others
};

// Asks a worker whether a device can be used, without this process touching it. Its fingerprint, with
// ceilings where asked for, or an error whose message is the reason. Known devices are of this program's own
// workers, without ceilings.
Result<DeviceProbe> probe_device(const std::string& device,
                                 const std::vector<std::string>& worker_command = {}, bool ceilings = false,
                                 const WorkBesideProbe& beside = {});

// Asks a worker whether it can load both builds side by side and open the device. Otherwise an error whose
// message is the reason.
Status probe_pair(const std::string& device, const PairedBuilds& pair,
                  const std::vector<std::string>& worker_command = {},
                  const std::filesystem::path& worker_folder = {});

}  // namespace harness
