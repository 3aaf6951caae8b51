#include "harness/device/host/nvml.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "harness/device/host/nvml_library.h"

namespace harness {

namespace {

// 0 when there is no such process that this one can see.
unsigned parent_of(unsigned pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const std::size_t name_end = text.rfind(')');  // a name may hold anything
  if (name_end == std::string::npos || name_end + 3 >= text.size()) return 0;
  return static_cast<unsigned>(std::strtoul(text.c_str() + name_end + 3, nullptr, 10));
}

int others_among(const std::vector<NvmlProcess>& processes) {
  const auto own = static_cast<unsigned>(getpid());
  const auto parent = static_cast<unsigned>(getppid());
  int others = 0;
  bool listed = false;
  for (const NvmlProcess& process : processes) {
    listed = listed || process.pid == own;
    const bool sibling = parent != 0 && parent_of(process.pid) == parent;
    if (process.pid != own && !sibling) ++others;
  }
  return listed || others == 0 ? others : others - 1;
}

}  // namespace

Nvml::Nvml(const std::string& uuid, const std::string& pci_bus) : library_(std::make_unique<NvmlLibrary>()) {
  if (!library_->started()) return;
  device_ = library_->find("nvmlDeviceGetHandleByUUID", uuid);
  if (device_ == nullptr) device_ = library_->find("nvmlDeviceGetHandleByPciBusId_v2", pci_bus);
  counts_alone_ = device_ != nullptr && library_->sliced(device_) == std::optional(false);
}

Nvml::~Nvml() = default;

NvmlFacts Nvml::facts() const {
  NvmlFacts facts;
  if (!library_->started()) return facts;
  facts.driver = library_->driver_version();
  if (device_ == nullptr) return facts;
  facts.vbios = library_->text("nvmlDeviceGetVbiosVersion", device_);
  facts.power_limit_milliwatts = library_->number("nvmlDeviceGetEnforcedPowerLimit", device_);
  if (const auto mode = library_->number("nvmlDeviceGetPersistenceMode", device_))
    facts.persistence = *mode != 0;
  facts.ecc = library_->current_mode("nvmlDeviceGetEccMode", device_);
  facts.mig = library_->current_mode("nvmlDeviceGetMigMode", device_);
  facts.max_sm_clock_mhz = library_->number("nvmlDeviceGetMaxClockInfo", device_, nvml::clock_sm);
  return facts;
}

std::optional<Conditions> Nvml::conditions() const {
  if (device_ == nullptr) return std::nullopt;
  Conditions now;
  now.sm_clock_mhz = library_->number("nvmlDeviceGetClockInfo", device_, nvml::clock_sm);
  now.memory_clock_mhz = library_->number("nvmlDeviceGetClockInfo", device_, nvml::clock_memory);
  if (const auto milliwatts = library_->number("nvmlDeviceGetPowerUsage", device_))
    now.power_w = *milliwatts / 1000.0;
  now.temperature_c = library_->number("nvmlDeviceGetTemperature", device_, nvml::sensor_gpu);
  now.throttled = library_->clock_event_reasons(device_);
  now.other_processes = other_processes().value_or(0);
  return now;
}

std::optional<int> Nvml::other_processes() const {
  if (device_ == nullptr) return std::nullopt;
  const auto listed = library_->processes(device_);
  return listed ? std::optional(others_among(*listed)) : std::nullopt;
}

std::optional<double> Nvml::joules() const {
  if (!counts_alone_) return std::nullopt;
  const auto millijoules = library_->wide_number("nvmlDeviceGetTotalEnergyConsumption", device_);
  if (!millijoules) return std::nullopt;
  return static_cast<double>(*millijoules) / 1000;
}

}  // namespace harness
