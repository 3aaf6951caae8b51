// Opening devices by name. Only a worker process calls open_device("cuda:N").
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/device/device.h"
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

}  // namespace harness
