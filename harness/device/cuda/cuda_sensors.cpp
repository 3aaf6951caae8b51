#include "harness/device/cuda/cuda_sensors.h"

#include <fmt/format.h>

#include <utility>

#include "harness/device/conditions.h"
#include "harness/device/cuda/ceilings.h"
#include "harness/device/cuda/check.h"
#include "harness/device/cuda/fingerprint.h"
#include "harness/device/cuda/profiling/names.h"

namespace harness::cuda {
namespace {

constexpr Seconds between_energy_readings = 0.5e-3;  // from begin to begin, where a reading is shorter

}  // namespace

Result<std::unique_ptr<CudaSensors>> CudaSensors::create(SensorParts parts,
                                                         const cudaDeviceProp& properties) {
  auto meter = ClockMeter::create();
  if (!meter) return fail(std::move(meter.error()));
  std::unique_ptr<CudaSensors> sensors(new CudaSensors(std::move(parts), properties, std::move(*meter)));
  (void)cudaGetLastError();  // clears the error of an unreadable bus
  return sensors;
}

CudaSensors::CudaSensors(SensorParts parts, const cudaDeviceProp& properties,
                         std::unique_ptr<ClockMeter> meter)
    : parts_(std::move(parts)),
      properties_(properties),
      meter_(std::move(meter)),
      nvml_(uuid_text(properties.uuid.bytes), pci_bus_of(parts_.ordinal)) {}

Machine CudaSensors::fingerprint() {
  const std::optional<Note>& obstacle = parts_.gate_obstacle;
  const std::string gate =
      obstacle ? fmt::format("none: {}", name_of(obstacle->code)) : std::string(name_of(parts_.gate.kind()));
  return read_fingerprint(properties_, parts_.ordinal, {gate, parts_.queue.kind()}, nvml_.facts());
}

Result<std::map<std::string, double>> CudaSensors::measure_ceilings() {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  return cuda::measure_ceilings(parts_.timer, properties_.major, properties_.minor);
}

Result<double> CudaSensors::measure_link() {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  return cuda::measure_link(parts_.timer, parts_.queue.peers());
}

Since<Conditions> CudaSensors::watch_conditions() {
  return [this, before = nvml_.conditions()]() -> std::optional<Conditions> {
    const std::optional<Conditions> after = nvml_.conditions();
    if (!after || !before) return after;
    return combined(*before, *after);
  };
}

Since<EnergyLog> CudaSensors::watch_energy() {
  return read_energy_apart([this] { return nvml_.joules(); }, host_now, between_energy_readings);
}

std::optional<double> CudaSensors::power_cap() {
  const std::optional<unsigned> milliwatts = nvml_.facts().power_limit_milliwatts;
  if (!milliwatts) return std::nullopt;
  return *milliwatts / 1000.0;
}

}  // namespace harness::cuda
