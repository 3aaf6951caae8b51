// fastest_of(): which of several ways to work is the fastest on this device. Host code.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/algorithms.h"
#include "kernels/owned.cuh"

namespace kernels {

// fastest_by() the times of run(index, stream) by events. Waits for the device.
template <class Run>
std::size_t fastest_of(std::size_t count, int rounds, const Run& run) {
  const OwnedStream stream = make_stream();
  const OwnedEvent start = make_event(cudaEventDefault), stop = make_event(cudaEventDefault);
  return fastest_by(count, rounds, [&](std::size_t index) {
    record(start, stream.get());
    run(index, stream.get());
    record(stop, stream.get());
    check(cudaEventSynchronize(stop.get()), "cudaEventSynchronize");
    float time = 0;
    check(cudaEventElapsedTime(&time, start.get(), stop.get()), "cudaEventElapsedTime");
    return time;
  });
}

}  // namespace kernels
