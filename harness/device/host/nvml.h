// NVML: facts of a GPU that only the NVIDIA driver's management library knows. It is loaded with dlopen,
// because containers often lack it. A fact is absent when the library, the call or the right to make it is
// missing. Needs no CUDA header. One thread uses an Nvml.
//
// HARNESS_NVML names another file than libnvidia-ml.so.1, such as a stand-in for tests.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/model/record.h"

namespace harness {

class NvmlLibrary;

struct NvmlFacts {
  std::optional<std::string> driver;  // "580.159.04"
  std::optional<std::string> vbios;
  std::optional<unsigned> power_limit_milliwatts;  // the one enforced now
  std::optional<bool> persistence;
  std::optional<bool> ecc;
  std::optional<bool> mig;
  std::optional<unsigned> max_sm_clock_mhz;
};

// One GPU. Starts NVML, which takes some milliseconds, and ends it with the destructor.
class Nvml {
 public:
  // `uuid` as nvidia-smi prints it, `pci_bus` as "0000:18:00.0": the second finds a MIG slice's GPU,
  // whose UUID is not the slice's.
  Nvml(const std::string& uuid, const std::string& pci_bus);
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  [[nodiscard]] NvmlFacts facts() const;

  // The GPU at this moment; std::nullopt when NVML does not know it. Clock event reasons are power_cap,
  // thermal, hardware_thermal, hardware_slowdown, power_brake, sync_boost, clock_setting (a clock was set by
  // hand), display; being idle is none. Other processes have a compute context on the GPU and are neither
  // this process nor its parent's other children, which are workers of this run. In a container the driver
  // may number processes differently. If this process is then not listed, one of those listed counts as it.
  [[nodiscard]] std::optional<Conditions> conditions() const;

  // The other processes, as conditions() has them. std::nullopt where the driver does not list them, for
  // which conditions() has 0.
  [[nodiscard]] std::optional<int> other_processes() const;

  // The energy that the GPU has used since its driver was loaded, in joules. std::nullopt where it has no
  // such counter. In MIG mode, too, where it counts for other slices. Any thread, one at a time.
  [[nodiscard]] std::optional<double> joules() const;

 private:
  std::unique_ptr<NvmlLibrary> library_;
  struct NvmlDeviceTag* device_ = nullptr;  // null: NVML is missing, or does not know the GPU
  bool counts_alone_ = false;               // its counters are of no other slice
};

}  // namespace harness
