// fastest_of(): which of several ways to work is the fastest on this device. Host code.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/cuda_check.cuh"

namespace kernels {

// Calls run(index, stream) for each of `count` (at least one) ways in turns, and takes that with the smallest
// median of `rounds` calls after one that is not counted. Among ways within 1 % of it, where noise would
// choose, it takes the first. Waits for the device.
template <class Run>
std::size_t fastest_of(std::size_t count, int rounds, const Run& run) {
  using Event = std::unique_ptr<CUevent_st, cudaError_t (*)(cudaEvent_t)>;
  constexpr float alike = 1.01F;
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
  std::vector<std::vector<float>> times(count);
  for (int round = -1; round < rounds; ++round)
    for (std::size_t i = 0; i < count; ++i) {
      check(cudaEventRecord(start.get(), stream), "cudaEventRecord");
      run(i, stream);
      check(cudaEventRecord(stop.get(), stream), "cudaEventRecord");
      check(cudaEventSynchronize(stop.get()), "cudaEventSynchronize");
      float time = 0;
      check(cudaEventElapsedTime(&time, start.get(), stop.get()), "cudaEventElapsedTime");
      if (round >= 0) times[i].push_back(time);
    }
  std::vector<float> medians;
  for (std::vector<float>& of_one : times) {
    std::nth_element(of_one.begin(), of_one.begin() + rounds / 2, of_one.end());
    medians.push_back(of_one[static_cast<std::size_t>(rounds / 2)]);
  }
  const float limit = alike * *std::min_element(medians.begin(), medians.end());
  const auto chosen = std::find_if(medians.begin(), medians.end(), [&](float time) { return time <= limit; });
  return static_cast<std::size_t>(chosen - medians.begin());
}

}  // namespace kernels
