#include "harness/device/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <utility>
#include <vector>

namespace harness {

// The few prototypes needed, as documented in the NVML reference. nvmlReturn_t and nvmlEnableState_t
// are plain enumerations; nvmlDevice_t is an opaque pointer.
using Handle = struct NvmlDeviceTag*;

namespace {

constexpr int success = 0;
constexpr int insufficient_size = 7;    // NVML_ERROR_INSUFFICIENT_SIZE
constexpr int clock_sm = 1;             // NVML_CLOCK_SM
constexpr int clock_memory = 2;         // NVML_CLOCK_MEM
constexpr int sensor_gpu = 0;           // NVML_TEMPERATURE_GPU
constexpr unsigned driver_length = 80;  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
constexpr unsigned vbios_length = 64;   // at least NVML_DEVICE_VBIOS_VERSION_BUFFER_SIZE

// nvmlProcessInfo_t of nvmlDeviceGetComputeRunningProcesses_v2 and _v3.
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

// nvmlClocksEventReason*. 0x1 is being idle, which holds no clock down that anybody wants.
constexpr std::array<std::pair<unsigned long long, const char*>, 8> reason_names{{{0x2, "clock_setting"},
                                                                                  {0x4, "power_cap"},
                                                                                  {0x8, "hardware_slowdown"},
                                                                                  {0x10, "sync_boost"},
                                                                                  {0x20, "thermal"},
                                                                                  {0x40, "hardware_thermal"},
                                                                                  {0x80, "power_brake"},
                                                                                  {0x100, "display"}}};

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};

const char* library_name() {
  const char* chosen = std::getenv("HARNESS_NVML");
  return chosen != nullptr && *chosen != '\0' ? chosen : "libnvidia-ml.so.1";
}

// 0 when there is no such process that this one can see.
unsigned parent_of(unsigned pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const std::size_t name_end = text.rfind(')');  // a name may hold anything
  if (name_end == std::string::npos || name_end + 3 >= text.size()) return 0;
  return static_cast<unsigned>(std::strtoul(text.c_str() + name_end + 3, nullptr, 10));
}

int others_among(const std::vector<ProcessInfo>& processes) {
  const auto own = static_cast<unsigned>(getpid());
  const auto parent = static_cast<unsigned>(getppid());
  int others = 0;
  bool listed = false;
  for (const ProcessInfo& process : processes) {
    listed = listed || process.pid == own;
    const bool sibling = parent != 0 && parent_of(process.pid) == parent;
    if (process.pid != own && !sibling) ++others;
  }
  return listed || others == 0 ? others : others - 1;
}

}  // namespace

class Nvml::Library {
 public:
  Library() : library_(dlopen(library_name(), RTLD_NOW | RTLD_LOCAL)) {
    const auto start = function<int()>("nvmlInit_v2");
    started_ = start != nullptr && start() == success;
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (const auto stop = function<int()>("nvmlShutdown"); started_ && stop != nullptr) (void)stop();
  }

  [[nodiscard]] bool started() const { return started_; }

  // Null when there is no library or no such function in it.
  template <class Signature>
  [[nodiscard]] Signature* function(const char* name) const {
    return library_ ? reinterpret_cast<Signature*>(dlsym(library_.get(), name)) : nullptr;
  }

  [[nodiscard]] Handle find(const char* by, const std::string& key) const {
    const auto lookup = function<int(const char*, Handle*)>(by);
    Handle handle = nullptr;
    return lookup != nullptr && lookup(key.c_str(), &handle) == success ? handle : nullptr;
  }

  [[nodiscard]] std::optional<unsigned> number(const char* name, Handle device) const {
    const auto query = function<int(Handle, unsigned*)>(name);
    unsigned value = 0;
    if (query == nullptr || query(device, &value) != success) return std::nullopt;
    return value;
  }

  // For queries that are told which of several: a clock, a sensor.
  [[nodiscard]] std::optional<unsigned> number(const char* name, Handle device, int which) const {
    const auto query = function<int(Handle, int, unsigned*)>(name);
    unsigned value = 0;
    if (query == nullptr || query(device, which, &value) != success) return std::nullopt;
    return value;
  }

