// Examine: judges what was read of a machine. Pure, so that every line and its advice is tested without a
// machine that has the fault; the limits stand in examine.cpp beside their reasons.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/device/host/clock_lock.h"
#include "harness/device/host/cuda_libraries.h"
#include "harness/device/host/gpu_state.h"
#include "harness/device/host/host_state.h"
#include "harness/model/examination.h"
#include "harness/model/record.h"

namespace harness {

struct StoreSpace {
  std::string folder;                       // "": the store is a database elsewhere
  std::optional<std::uint64_t> free_bytes;  // absent: the folder cannot be looked at
};

// What is known of the machine and of one device.
struct MachineFacts {
  std::string device = "cpu";  // "cpu", "cuda:0"
  HostState host;
  StoreSpace store;
  // The worker's view of the device: its fingerprint, with ceilings where they could be measured.
  std::optional<Machine> machine;
  std::string obstacle;           // why the device could not be opened
  std::string in_use;             // by which other run, when it was therefore not opened
  std::string ceilings_measured;  // when, where they are not of now

  // Of a CUDA device only.
  GpuHost gpus;
  std::optional<GpuState> gpu;  // the one examined
  DriverParameters driver;
  bool may_read_counters = false;
  CudaLibraries libraries;
  std::vector<ClockLockFound> clock_locks;
};

Examination examine(const MachineFacts& facts);

// "the power limit" for "power_cap": a clock event reason in words.
std::string reason_in_words(const std::string& reason);

// What a machine of a class reaches when nothing is wrong with it, from workloads: 0 where nothing is known.
struct ExpectedCeilings {
  double copy_bytes_per_s = 0;
  double gemm_flops_per_s = 0;
};
ExpectedCeilings expected_ceilings(const std::string& machine_class);

}  // namespace harness
