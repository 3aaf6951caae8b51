// NVML: what only the driver's management library knows of a GPU. It is loaded with dlopen, because
// it comes with the driver and containers often lack it; every fact is absent when it, the call or
// the right to make the call is missing.
#pragma once

#include <optional>
#include <string>

namespace harness::cuda {

struct NvmlFacts {
  std::optional<std::string> driver;  // "580.159.04"
  std::optional<std::string> vbios;
  std::optional<unsigned> power_limit_milliwatts;  // the one enforced now
  std::optional<bool> persistence;
  std::optional<bool> ecc;
  std::optional<bool> mig;
  std::optional<unsigned> max_sm_clock_mhz;
};

// `uuid` as nvidia-smi prints it, `pci_bus` as "0000:18:00.0": the second finds a MIG slice's GPU,
// whose UUID is not the slice's. Starts and ends NVML; takes some milliseconds.
NvmlFacts read_nvml(const std::string& uuid, const std::string& pci_bus);

}  // namespace harness::cuda
