// LoadedCode: kernels in machine code that was made at run time. They may be launched in any context of the
// device. Host code.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "kernels/cuda_check.cuh"

namespace kernels {

class LoadedCode {
 public:
  explicit LoadedCode(const std::vector<char>& cubin) {
    check(cudaLibraryLoadData(&library_, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "cudaLibraryLoadData");
  }
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  ~LoadedCode() { cudaLibraryUnload(library_); }

  // For launches, as a kernel of this program.
  [[nodiscard]] const void* kernel(const std::string& name) const {
    cudaKernel_t found = nullptr;
    check(cudaLibraryGetKernel(&found, library_, name.c_str()), "cudaLibraryGetKernel");
    return reinterpret_cast<const void*>(found);
  }

 private:
  cudaLibrary_t library_ = nullptr;
};

}  // namespace kernels