  // For ECC and MIG modes, which have a current value and one that a reset would bring.
  [[nodiscard]] std::optional<bool> current_mode(const char* name, Handle device) const {
    const auto query = function<int(Handle, unsigned*, unsigned*)>(name);
    unsigned current = 0;
    unsigned pending = 0;
    if (query == nullptr || query(device, &current, &pending) != success) return std::nullopt;
    return current != 0;
  }

  // Drivers before 535 know clock event reasons under their old name only.
  [[nodiscard]] std::vector<std::string> clock_event_reasons(Handle device) const {
    using Query = int(Handle, unsigned long long*);
    auto query = function<Query>("nvmlDeviceGetCurrentClocksEventReasons");
    if (query == nullptr) query = function<Query>("nvmlDeviceGetCurrentClocksThrottleReasons");
    unsigned long long bits = 0;
    std::vector<std::string> reasons;
    if (query == nullptr || query(device, &bits) != success) return reasons;
    for (const auto& [bit, name] : reason_names)
      if ((bits & bit) != 0) reasons.emplace_back(name);
    return reasons;
  }

  [[nodiscard]] std::vector<ProcessInfo> processes(Handle device) const {
    using Query = int(Handle, unsigned*, ProcessInfo*);
    auto query = function<Query>("nvmlDeviceGetComputeRunningProcesses_v3");
    if (query == nullptr) query = function<Query>("nvmlDeviceGetComputeRunningProcesses_v2");
    std::vector<ProcessInfo> found(32);
    if (query == nullptr) return {};
    for (int attempt = 0; attempt < 3; ++attempt) {
      auto count = static_cast<unsigned>(found.size());
      const int code = query(device, &count, found.data());
      if (code != success && code != insufficient_size) return {};
      found.resize(code == success ? count : count + 32);  // more may have come meanwhile
      if (code == success) return found;
    }
    return {};
  }

 private:
  std::unique_ptr<void, CloseLibrary> library_;
  bool started_ = false;
};

Nvml::Nvml(const std::string& uuid, const std::string& pci_bus) : library_(std::make_unique<Library>()) {
  if (!library_->started()) return;
  device_ = library_->find("nvmlDeviceGetHandleByUUID", uuid);
  if (device_ == nullptr) device_ = library_->find("nvmlDeviceGetHandleByPciBusId_v2", pci_bus);
}

Nvml::~Nvml() = default;

NvmlFacts Nvml::facts() const {
  NvmlFacts facts;
  if (!library_->started()) return facts;
  if (const auto query = library_->function<int(char*, unsigned)>("nvmlSystemGetDriverVersion")) {
    char text[driver_length] = {};
    if (query(text, driver_length) == success) facts.driver = text;
  }
  if (device_ == nullptr) return facts;
  if (const auto query = library_->function<int(Handle, char*, unsigned)>("nvmlDeviceGetVbiosVersion")) {
    char text[vbios_length] = {};
    if (query(device_, text, vbios_length) == success) facts.vbios = text;
  }
  facts.power_limit_milliwatts = library_->number("nvmlDeviceGetEnforcedPowerLimit", device_);
  if (const auto mode = library_->number("nvmlDeviceGetPersistenceMode", device_))
    facts.persistence = *mode != 0;
  facts.ecc = library_->current_mode("nvmlDeviceGetEccMode", device_);
  facts.mig = library_->current_mode("nvmlDeviceGetMigMode", device_);
  facts.max_sm_clock_mhz = library_->number("nvmlDeviceGetMaxClockInfo", device_, clock_sm);
  return facts;
}

std::optional<Conditions> Nvml::conditions() const {
  if (device_ == nullptr) return std::nullopt;
  Conditions now;
  now.sm_clock_mhz = library_->number("nvmlDeviceGetClockInfo", device_, clock_sm);
  now.memory_clock_mhz = library_->number("nvmlDeviceGetClockInfo", device_, clock_memory);
  if (const auto milliwatts = library_->number("nvmlDeviceGetPowerUsage", device_))
    now.power_w = *milliwatts / 1000.0;
  now.temperature_c = library_->number("nvmlDeviceGetTemperature", device_, sensor_gpu);
  now.throttled = library_->clock_event_reasons(device_);
  now.other_processes = others_among(library_->processes(device_));
  return now;
}

}  // namespace harness
