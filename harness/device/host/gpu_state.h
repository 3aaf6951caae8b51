// GpuState: which GPUs this host has, their state and users, by NVML, without a CUDA context or a worker. For
// `harness doctor`, lists of devices and --device. NVML's order is that of the PCI bus; open_device() makes
// CUDA count the same way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace harness {

struct GpuProcess {
  unsigned pid = 0;
  std::string name;                         // of /proc, or "" where it is not this process's to see
  std::optional<unsigned long long> bytes;  // of device memory
};

// A fact that the driver does not tell is absent.
struct GpuState {
  std::string uuid;
  std::string name;  // "NVIDIA H200"
  std::string pci_bus;
  std::optional<std::string> vbios;
  std::optional<double> sm_clock_mhz, memory_clock_mhz;          // now
  std::optional<double> max_sm_clock_mhz, max_memory_clock_mhz;  // that the GPU ever runs at
  std::optional<double> application_sm_clock_mhz, default_application_sm_clock_mhz;
  std::optional<double> power_w;
  std::optional<double> power_limit_w, default_power_limit_w;
  std::optional<double> temperature_c;
  std::optional<double> slowdown_temperature_c;
  std::vector<std::string> reasons;  // for a low clock, named as in nvml.h
  std::optional<bool> ecc;
  std::optional<bool> ecc_pending;  // after a reset
  std::optional<bool> mig;
  std::optional<bool> persistence;
  std::optional<unsigned> compute_mode;  // nvmlComputeMode_t: 0 default, 2 prohibited, 3 exclusive process
  std::vector<GpuProcess> processes;     // with a compute context
};

// All GPUs of the host, and what concerns them all.
struct GpuHost {
  bool library = false;        // NVML is there
  bool started = false;        // and answers
  std::string driver;          // "580.159.04", or ""
  std::string cuda_driver;     // the newest CUDA that the driver supports, "13.0", or ""
  std::vector<GpuState> gpus;  // in NVML's order
};
GpuHost read_gpus();

// The GPUs that a CUDA program sees of `gpus`; element N is cuda:N. `visible`, the value of
// CUDA_VISIBLE_DEVICES, names them by index or by the beginning of their UUID. The first that names no GPU
// ends the list (CUDA programming guide). Null: all.
std::vector<const GpuState*> visible_gpus(const GpuHost& host, const char* visible);

// The same for this process's environment.
std::vector<const GpuState*> visible_gpus(const GpuHost& host);

// The value of CUDA_VISIBLE_DEVICES that shows only these of the visible GPUs, in this order. std::nullopt:
// one of them is not visible.
std::optional<std::string> showing_only(const std::vector<int>& ordinals, const char* visible);

// "cuda:0 NVIDIA H200 (GPU-5d0b...)": one GPU for people.
std::string described(const GpuState& gpu, std::size_t ordinal);

// The GPU of `device`, "cuda" or "cuda:N". The error names the existing ones. Null where NVML knows none (no
// NVML in a container, for example) or CUDA_VISIBLE_DEVICES names MIG slices; then only a worker can tell.
Result<const GpuState*> gpu_named(const GpuHost& host, std::string_view device);

// The UUID that CUDA reports for `device`, where NVML is sure of it: not where the user has CUDA count in
// another order, or where the GPU is in MIG mode, and CUDA reports a slice.
std::optional<std::string> certain_uuid(const GpuHost& host, std::string_view device);

// 3 -> "cuda:3".
std::string gpu_device_name(std::size_t ordinal);

// "cuda" -> 0, "cuda:3" -> 3, anything else nothing.
std::optional<int> cuda_ordinal(std::string_view name);

}  // namespace harness
