// MachineFacts: what was read of a machine and of one device, before anything is judged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/device/host/clock_lock_file.h"
#include "harness/device/host/cuda_libraries.h"
#include "harness/device/host/gpu_state.h"
#include "harness/device/host/host_state.h"
#include "harness/model/record.h"

namespace harness {

struct StoreSpace {
  std::string folder;                       // "": the store is a database elsewhere
  std::optional<std::uint64_t> free_bytes;  // absent: the folder cannot be read
};

struct MachineFacts {
  std::string device;  // its name, as open_device() takes it
  HostState host;
  StoreSpace store;
  // The worker's view of the device: its fingerprint, with ceilings where they could be measured.
  std::optional<Machine> machine;
  std::optional<Cause> obstacle;  // why the device could not be opened
  std::string in_use;             // the run that uses it, so it was not opened
  std::string ceilings_measured;  // when, if they are kept from an earlier run

  // For a GPU only.
  GpuHost gpus;
  std::optional<GpuState> gpu;  // the one examined
  DriverParameters driver;
  bool may_read_counters = false;
  CudaLibraries libraries;
  std::vector<ClockLockFound> clock_locks;
};

}  // namespace harness
