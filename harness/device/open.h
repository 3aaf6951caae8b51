// Opening devices by name. Only a worker process calls open_device("cuda:N").
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/device/device.h"
#include "harness/model/counter.h"
#include "harness/sdk/registry.h"

namespace harness {

// An opened device and, for cuda, the module whose variants run on it.
struct OpenedDevice {
  std::unique_ptr<Device> device;
  const sdk::Module* module = nullptr;  // valid for the rest of the process
};

// `name`: "cpu", "cuda", "cuda:1", "scripted:PATH" (a script file; for tests, see scripted.h).
// The error says why it is not there: no driver, no module in this build, no such device.
Result<OpenedDevice> open_device(std::string_view name);

// Why the CUDA device cannot be used here, without starting the driver: this build has no CUDA
// module, or no NVIDIA driver library is installed. "" means: a worker should try it.
std::string cuda_obstacle();

// The architectures the CUDA module was built for, e.g. "90a", or "" without one.
std::string cuda_architectures();

// What reading these hardware counters together takes on a chip, without a GPU: the CUDA module asks the
// toolkit's profiling library. `unchecked` says why nobody could. Takes some tenths of a second.
CounterPlan plan_counters(const std::string& chip, const std::vector<std::string>& names);

// The chip whose counters a GPU of this compute capability has, as NVIDIA's profilers call it: "9.0" ->
// "GH100"; also from an architecture, "90a-real". "" for one that is not known here.
std::string counter_chip(std::string_view capability);

}  // namespace harness
