#include "harness/device/host/gpu_state.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "harness/base/environment.h"
#include "harness/base/text.h"
#include "harness/device/host/nvml_library.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

constexpr int threshold_slowdown = 1;  // NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
constexpr unsigned long long memory_not_known = ~0ULL;
constexpr int more_than_a_host_has = 256;  // GPUs

// The name of the program, without its arguments, which may hold secrets.
std::string name_of_process(unsigned pid) {
  std::ifstream in(fmt::format("/proc/{}/comm", pid));
  std::string name;
  std::getline(in, name);
  return name;
}

std::optional<double> scaled(std::optional<unsigned> value, double factor) {
  if (!value) return std::nullopt;
  return *value * factor;
}

void read_clocks(const NvmlLibrary& nvml, NvmlHandle device, GpuState& gpu) {
  const auto clock = [&](const char* name, int which) { return scaled(nvml.number(name, device, which), 1); };
  gpu.sm_clock_mhz = clock("nvmlDeviceGetClockInfo", nvml::clock_sm);
  gpu.memory_clock_mhz = clock("nvmlDeviceGetClockInfo", nvml::clock_memory);
  gpu.max_sm_clock_mhz = clock("nvmlDeviceGetMaxClockInfo", nvml::clock_sm);
  gpu.max_memory_clock_mhz = clock("nvmlDeviceGetMaxClockInfo", nvml::clock_memory);
  gpu.application_sm_clock_mhz = clock("nvmlDeviceGetApplicationsClock", nvml::clock_graphics);
  gpu.default_application_sm_clock_mhz = clock("nvmlDeviceGetDefaultApplicationsClock", nvml::clock_graphics);
  gpu.reasons = nvml.clock_event_reasons(device);
}

void read_modes(const NvmlLibrary& nvml, NvmlHandle device, GpuState& gpu) {
  if (const auto query = nvml.function<int(NvmlHandle, unsigned*, unsigned*)>("nvmlDeviceGetEccMode")) {
    unsigned now = 0, after_reset = 0;
    if (query(device, &now, &after_reset) == nvml::success) {
      gpu.ecc = now != 0;
      gpu.ecc_pending = after_reset != 0;
    }
  }
  gpu.mig = nvml.current_mode("nvmlDeviceGetMigMode", device);
  if (const auto mode = nvml.number("nvmlDeviceGetPersistenceMode", device)) gpu.persistence = *mode != 0;
  gpu.compute_mode = nvml.number("nvmlDeviceGetComputeMode", device);
}

GpuState read_gpu(const NvmlLibrary& nvml, NvmlHandle device) {
  GpuState gpu;
  gpu.uuid = nvml.text("nvmlDeviceGetUUID", device).value_or("");
  gpu.name = nvml.text("nvmlDeviceGetName", device).value_or("");
  gpu.pci_bus = nvml.pci_bus(device).value_or("");
  gpu.vbios = nvml.text("nvmlDeviceGetVbiosVersion", device);
  read_clocks(nvml, device, gpu);
  read_modes(nvml, device, gpu);
  constexpr double milli = 1e-3;
  gpu.power_w = scaled(nvml.number("nvmlDeviceGetPowerUsage", device), milli);
  gpu.power_limit_w = scaled(nvml.number("nvmlDeviceGetEnforcedPowerLimit", device), milli);
  gpu.default_power_limit_w = scaled(nvml.number("nvmlDeviceGetPowerManagementDefaultLimit", device), milli);
  gpu.temperature_c = scaled(nvml.number("nvmlDeviceGetTemperature", device, nvml::sensor_gpu), 1);
  gpu.slowdown_temperature_c =
      scaled(nvml.number("nvmlDeviceGetTemperatureThreshold", device, threshold_slowdown), 1);
  for (const NvmlProcess& process : nvml.processes(device).value_or(std::vector<NvmlProcess>{})) {
    GpuProcess& one = gpu.processes.emplace_back();
    one.pid = process.pid;
    one.name = name_of_process(process.pid);
    if (process.used_memory != memory_not_known) one.bytes = process.used_memory;
  }
  return gpu;
}

// "1", "GPU-5d0b": null when no GPU, or more than one, is meant.
const GpuState* named_by(const GpuHost& host, std::string_view word) {
  int index = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (error == std::errc{} && end == word.data() + word.size()) {
    const bool there = index >= 0 && static_cast<std::size_t>(index) < host.gpus.size();
    return there ? &host.gpus[static_cast<std::size_t>(index)] : nullptr;
  }
  const GpuState* found = nullptr;
  for (const GpuState& gpu : host.gpus) {
    if (word.size() < 5 || !gpu.uuid.starts_with(word)) continue;  // more than "GPU-"
    if (found != nullptr) return nullptr;
    found = &gpu;
  }
  return found;
}

