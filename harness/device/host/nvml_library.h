// NvmlLibrary: the NVIDIA management library, found at run time. Every call can be missing: with an old
// driver, or in a container without the right. There is no NVML header, so the prototypes of NVIDIA's NVML
// API reference stand where they are called. nvmlReturn_t and the enumerations are ints; nvmlDevice_t is an
// opaque pointer. One thread uses it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace harness {

using NvmlHandle = struct NvmlDeviceTag*;

// nvmlReturn_t, as far as the harness tells one from another.
namespace nvml {
inline constexpr int success = 0;
inline constexpr int invalid_argument = 2;
inline constexpr int not_supported = 3;
inline constexpr int no_permission = 4;
inline constexpr int insufficient_size = 7;
inline constexpr int function_not_found = 13;
inline constexpr int clock_graphics = 0;  // nvmlClockType_t
inline constexpr int clock_sm = 1;
inline constexpr int clock_memory = 2;
inline constexpr int sensor_gpu = 0;  // nvmlTemperatureSensors_t
}  // namespace nvml

// nvmlProcessInfo_t of nvmlDeviceGetComputeRunningProcesses_v2 and _v3. The first version, without the two
// instances, is a shorter struct and is never asked for. used_memory is all ones where it is not known.
struct NvmlProcess {
  unsigned pid;
  unsigned long long used_memory;  // bytes
  unsigned gpu_instance;
  unsigned compute_instance;
};

class NvmlLibrary {
 public:
  NvmlLibrary();  // starts NVML, which takes some milliseconds
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;
  ~NvmlLibrary();

  [[nodiscard]] bool loaded() const { return library_ != nullptr; }
  [[nodiscard]] bool started() const { return started_; }

  // Null when there is no library or no such function in it.
  template <class Signature>
  [[nodiscard]] Signature* function(const char* name) const {
    return reinterpret_cast<Signature*>(symbol(name));
  }

  // By nvmlDeviceGetHandleByUUID or nvmlDeviceGetHandleByPciBusId_v2; null: not known.
  [[nodiscard]] NvmlHandle find(const char* by, const std::string& key) const;

  // Every GPU in NVML's order, which is that of the PCI bus.
  [[nodiscard]] std::vector<NvmlHandle> devices() const;

  [[nodiscard]] std::optional<std::string> text(const char* name, NvmlHandle device) const;
  [[nodiscard]] std::optional<std::string> driver_version() const;
  [[nodiscard]] std::optional<std::string> pci_bus(NvmlHandle device) const;
  [[nodiscard]] std::optional<unsigned> number(const char* name, NvmlHandle device) const;
  [[nodiscard]] std::optional<unsigned long long> wide_number(const char* name, NvmlHandle device) const;
  // For queries that are told which of several: a clock, a sensor.
  [[nodiscard]] std::optional<unsigned> number(const char* name, NvmlHandle device, int which) const;
  // For ECC and MIG modes, which have a current value and one that a reset would bring.
  [[nodiscard]] std::optional<bool> current_mode(const char* name, NvmlHandle device) const;

  // Names as in nvml.h. Drivers before 535 know clock event reasons under their old name only.
  [[nodiscard]] std::vector<std::string> clock_event_reasons(NvmlHandle device) const;
  // std::nullopt where the driver does not list them.
  [[nodiscard]] std::optional<std::vector<NvmlProcess>> processes(NvmlHandle device) const;
  // Whether the GPU is sliced. std::nullopt where the driver does not tell; one without slices is not.
  [[nodiscard]] std::optional<bool> sliced(NvmlHandle device) const;

 private:
  struct Close {
    void operator()(void* library) const;
  };
  [[nodiscard]] void* symbol(const char* name) const;

  std::unique_ptr<void, Close> library_;
  bool started_ = false;
};

}  // namespace harness
