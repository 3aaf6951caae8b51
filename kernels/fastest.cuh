// fastest_of(): which of several ways to work is the fastest on this device. Host code.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>

#include "kernels/algorithms.h"
#include "kernels/cuda_check.cuh"

namespace kernels {

// fastest_by() the times of run(index, stream) by events. Waits for the device.
template <class Run>
std::size_t fastest_of(std::size_t count, int rounds, const Run& run) {
  using Event = std::unique_ptr<CUevent_st, cudaError_t (*)(cudaEvent_t)>;
  const auto make_event = [] {
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event), "cudaEventCreate");
    return Event(event, cudaEventDestroy);
  };
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  const std::unique_ptr<CUstream_st, cudaError_t (*)(cudaStream_t)> owned(stream, cudaStreamDestroy);
  const Event start = make_event();
  const Event stop = make_event();
  return fastest_by(count, rounds, [&](std::size_t index) {
    check(cudaEventRecord(start.get(), stream), "cudaEventRecord");
    run(index, stream);
    check(cudaEventRecord(stop.get(), stream), "cudaEventRecord");
    check(cudaEventSynchronize(stop.get()), "cudaEventSynchronize");
    float time = 0;
    check(cudaEventElapsedTime(&time, start.get(), stop.get()), "cudaEventElapsedTime");
    return time;
  });
}

}  // namespace kernels