// The names in CUDA_VISIBLE_DEVICES. Not set, it is as if it named all GPUs by their numbers.
std::vector<std::string> visible_words(const char* visible) {
  if (visible != nullptr) return split(visible, ',');
  std::vector<std::string> numbers;
  for (int number = 0; number < more_than_a_host_has; ++number) numbers.push_back(std::to_string(number));
  return numbers;
}

}  // namespace

GpuHost read_gpus() {
  const NvmlLibrary nvml;
  GpuHost host;
  host.library = nvml.loaded();
  host.started = nvml.started();
  if (!host.started) return host;
  host.driver = nvml.driver_version().value_or("");
  if (const auto query = nvml.function<int(int*)>("nvmlSystemGetCudaDriverVersion_v2")) {
    int version = 0;  // 1000 major + 10 minor
    if (query(&version) == nvml::success)
      host.cuda_driver = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  }
  for (const NvmlHandle device : nvml.devices()) host.gpus.push_back(read_gpu(nvml, device));
  return host;
}

std::vector<const GpuState*> visible_gpus(const GpuHost& host, const char* visible) {
  std::vector<const GpuState*> seen;
  for (const std::string& word : visible_words(visible)) {
    const GpuState* gpu = named_by(host, trim(word));
    if (gpu == nullptr) break;
    seen.push_back(gpu);
  }
  return seen;
}

std::vector<const GpuState*> visible_gpus(const GpuHost& host) {
  return visible_gpus(host, environment::cuda_visible_devices());
}

std::optional<std::string> showing_only(const std::vector<int>& ordinals, const char* visible) {
  const std::vector<std::string> words = visible_words(visible);
  std::vector<std::string> shown;
  for (const int ordinal : ordinals) {
    if (static_cast<std::size_t>(ordinal) >= words.size()) return std::nullopt;
    shown.emplace_back(trim(words[static_cast<std::size_t>(ordinal)]));
  }
  return join(shown, ",");
}

std::string described(const GpuState& gpu, std::size_t ordinal) {
  return fmt::format("{} {} ({})", gpu_device_name(ordinal), printable(gpu.name), printable(gpu.uuid));
}

Result<const GpuState*> gpu_named(const GpuHost& host, std::string_view device) {
  const std::optional<int> ordinal = cuda_ordinal(device);
  if (!ordinal)
    return fail(ErrorKind::usage, fmt::format("`{}` is no CUDA device", printable(device)),
                "write cuda or cuda:N");
  const char* visible = environment::cuda_visible_devices();
  const bool slices = visible != nullptr && std::string_view(visible).find("MIG-") != std::string_view::npos;
  if (host.gpus.empty() || slices) return nullptr;
  const std::vector<const GpuState*> seen = visible_gpus(host);
  if (static_cast<std::size_t>(*ordinal) < seen.size()) return seen[static_cast<std::size_t>(*ordinal)];
  std::vector<std::string> there;
  for (std::size_t i = 0; i < seen.size(); ++i) there.push_back(described(*seen[i], i));
  const std::size_t hidden = host.gpus.size() - seen.size();
  return fail(
      ErrorKind::usage,
      fmt::format("there is no device {}; there {}", gpu_device_name(static_cast<std::size_t>(*ordinal)),
                  there.empty() ? "is none" : "are: " + join(there, ", ")),
      hidden > 0 ? fmt::format("CUDA_VISIBLE_DEVICES hides {} of the {} GPUs of this machine", hidden,
                               host.gpus.size())
                 : "`harness list --devices` shows what can be named");
}

std::optional<std::string> certain_uuid(const GpuHost& host, std::string_view device) {
  const std::string order = environment::cuda_device_order();
  if (!order.empty() && order != "PCI_BUS_ID") return std::nullopt;
  const Result<const GpuState*> gpu = gpu_named(host, device);
  if (!gpu || *gpu == nullptr || (*gpu)->uuid.empty() || (*gpu)->mig.value_or(false)) return std::nullopt;
  return (*gpu)->uuid;
}

std::string gpu_device_name(std::size_t ordinal) {
  return fmt::format("{}:{}", cuda_kind.name, ordinal);
}

std::optional<int> cuda_ordinal(std::string_view name) {
  if (!name.starts_with(cuda_kind.name)) return std::nullopt;
  name.remove_prefix(cuda_kind.name.size());
  if (name.empty()) return 0;
  if (name.front() != ':') return std::nullopt;
  int ordinal = -1;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), ordinal);
  if (error != std::errc{} || end != name.data() + name.size() || ordinal < 0) return std::nullopt;
  return ordinal;
}

}  // namespace harness
