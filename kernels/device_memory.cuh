// DeviceMemory: memory of the current device that a variant takes itself, for constants that it is made with.
// Scratch memory is in its workspace instead. Host code.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "kernels/cuda_check.cuh"

namespace kernels {

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

}  // namespace kernels
