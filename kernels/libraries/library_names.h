// The vendors' libraries that kernels load when they need them. All of them are listed, because a build
// beside another version of one is another build (harness/cli/provenance/running_build.h). Host code without
// CUDA.
#pragma once

#include <vector>

#include "kernels/libraries/loaded_library.h"

namespace kernels::library_names {

inline LibraryName cudnn() {
  return {"cuDNN 9", "HARNESS_CUDNN_PATH", {"libcudnn.so.9"}};
}
inline LibraryName cufft() {
  return {"cuFFT", "HARNESS_CUFFT_PATH", {"libcufft.so.12", "libcufft.so.11"}};
}
inline LibraryName cusparselt() {
  return {"cuSPARSELt 0.7 or newer", "HARNESS_CUSPARSELT_PATH", {"libcusparseLt.so.0"}};
}
inline LibraryName nccl() {
  return {"NCCL 2", "HARNESS_NCCL_PATH", {"libnccl.so.2"}};
}
inline LibraryName nvrtc() {
  return {"NVRTC 12 or 13", "HARNESS_NVRTC_PATH", {"libnvrtc.so.13", "libnvrtc.so.12"}};
}

inline std::vector<LibraryName> all() {
  return {cudnn(), cufft(), cusparselt(), nccl(), nvrtc()};
}

}  // namespace kernels::library_names
