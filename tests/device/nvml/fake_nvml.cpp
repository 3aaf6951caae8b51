// A stand-in for libnvidia-ml.so.1, whose answers are read anew at each call from the file that FAKE_NVML
// names: lines `key value`. A line `gpu` begins what is said of the next GPU; there is one without such a
// line. A key that is not there is a call that this driver does not support. Each call that changes clocks
// adds a line to the file of FAKE_NVML_LOG. Built with OLD_DRIVER it has the names of older drivers, where
// these differ, and lacks what is newer.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int success = 0;
constexpr int not_supported = 3;
constexpr int not_found = 6;
constexpr int insufficient_size = 7;
constexpr std::size_t most_gpus = 8;
char the_gpus[most_gpus];

std::size_t index_of(const void* gpu) {
  return gpu == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(gpu) - the_gpus);
}

std::ifstream answers() {
  const char* path = std::getenv("FAKE_NVML");
  return std::ifstream(path != nullptr ? path : "");
}

std::size_t gpu_count() {
  std::ifstream in = answers();
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);) count += line == "gpu" ? 1 : 0;
  return count == 0 ? 1 : std::min(count, most_gpus);
}

// Settings of one GPU; without a GPU, the settings before the first.
std::optional<std::string> answer(const std::string& key, const void* gpu = nullptr) {
  std::ifstream in = answers();
  std::size_t sections = 0;
  for (std::string line; std::getline(in, line);) {
    if (line == "gpu") ++sections;
    const bool here = gpu == nullptr ? sections == 0 : sections == 0 || sections == index_of(gpu) + 1;
    if (here && line.starts_with(key + " ")) return line.substr(key.size() + 1);
  }
  return std::nullopt;
}

int number(const std::string& key, unsigned* out, const void* gpu) {
  const auto found = answer(key, gpu);
  if (!found) return not_supported;
  *out = static_cast<unsigned>(std::stoul(*found));
  return success;
}

int text(const std::string& key, char* out, unsigned length, const void* gpu = nullptr) {
  const auto found = answer(key, gpu);
  if (!found) return not_supported;
  std::strncpy(out, found->c_str(), length - 1);
  return success;
}

int find(const std::string& key, const char* name, void** out) {
  for (std::size_t i = 0; i < gpu_count(); ++i) {
    if (answer(key, &the_gpus[i]) != name) continue;
    *out = &the_gpus[i];
    return success;
  }
  return not_found;
}

