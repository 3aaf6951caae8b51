#include "harness/device/cuda/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/device/cuda/check.h"
#include "harness/device/cuda/gpu_kernels.h"
#include "harness/device/host/attached_tools.h"
#include "harness/model/device_kinds.h"

namespace harness::cuda {
namespace {

const char* advice_for_opening(cudaError_t code) {
  switch (code) {
    case cudaErrorInsufficientDriver:
      return "the installed driver is older than this build's CUDA runtime needs: update the driver";
    case cudaErrorNoDevice: return "check `nvidia-smi` and CUDA_VISIBLE_DEVICES";
    case cudaErrorDevicesUnavailable:
      return "another process may hold the GPU in exclusive mode: check `nvidia-smi`";
    case cudaErrorSystemDriverMismatch:
    case cudaErrorSystemNotReady: return "the driver is not ready: check `nvidia-smi` and the fabric manager";
    case cudaErrorCompatNotSupportedOnDevice:
      return "forward compatibility libraries do not work on this GPU: update the driver";
    default: return "check `nvidia-smi`";
  }
}

Status check_machine_code(const cudaDeviceProp& properties) {
  const cudaError_t code = find_machine_code();
  if (code != cudaErrorNoKernelImageForDevice && code != cudaErrorInvalidDeviceFunction)
    return check(code, "looking for machine code", advice_for_opening(code));
  (void)cudaGetLastError();
  return fail(
      ErrorKind::environment,
      fmt::format("this build's CUDA module has no code for {} (compute capability {}.{}); it was "
                  "built for {}",
                  properties.name, properties.major, properties.minor, HARNESS_CUDA_ARCHITECTURES_BUILT),
      fmt::format("configure with -DHARNESS_CUDA_ARCHITECTURES={}{}-real and build again", properties.major,
                  properties.minor));
}

std::size_t cache_bytes_of(const cudaDeviceProp& properties) {
  return static_cast<std::size_t>(std::max(0, properties.l2CacheSize));
}

}  // namespace

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(const std::vector<int>& ordinals,
                                                     bool profiled_from_outside) {
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  if (auto status = check(counted, "cudaGetDeviceCount", advice_for_opening(counted)); !status)
    return fail(std::move(status.error()));
  for (const int ordinal : ordinals)
    if (ordinal < 0 || ordinal >= count)
      return fail(ErrorKind::environment,
                  fmt::format("there is no GPU {}; this machine shows {}", ordinal,
                              count == 1 ? "cuda:0 alone" : fmt::format("cuda:0 to cuda:{}", count - 1)),
                  "CUDA_VISIBLE_DEVICES may hide some; `harness list --devices` shows what there is");
  const int ordinal = ordinals.front();
  const cudaError_t chosen = cudaSetDevice(ordinal);
  if (auto status = check(chosen, "cudaSetDevice", advice_for_opening(chosen)); !status)
    return fail(std::move(status.error()));
  cudaDeviceProp properties{};
  if (auto status = check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties"); !status)
    return fail(std::move(status.error()));
  if (auto status = check_machine_code(properties); !status) return fail(std::move(status.error()));
  std::unique_ptr<CudaDevice> device(new CudaDevice(ordinals, properties, profiled_from_outside));
  if (auto status = device->create_parts(); !status) return fail(std::move(status.error()));
  return device;
}

CudaDevice::CudaDevice(const std::vector<int>& ordinals, const cudaDeviceProp& properties,
                       bool profiled_from_outside)
    : ordinal_(ordinals.front()),
      properties_(properties),
      traits_{.kind = std::string(cuda_kind.name),
              .name = properties.name,
              .compute_major = properties.major,
              .compute_minor = properties.minor,
              .multiprocessors = properties.multiProcessorCount,
              .shared_memory_per_block = properties.sharedMemPerBlockOptin,
              .ordinal = ordinals.front(),
              .peers = {ordinals.begin() + 1, ordinals.end()}},
      code_(profiled_from_outside),
      flusher_(cache_bytes_of(properties)) {}

Status CudaDevice::create_parts() {
  auto queue = WorkQueue::create(ordinal_, traits_.peers);
  if (!queue) return fail(std::move(queue.error()));
  queue_ = std::move(*queue);
  auto gate = Gate::create(queue_->stream());
  if (!gate) return fail(std::move(gate.error()));
  gate_ = std::move(*gate);
  const std::optional<Note> obstacle = gate_obstacle_here();
  auto timer =
      CudaTimer::create({*queue_, flusher_, *gate_, code_, properties_.multiProcessorCount, obstacle});
  if (!timer) return fail(std::move(timer.error()));
  timer_ = std::move(*timer);
  memory_ = std::make_unique<CudaMemory>(*queue_, ordinal_, cache_bytes_of(properties_));
  profiler_ = std::make_unique<CudaProfiler>(
      ProfilerParts{*queue_, flusher_, obstacle ? nullptr : gate_.get(), code_, ordinal_});
  auto sensors = CudaSensors::create({*queue_, *timer_, *gate_, obstacle, ordinal_}, properties_);
  if (!sensors) return fail(std::move(sensors.error()));
  sensors_ = std::move(*sensors);
  return {};
}

}  // namespace harness::cuda
