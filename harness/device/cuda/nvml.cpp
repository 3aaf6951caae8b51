#include "harness/device/cuda/nvml.h"

#include <dlfcn.h>

#include <memory>

namespace harness::cuda {
namespace {

// The few prototypes needed, as documented in the NVML reference. nvmlReturn_t and nvmlEnableState_t
// are plain enumerations; nvmlDevice_t is an opaque pointer.
using Handle = struct NvmlDeviceTag*;
constexpr int success = 0;
constexpr int clock_sm = 1;             // NVML_CLOCK_SM
constexpr unsigned driver_length = 80;  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
constexpr unsigned vbios_length = 64;   // at least NVML_DEVICE_VBIOS_VERSION_BUFFER_SIZE

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};

class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    const auto start = function<int()>("nvmlInit_v2");
    started_ = start != nullptr && start() == success;
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
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

  // For ECC and MIG modes, which have a current value and one that a reset would bring.
  [[nodiscard]] std::optional<bool> current_mode(const char* name, Handle device) const {
    const auto query = function<int(Handle, unsigned*, unsigned*)>(name);
    unsigned current = 0;
    unsigned pending = 0;
    if (query == nullptr || query(device, &current, &pending) != success) return std::nullopt;
    return current != 0;
  }

 private:
  std::unique_ptr<void, CloseLibrary> library_;
  bool started_ = false;
};

}  // namespace

NvmlFacts read_nvml(const std::string& uuid, const std::string& pci_bus) {
  NvmlFacts facts;
  const Nvml nvml;
  if (!nvml.started()) return facts;
  if (const auto query = nvml.function<int(char*, unsigned)>("nvmlSystemGetDriverVersion")) {
    char text[driver_length] = {};
    if (query(text, driver_length) == success) facts.driver = text;
  }
  Handle device = nvml.find("nvmlDeviceGetHandleByUUID", uuid);
  if (device == nullptr) device = nvml.find("nvmlDeviceGetHandleByPciBusId_v2", pci_bus);
  if (device == nullptr) return facts;
  if (const auto query = nvml.function<int(Handle, char*, unsigned)>("nvmlDeviceGetVbiosVersion")) {
    char text[vbios_length] = {};
    if (query(device, text, vbios_length) == success) facts.vbios = text;
  }
  facts.power_limit_milliwatts = nvml.number("nvmlDeviceGetEnforcedPowerLimit", device);
  if (const auto mode = nvml.number("nvmlDeviceGetPersistenceMode", device)) facts.persistence = *mode != 0;
  facts.ecc = nvml.current_mode("nvmlDeviceGetEccMode", device);
  facts.mig = nvml.current_mode("nvmlDeviceGetMigMode", device);
  if (const auto query = nvml.function<int(Handle, int, unsigned*)>("nvmlDeviceGetMaxClockInfo")) {
    unsigned megahertz = 0;
    if (query(device, clock_sm, &megahertz) == success) facts.max_sm_clock_mhz = megahertz;
  }
  return facts;
}

}  // namespace harness::cuda
