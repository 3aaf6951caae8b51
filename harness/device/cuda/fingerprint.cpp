#include "harness/device/cuda/fingerprint.h"

#include <cublas_v2.h>
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "harness/device/cuda/profiling/names.h"
#include "harness/device/host/host_state.h"

// From CMake: HARNESS_NVCC_VERSION, HARNESS_NVCC_FLAGS, HARNESS_CUDA_ARCHITECTURES_BUILT.

namespace harness::cuda {
namespace {

using Version = cudaError_t (*)(int*);

std::optional<std::string> cuda_version(Version query) {
  int encoded = 0;
  if (query(&encoded) != cudaSuccess || encoded == 0) return std::nullopt;
  return version_text(encoded);
}

std::optional<std::string> cublas_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  if (cublasGetProperty(MAJOR_VERSION, &major) != CUBLAS_STATUS_SUCCESS ||
      cublasGetProperty(MINOR_VERSION, &minor) != CUBLAS_STATUS_SUCCESS ||
      cublasGetProperty(PATCH_LEVEL, &patch) != CUBLAS_STATUS_SUCCESS)
    return std::nullopt;
  return fmt::format("{}.{}.{}", major, minor, patch);
}

std::optional<std::string> megahertz(cudaDeviceAttr attribute, int ordinal) {
  int kilohertz = 0;
  if (cudaDeviceGetAttribute(&kilohertz, attribute, ordinal) != cudaSuccess || kilohertz <= 0)
    return std::nullopt;
  return fmt::format("{} MHz", kilohertz / 1000);
}

std::string on_or_off(bool on) {
  return on ? "on" : "off";
}

class Fields {
 public:
  explicit Fields(std::vector<MachineField>& to) : to_(to) {}
  void add(FieldClass kind, std::string name, std::optional<std::string> value) {
    if (value && !value->empty()) to_.push_back(MachineField{std::move(name), std::move(*value), kind});
  }

 private:
  std::vector<MachineField>& to_;
};

void add_blocking(Fields& fields, const cudaDeviceProp& properties, const NvmlFacts& nvml) {
  constexpr double gib = 1024.0 * 1024.0 * 1024.0;
  constexpr auto block = FieldClass::block;
  fields.add(block, "device", properties.name);
  fields.add(block, "compute_capability", fmt::format("{}.{}", properties.major, properties.minor));
  // Whole GiB: the exact number of usable bytes differs between drivers.
  fields.add(block, "memory",
             fmt::format("{:.0f} GiB", static_cast<double>(properties.totalGlobalMem) / gib));
  fields.add(block, "ecc", on_or_off(nvml.ecc.value_or(properties.ECCEnabled != 0)));
  if (nvml.mig) fields.add(block, "mig", on_or_off(*nvml.mig));
}

void add_warning(Fields& fields, const NvmlFacts& nvml, const Instrument& instrument) {
  constexpr auto warn = FieldClass::warn;
  fields.add(warn, "driver", nvml.driver);
  fields.add(warn, "cuda_driver", cuda_version(cudaDriverGetVersion));
  fields.add(warn, "cuda_runtime", cuda_version(cudaRuntimeGetVersion));
  fields.add(warn, "cublas", cublas_version());
  fields.add(warn, "nvcc", HARNESS_NVCC_VERSION);
  fields.add(warn, "architectures", HARNESS_CUDA_ARCHITECTURES_BUILT);
  if (nvml.power_limit_milliwatts)
    fields.add(warn, "power_limit", fmt::format("{} W", (*nvml.power_limit_milliwatts + 500) / 1000));
  if (nvml.persistence) fields.add(warn, "persistence", on_or_off(*nvml.persistence));
  fields.add(warn, "gate", instrument.gate);
  fields.add(warn, "streams", instrument.streams);
}

void add_information(Fields& fields, const cudaDeviceProp& properties, const NvmlFacts& nvml, int ordinal) {
  constexpr auto info = FieldClass::info;
  fields.add(info, "vbios", nvml.vbios);
  fields.add(info, "multiprocessors", std::to_string(properties.multiProcessorCount));
  fields.add(info, "l2_cache", fmt::format("{} bytes", properties.l2CacheSize));
  if (nvml.max_sm_clock_mhz)
    fields.add(info, "sm_clock_max", fmt::format("{} MHz", *nvml.max_sm_clock_mhz));
  else
    fields.add(info, "sm_clock_max", megahertz(cudaDevAttrClockRate, ordinal));
  fields.add(info, "memory_clock", megahertz(cudaDevAttrMemoryClockRate, ordinal));
  fields.add(info, "pci_bus", pci_bus_of(ordinal));
  fields.add(info, "nvcc_flags", HARNESS_NVCC_FLAGS);
}

}  // namespace

std::string pci_bus_of(int ordinal) {
  char text[32] = {};
  return cudaDeviceGetPCIBusId(text, sizeof text, ordinal) == cudaSuccess ? text : "";
}

Machine read_fingerprint(const cudaDeviceProp& properties, int ordinal, const Instrument& instrument,
                         const NvmlFacts& nvml) {
  Machine machine;
  machine.machine_class = machine_class_of(properties.name);
  machine.device_uuid = uuid_text(properties.uuid.bytes);
  Fields fields(machine.fields);
  add_blocking(fields, properties, nvml);
  add_warning(fields, nvml, instrument);
  add_information(fields, properties, nvml, ordinal);
  for (MachineField& field : host_fields()) machine.fields.push_back(std::move(field));
  (void)cudaGetLastError();  // clears the errors of facts that cannot be read
  return machine;
}

}  // namespace harness::cuda
