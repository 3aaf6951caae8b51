// Functions of the driver in use, looked up through the runtime, so that nothing links against libcuda.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace kernels {

// The driver's function `name` as CUDA 12.0 has it. Throws std::runtime_error where there is none.
template <class Function>
Function* driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
  if (status != cudaSuccess || found != cudaDriverEntryPointSuccess || function == nullptr)
    throw std::runtime_error(std::string("the driver has no ") + name +
                             " (CUDA 12.0): " + cudaGetErrorString(status));
  return reinterpret_cast<Function*>(function);
}

// Throws std::runtime_error with `call` and the driver's words.
inline void check_driver(CUresult status, const std::string& call) {
  if (status == CUDA_SUCCESS) return;
  const char* text = nullptr;
  driver_function<decltype(cuGetErrorString)>("cuGetErrorString")(status, &text);
  throw std::runtime_error(call + ": " + (text == nullptr ? "unknown error" : text));
}

}  // namespace kernels
