// driver_function(): a function of the CUDA driver, looked up through the runtime, so nothing links against
// libcuda. Host code.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace ptx {

// Function: decltype(&cuName), as of CUDA 12.0. Throws std::runtime_error where the driver in use lacks it.
template <class Function>
Function driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult how = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t status = cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &how);
  if (status != cudaSuccess || how != cudaDriverEntryPointSuccess || found == nullptr)
    throw std::runtime_error(std::string("the driver has no ") + name +
                             " (CUDA 12.0): " + cudaGetErrorString(status));
  return reinterpret_cast<Function>(found);
}

}  // namespace ptx
