#include "harness/device/host/nvml_library.h"

#include <dlfcn.h>

#include <array>
#include <utility>

#include "harness/base/environment.h"
#include "harness/model/clock_reason.h"

namespace harness {
namespace {

constexpr unsigned driver_length = 80;  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
constexpr unsigned text_length = 96;    // at least NVML_DEVICE_{UUID_V2,NAME_V2,VBIOS_VERSION}_BUFFER_SIZE

// nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3.
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pci_device_id;
  unsigned pci_subsystem_id;
  char bus_id[32];
};

// nvmlClocksEventReason*. 0x1 means idle, which is not a reason that matters.
constexpr std::array<std::pair<unsigned long long, ClockReason>, 8> reason_bits{
    {{0x2, ClockReason::clock_setting},
     {0x4, ClockReason::power_cap},
     {0x8, ClockReason::hardware_slowdown},
     {0x10, ClockReason::sync_boost},
     {0x20, ClockReason::thermal},
     {0x40, ClockReason::hardware_thermal},
     {0x80, ClockReason::power_brake},
     {0x100, ClockReason::display}}};

}  // namespace

void NvmlLibrary::Close::operator()(void* library) const {
  dlclose(library);
}

NvmlLibrary::NvmlLibrary() : library_(dlopen(environment::nvml_library().c_str(), RTLD_NOW | RTLD_LOCAL)) {
  const auto start = function<int()>("nvmlInit_v2");
  started_ = start != nullptr && start() == nvml::success;
}

NvmlLibrary::~NvmlLibrary() {
  if (const auto stop = function<int()>("nvmlShutdown"); started_ && stop != nullptr) (void)stop();
}

void* NvmlLibrary::symbol(const char* name) const {
  return library_ ? dlsym(library_.get(), name) : nullptr;
}

NvmlHandle NvmlLibrary::find(const char* by, const std::string& key) const {
  const auto lookup = function<int(const char*, NvmlHandle*)>(by);
  NvmlHandle handle = nullptr;
  return lookup != nullptr && lookup(key.c_str(), &handle) == nvml::success ? handle : nullptr;
}

std::vector<NvmlHandle> NvmlLibrary::devices() const {
  const auto counting = function<int(unsigned*)>("nvmlDeviceGetCount_v2");
  const auto lookup = function<int(unsigned, NvmlHandle*)>("nvmlDeviceGetHandleByIndex_v2");
  std::vector<NvmlHandle> found;
  unsigned count = 0;
  if (!started_ || counting == nullptr || lookup == nullptr || counting(&count) != nvml::success)
    return found;
  for (unsigned index = 0; index < count; ++index) {
    NvmlHandle handle = nullptr;
    if (lookup(index, &handle) == nvml::success) found.push_back(handle);
  }
  return found;
}

std::optional<std::string> NvmlLibrary::text(const char* name, NvmlHandle device) const {
  const auto query = function<int(NvmlHandle, char*, unsigned)>(name);
  char value[text_length] = {};
  if (query == nullptr || query(device, value, text_length) != nvml::success) return std::nullopt;
  return std::string(value);
}

std::optional<std::string> NvmlLibrary::driver_version() const {
  const auto query = function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  char value[driver_length] = {};
  if (!started_ || query == nullptr || query(value, driver_length) != nvml::success) return std::nullopt;
  return std::string(value);
}

std::optional<std::string> NvmlLibrary::pci_bus(NvmlHandle device) const {
  const auto query = function<int(NvmlHandle, PciInfo*)>("nvmlDeviceGetPciInfo_v3");
  PciInfo info{};
  if (query == nullptr || query(device, &info) != nvml::success) return std::nullopt;
  return std::string(info.bus_id);
}

std::optional<unsigned> NvmlLibrary::number(const char* name, NvmlHandle device) const {
  const auto query = function<int(NvmlHandle, unsigned*)>(name);
  unsigned value = 0;
  if (query == nullptr || query(device, &value) != nvml::success) return std::nullopt;
  return value;
}

std::optional<unsigned long long> NvmlLibrary::wide_number(const char* name, NvmlHandle device) const {
  const auto query = function<int(NvmlHandle, unsigned long long*)>(name);
  unsigned long long value = 0;
  if (query == nullptr || query(device, &value) != nvml::success) return std::nullopt;
  return value;
}

std::optional<unsigned> NvmlLibrary::number(const char* name, NvmlHandle device, int which) const {
  const auto query = function<int(NvmlHandle, int, unsigned*)>(name);
  unsigned value = 0;
  if (query == nullptr || query(device, which, &value) != nvml::success) return std::nullopt;
  return value;
}

std::optional<bool> NvmlLibrary::current_mode(const char* name, NvmlHandle device) const {
  const auto query = function<int(NvmlHandle, unsigned*, unsigned*)>(name);
  unsigned current = 0;
  unsigned pending = 0;
  if (query == nullptr || query(device, &current, &pending) != nvml::success) return std::nullopt;
  return current != 0;
}

std::vector<std::string> NvmlLibrary::clock_event_reasons(NvmlHandle device) const {
  using Query = int(NvmlHandle, unsigned long long*);
  auto query = function<Query>("nvmlDeviceGetCurrentClocksEventReasons");
  if (query == nullptr) query = function<Query>("nvmlDeviceGetCurrentClocksThrottleReasons");
  unsigned long long bits = 0;
  std::vector<std::string> reasons;
  if (query == nullptr || query(device, &bits) != nvml::success) return reasons;
  for (const auto& [bit, reason] : reason_bits)
    if ((bits & bit) != 0) reasons.emplace_back(name_of(reason));
  return reasons;
}

std::optional<std::vector<NvmlProcess>> NvmlLibrary::processes(NvmlHandle device) const {
  using Query = int(NvmlHandle, unsigned*, NvmlProcess*);
  auto query = function<Query>("nvmlDeviceGetComputeRunningProcesses_v3");
  if (query == nullptr) query = function<Query>("nvmlDeviceGetComputeRunningProcesses_v2");
  std::vector<NvmlProcess> found(32);
  if (query == nullptr) return std::nullopt;
  for (int attempt = 0; attempt < 3; ++attempt) {
    auto count = static_cast<unsigned>(found.size());
    const int code = query(device, &count, found.data());
    if (code != nvml::success && code != nvml::insufficient_size) return std::nullopt;
    found.resize(code == nvml::success ? count : count + 32);  // more may have come meanwhile
    if (code == nvml::success) return found;
  }
  return std::nullopt;
}

std::optional<bool> NvmlLibrary::sliced(NvmlHandle device) const {
  const auto query = function<int(NvmlHandle, unsigned*, unsigned*)>("nvmlDeviceGetMigMode");
  unsigned current = 0;
  unsigned pending = 0;
  const int code = query == nullptr ? nvml::function_not_found : query(device, &current, &pending);
  if (code == nvml::not_supported) return false;
  return code == nvml::success ? std::optional(current != 0) : std::nullopt;
}

}  // namespace harness
