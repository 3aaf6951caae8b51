// Opens devices by name. Only a worker process opens a GPU.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/device/device.h"
#include "harness/model/cause.h"
#include "harness/model/counter.h"
#include "harness/sdk/registry.h"

namespace harness {

// An opened device and, for a GPU, the module with its variants.
struct OpenedDevice {
  std::unique_ptr<Device> device;
  const sdk::Module* module = nullptr;  // valid for the rest of the process
};

struct OpenOptions {
  bool profiled_from_outside =
      false;  // a profiler looks at this process: the device attaches none of its own
  std::vector<std::string> peers = {};  // names of further GPUs that calls use at once, GPU 1 first
  // CUDA sees the GPUs named here alone, from now on and as cuda:0 and so on, because it begins to use every
  // one that it sees. For a process that opens one device. Not yet timed on a host of several GPUs.
  bool hides_others = false;
};

// `name`: the name of a kind ("cpu"), of one device of it ("cuda:1"), or "scripted:PATH" (a script file; for
// tests, see scripted/script.md). The error says why it cannot be opened: no driver, no module in this build,
// no such device.
Result<OpenedDevice> open_device(std::string_view name, const OpenOptions& options = {});

// Names that a user may have meant, for suggestions: "cpu", "cuda", "cuda:0", ...
std::vector<std::string> usual_device_names();

// The file of the CUDA module, whether or not there is one.
std::filesystem::path cuda_module_path();

// Why the CUDA device cannot be used here, without starting the driver: this build has no CUDA module, or no
// NVIDIA driver library is installed. Without an obstacle, a worker should try it.
std::optional<Cause> cuda_obstacle();

// The architectures the CUDA module was built for, e.g. "90a", or "" without one.
std::string cuda_architectures();

// How many replays these hardware counters take together on a chip, without a GPU: the CUDA module asks the
// toolkit's profiling library. `outcome` says why it failed. Takes some tenths of a second.
CounterPlan plan_counters(const std::string& chip, const std::vector<std::string>& names);

// The name that NVIDIA's profilers give a chip, from a compute capability ("9.0" -> "GH100") or an
// architecture
// ("90a-real"). "" for an unknown one.
std::string counter_chip(std::string_view capability);

}  // namespace harness
