#include "harness/device/cuda/timing/call_watch.h"

#include <algorithm>

#include "harness/base/kernel_clock.h"
#include "harness/device/cuda/check.h"
#include "harness/device/cuda/gpu_kernels.h"

namespace harness::cuda {
namespace {

// No more than this is taken off for either, so that work cannot hide there. On an H200 the launch of a fused
// attention of cuDNN and the waiting for it took 0.26 ms.
constexpr Seconds most_taken_off = 0.5e-3;

}  // namespace

Result<CallWatch> CallWatch::begin(cudaStream_t stream, cudaEvent_t event) {
  CallWatch watch;
  const Seconds before = kernel_clock();
  launch_nothing(stream);
  if (auto status = check(cudaEventRecord(event, stream), "cudaEventRecord"); !status)
    return fail(std::move(status.error()));
  if (auto status = check(cudaEventSynchronize(event), "cudaEventSynchronize"); !status)
    return fail(std::move(status.error()));
  if (auto status = check(cudaDeviceSynchronize(), "waiting for all streams"); !status)
    return fail(std::move(status.error()));
  watch.began_ = watch.queued_ = kernel_clock();
  watch.waiting_ = std::min(watch.began_ - before, most_taken_off);
  return watch;
}

void CallWatch::queued() {
  queued_ = kernel_clock();
}

Result<Seconds> CallWatch::passed(Seconds elapsed) {
  if (auto status = check(cudaDeviceSynchronize(), "waiting for all streams"); !status)
    return fail(std::move(status.error()));
  const Seconds launch = std::clamp(queued_ - began_ - elapsed, 0.0, most_taken_off);
  return std::max(0.0, kernel_clock() - began_ - waiting_ - launch);
}

}  // namespace harness::cuda
