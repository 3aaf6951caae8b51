// Memory, streams and events that a variant owns on the current device, beside its tensors and its workspace.
// Each ends with its owner. Host code.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "kernels/cuda_check.cuh"

namespace kernels {

// Memory that a workspace cannot be: constants that a variant is made with, or on a GPU beside the first.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes) {
    void* made = nullptr;
    check(cudaMalloc(&made, bytes), "cudaMalloc");
    memory_.reset(made);
  }
  // Waits for the device.
  void upload(const void* from, std::size_t bytes) const {
    check(cudaMemcpy(memory_.get(), from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(memory_.get());
  }

 private:
  std::unique_ptr<void, cudaError_t (*)(void*)> memory_{nullptr, cudaFree};
};

struct EndStream {
  void operator()(cudaStream_t stream) const { (void)cudaStreamDestroy(stream); }
};
using OwnedStream = std::unique_ptr<CUstream_st, EndStream>;

// It does not wait for the default stream.
inline OwnedStream make_stream() {
  cudaStream_t made = nullptr;
  check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return OwnedStream(made);
}

struct EndEvent {
  void operator()(cudaEvent_t event) const { (void)cudaEventDestroy(event); }
};
using OwnedEvent = std::unique_ptr<CUevent_st, EndEvent>;

// For order alone, or with cudaEventDefault also for times.
inline OwnedEvent make_event(unsigned flags = cudaEventDisableTiming) {
  cudaEvent_t made = nullptr;
  check(cudaEventCreateWithFlags(&made, flags), "cudaEventCreateWithFlags");
  return OwnedEvent(made);
}

inline void record(const OwnedEvent& event, cudaStream_t stream) {
  check(cudaEventRecord(event.get(), stream), "cudaEventRecord");
}

// The stream goes on once the recorded event has happened.
inline void hold(cudaStream_t stream, const OwnedEvent& event) {
  check(cudaStreamWaitEvent(stream, event.get(), 0), "cudaStreamWaitEvent");
}

// `later` goes on behind what is queued on `earlier` now.
inline void follow(cudaStream_t later, const OwnedEvent& event, cudaStream_t earlier) {
  record(event, earlier);
  hold(later, event);
}

}  // namespace kernels
