#include "tests/instrument/offsets/driver.h"

#include <fmt/format.h>

#include "harness/device/cuda/check.h"

namespace harness::offsets {

void require(const Status& status) {
  if (!status) throw Failure(status.error().message);
}

void require(cudaError_t code, std::string_view call) {
  require(cuda::check(code, call));
}

void require(CUresult code, std::string_view call) {
  if (code == CUDA_SUCCESS) return;
  const char* name = nullptr;
  const auto name_of = driver_function<PFN_cuGetErrorName_v6000>("cuGetErrorName", 6000);
  if (name_of(code, &name) != CUDA_SUCCESS) name = "an unknown error";
  throw Failure(fmt::format("{} failed: {} ({})", call, name, static_cast<int>(code)));
}

void* find_driver_function(const char* name, unsigned version) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult how = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t code =
      cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableLegacyStream, &how);
  if (code != cudaSuccess) (void)cudaGetLastError();
  if (code != cudaSuccess || how != cudaDriverEntryPointSuccess || found == nullptr)
    throw Unavailable(
        fmt::format("the driver has no {} of CUDA {}.{}", name, version / 1000, version % 1000 / 10));
  return found;
}

}  // namespace harness::offsets
