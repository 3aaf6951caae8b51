// A stand-in for libnvidia-ml.so.1 with one GPU, whose answers are read anew at each call from the file
// that FAKE_NVML names: lines `key value`. A key that is not there is a call that this driver does not
// support. Built with OLD_DRIVER it has the names of older drivers, where these differ.
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
char the_gpu;

std::optional<std::string> answer(const std::string& key) {
  const char* path = std::getenv("FAKE_NVML");
  std::ifstream in(path != nullptr ? path : "");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key + " ")) return line.substr(key.size() + 1);
  return std::nullopt;
}

int number(const std::string& key, unsigned* out) {
  const auto found = answer(key);
  if (!found) return not_supported;
  *out = static_cast<unsigned>(std::stoul(*found));
  return success;
}

int text(const std::string& key, char* out, unsigned length) {
  const auto found = answer(key);
  if (!found) return not_supported;
  std::strncpy(out, found->c_str(), length - 1);
  return success;
}

int find(const std::string& key, const char* name, void** out) {
  if (answer(key) != name) return not_found;
  *out = &the_gpu;
  return success;
}

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

}  // namespace

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
int nvmlDeviceGetVbiosVersion(void*, char* out, unsigned length) {
  return text("vbios", out, length);
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* out) {
  return number("power_limit", out);
}
int nvmlDeviceGetPersistenceMode(void*, unsigned* out) {
  return number("persistence", out);
}
int nvmlDeviceGetEccMode(void*, unsigned* current, unsigned* pending) {
  *pending = 0;
  return number("ecc", current);
}
int nvmlDeviceGetMigMode(void*, unsigned* current, unsigned* pending) {
  *pending = 0;
  return number("mig", current);
}
int nvmlDeviceGetMaxClockInfo(void*, int clock, unsigned* out) {
  return number("max_clock_" + std::to_string(clock), out);
}
int nvmlDeviceGetClockInfo(void*, int clock, unsigned* out) {
  return number("clock_" + std::to_string(clock), out);
}
int nvmlDeviceGetPowerUsage(void*, unsigned* out) {
  return number("power", out);
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* out) {
  return number("temperature_" + std::to_string(sensor), out);
}
#ifdef OLD_DRIVER
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* out) {
#else
int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* out) {
#endif
  const auto found = answer("reasons");
  if (!found) return not_supported;
  *out = std::stoull(*found, nullptr, 0);
  return success;
}
#ifdef OLD_DRIVER
int nvmlDeviceGetComputeRunningProcesses_v2(void*, unsigned* count, ProcessInfo* out) {
#else
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, ProcessInfo* out) {
#endif
  const auto found = answer("processes");
  if (!found) return not_supported;
  std::istringstream in(*found);
  std::vector<unsigned> pids;
  for (unsigned pid = 0; in >> pid;) pids.push_back(pid);
  const unsigned room = *count;
  *count = static_cast<unsigned>(pids.size());
  if (pids.size() > room) return insufficient_size;
  for (std::size_t i = 0; i < pids.size(); ++i) out[i] = {pids[i], 1U << 20, 0, 0};
  return success;
}

}  // extern "C"
