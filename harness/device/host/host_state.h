// HostState: facts of this host that decide how steadily it measures. Read from /proc and /sys below `root`,
// never measured. A missing file (in a container, on another architecture) makes a fact absent. Any thread
// may call it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/record.h"

namespace harness {

struct HostState {
  std::string cpu;
  std::string kernel;     // "Linux 6.8.0-60-generic"
  std::string container;  // "docker", "none seen"
  bool virtual_machine = false;
  int online_cpus = 0;
  int usable_cpus = 0;                 // by this process
  std::vector<std::string> governors;  // of the CPUs, each once
  std::optional<bool> turbo;
  std::optional<bool> smt;
  double load = 0;                                // of the last minute: threads that ran or waited to
  std::string isolated_cpus;                      // "2-5", or ""
  std::optional<double> cpu_limit;                // of the control group, in CPUs
  std::optional<std::uint64_t> memory_limit;      // likewise, in bytes
  std::optional<std::uint64_t> memory_available;  // in bytes
  std::string traced_by;                          // the debugger or tracer of this process, or ""
};
HostState read_host(const std::filesystem::path& root = "/");

// Identifies this start of the kernel; "" when it is unknown.
std::string boot_identity(const std::filesystem::path& root = "/");

// Facts of the NVIDIA kernel module.
struct DriverParameters {
  bool loaded = false;                           // /proc/driver/nvidia is there
  std::string version;                           // "580.159.04", or ""
  bool open_module = false;                      // the open kernel module
  std::optional<bool> counters_for_admins_only;  // NVreg_RestrictProfilingToAdminUsers
};
DriverParameters read_driver_parameters(const std::filesystem::path& root = "/");

// Whether this process may read hardware counters that are for administrators only: it needs CAP_SYS_ADMIN or
// CAP_PERFMON.
bool may_read_counters(const std::filesystem::path& root = "/");

// The host's fields of a GPU's fingerprint. warn: cpu, kernel. info: container, counters ("administrators
// only" or "everybody"), kernel_module ("open" or "proprietary").
std::vector<MachineField> host_fields(const std::filesystem::path& root = "/");

}  // namespace harness
