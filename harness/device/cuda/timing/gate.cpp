#include "harness/device/cuda/timing/gate.h"

#include "harness/base/environment.h"
#include "harness/device/cuda/check.h"
#include "harness/device/cuda/gpu_kernels.h"

namespace harness::cuda {
namespace {

// cuStreamWaitValue32 in its second version (CUDA 11.7), from the loaded driver: the module does not link
// libcuda. Null when the driver lacks it.
void* find_stream_wait() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult how = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t code =
      cudaGetDriverEntryPointByVersion("cuStreamWaitValue32", &found, 11070, cudaEnableLegacyStream, &how);
  if (code != cudaSuccess) (void)cudaGetLastError();
  return code == cudaSuccess && how == cudaDriverEntryPointSuccess ? found : nullptr;
}

}  // namespace

Result<std::unique_ptr<Gate>> Gate::create(cudaStream_t stream) {
  void* flag = nullptr;
  if (auto status = check(cudaHostAlloc(&flag, sizeof(std::uint32_t), cudaHostAllocMapped),
                          "cudaHostAlloc of the launch gate's flag");
      !status)
    return fail(std::move(status.error()));
  *static_cast<std::uint32_t*>(flag) = 0;
  void* device_flag = nullptr;
  if (auto status = check(cudaHostGetDevicePointer(&device_flag, flag, 0), "cudaHostGetDevicePointer");
      !status) {
    (void)cudaFreeHost(flag);
    return fail(std::move(status.error()));
  }
  std::unique_ptr<Gate> gate(
      new Gate(stream, static_cast<std::uint32_t*>(flag), static_cast<const std::uint32_t*>(device_flag)));
  if (gate->try_stream_wait()) return gate;
  // Loads the kernel's code now, with the gate open.
  launch_spinning_gate(stream, gate->device_flag_, 0);
  if (auto status = check_launch("the spinning gate"); !status) return fail(std::move(status.error()));
  if (auto status = check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); !status)
    return fail(std::move(status.error()));
  return gate;
}

Gate::Gate(cudaStream_t stream, std::uint32_t* flag, const std::uint32_t* device_flag)
    : stream_(stream), flag_(flag), device_flag_(device_flag), watchdog_([this] { let_through(); }) {}

Gate::~Gate() {
  open();
  // The stream may still be reading the flag of a gate that was opened a moment ago.
  (void)cudaStreamSynchronize(stream_);
  (void)cudaFreeHost(flag_);
}

// Waits once for a value that is already there. Some systems refuse (older drivers, some virtual GPUs); then
// the gate is the spinning thread.
bool Gate::try_stream_wait() {
  if (environment::forces_spinning_gate()) return false;
  const auto wait = reinterpret_cast<StreamWait>(find_stream_wait());
  if (wait == nullptr) return false;
  if (wait(stream_, reinterpret_cast<CUdeviceptr>(device_flag_), 0, CU_STREAM_WAIT_VALUE_GEQ) != CUDA_SUCCESS)
    return false;
  if (cudaStreamSynchronize(stream_) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  stream_wait_ = wait;
  return true;
}

void Gate::let_through() {
  std::atomic_ref<std::uint32_t>(*flag_).store(round_.load(std::memory_order_relaxed),
                                               std::memory_order_release);
}

Result<HeldGate> Gate::close(cudaStream_t stream, Seconds deadline) {
  stream_ = stream;
  const std::uint32_t round = round_.fetch_add(1, std::memory_order_relaxed) + 1;
  watchdog_.arm(deadline);
  if (stream_wait_ != nullptr) {
    if (stream_wait_(stream_, reinterpret_cast<CUdeviceptr>(device_flag_), round, CU_STREAM_WAIT_VALUE_GEQ) ==
        CUDA_SUCCESS)
      return HeldGate(*this);
    stream_wait_ = nullptr;
  }
  launch_spinning_gate(stream_, device_flag_, round);
  HeldGate held(*this);
  if (Status launched = check_launch("the spinning gate"); !launched)
    return fail(std::move(launched.error()));
  return held;
}

bool Gate::open() {
  // In this order: a watchdog that is disarmed cannot claim this opening.
  const bool forced = watchdog_.disarm();
  let_through();
  return forced;
}

}  // namespace harness::cuda