#ifndef OLD_DRIVER
// The code that the file wants for what changes a clock; what is done is logged.
int change(const std::string& refusal, const std::string& done, const void* gpu) {
  if (const auto code = answer(refusal, gpu)) return std::stoi(*code);
  const char* path = std::getenv("FAKE_NVML_LOG");
  std::ofstream(path != nullptr ? path : "", std::ios::app) << done << std::endl;
  return success;
}
#endif

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are those of NVML
extern "C" {

int nvmlInit_v2() {
  return answer("refuse") ? not_supported : success;
}
int nvmlShutdown() {
  return success;
}
int nvmlSystemGetDriverVersion(char* out, unsigned length) {
  return text("driver", out, length);
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** out) {
  return find("uuid", uuid, out);
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** out) {
  return find("pci_bus", bus, out);
}
int nvmlSystemGetCudaDriverVersion_v2(int* out) {
  unsigned version = 0;
  const int code = number("cuda_driver", &version, nullptr);
  *out = static_cast<int>(version);
  return code;
}
int nvmlDeviceGetCount_v2(unsigned* out) {
  *out = answer("none") ? 0 : static_cast<unsigned>(gpu_count());
  return success;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** out) {
  if (index >= gpu_count()) return not_found;
  *out = &the_gpus[index];
  return success;
}
int nvmlDeviceGetUUID(void* gpu, char* out, unsigned length) {
  return text("uuid", out, length, gpu);
}
int nvmlDeviceGetName(void* gpu, char* out, unsigned length) {
  return text("name", out, length, gpu);
}
int nvmlDeviceGetPciInfo_v3(void* gpu, PciInfo* out) {
  return text("pci_bus", out->bus_id, sizeof out->bus_id, gpu);
}
int nvmlDeviceGetTotalEnergyConsumption(void* gpu, unsigned long long* out) {
  const auto found = answer("energy", gpu);
  if (!found) return not_supported;
  *out = std::stoull(*found);
  return success;
}
int nvmlDeviceGetComputeMode(void* gpu, unsigned* out) {
  return number("compute_mode", out, gpu);
}
int nvmlDeviceGetApplicationsClock(void* gpu, int clock, unsigned* out) {
  return number("application_clock_" + std::to_string(clock), out, gpu);
}
int nvmlDeviceGetDefaultApplicationsClock(void* gpu, int clock, unsigned* out) {
  return number("default_application_clock_" + std::to_string(clock), out, gpu);
}
int nvmlDeviceGetPowerManagementDefaultLimit(void* gpu, unsigned* out) {
  return number("default_power_limit", out, gpu);
}
int nvmlDeviceGetTemperatureThreshold(void* gpu, int threshold, unsigned* out) {
  return number("threshold_" + std::to_string(threshold), out, gpu);
}
#ifndef OLD_DRIVER
int nvmlDeviceSetGpuLockedClocks(void* gpu, unsigned least, unsigned most) {
  return change(
      "lock_refused",
      "lock " + answer("uuid", gpu).value_or("") + " " + std::to_string(least) + " " + std::to_string(most),
      gpu);
}
int nvmlDeviceResetGpuLockedClocks(void* gpu) {
  return change("reset_refused", "reset " + answer("uuid", gpu).value_or(""), gpu);
}
#endif
int nvmlDeviceGetVbiosVersion(void* gpu, char* out, unsigned length) {
  return text("vbios", out, length, gpu);
}
int nvmlDeviceGetEnforcedPowerLimit(void* gpu, unsigned* out) {
  return number("power_limit", out, gpu);
}
int nvmlDeviceGetPersistenceMode(void* gpu, unsigned* out) {
  return number("persistence", out, gpu);
}
int nvmlDeviceGetEccMode(void* gpu, unsigned* current, unsigned* pending) {
  *pending = 0;
  (void)number("ecc_pending", pending, gpu);
  return number("ecc", current, gpu);
}
int nvmlDeviceGetMigMode(void* gpu, unsigned* current, unsigned* pending) {
  *pending = 0;
  if (const auto code = answer("mig_refused", gpu)) return std::stoi(*code);
  return number("mig", current, gpu);
}
int nvmlDeviceGetMaxClockInfo(void* gpu, int clock, unsigned* out) {
  return number("max_clock_" + std::to_string(clock), out, gpu);
}
int nvmlDeviceGetClockInfo(void* gpu, int clock, unsigned* out) {
  return number("clock_" + std::to_string(clock), out, gpu);
}
int nvmlDeviceGetPowerUsage(void* gpu, unsigned* out) {
  return number("power", out, gpu);
}
int nvmlDeviceGetTemperature(void* gpu, int sensor, unsigned* out) {
  return number("temperature_" + std::to_string(sensor), out, gpu);
}
#ifdef OLD_DRIVER
int nvmlDeviceGetCurrentClocksThrottleReasons(void* gpu, unsigned long long* out) {
#else
int nvmlDeviceGetCurrentClocksEventReasons(void* gpu, unsigned long long* out) {
#endif
  const auto found = answer("reasons", gpu);
  if (!found) return not_supported;
  *out = std::stoull(*found, nullptr, 0);
  return success;
}
#ifdef OLD_DRIVER
int nvmlDeviceGetComputeRunningProcesses_v2(void* gpu, unsigned* count, ProcessInfo* out) {
#else
int nvmlDeviceGetComputeRunningProcesses_v3(void* gpu, unsigned* count, ProcessInfo* out) {
#endif
  const auto found = answer("processes", gpu);
  if (!found) return not_supported;
  std::istringstream in(*found);
  std::vector<unsigned> pids;
  for (unsigned pid = 0; in >> pid;) pids.push_back(pid);
  const unsigned room = *count;
  *count = static_cast<unsigned>(pids.size());
  if (pids.size() > room) return insufficient_size;
  const bool unknown = answer("process_memory", gpu) == "unknown";
  for (std::size_t i = 0; i < pids.size(); ++i) out[i] = {pids[i], unknown ? ~0ULL : 1ULL << 20, 0, 0};
  return success;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
