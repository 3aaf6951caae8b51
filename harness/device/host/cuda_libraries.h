// CudaLibraries: which CUDA libraries a program started here would find, and whether CUPTI is free, without a
// GPU and without a CUDA context. dlopen opens them under CUDA 13's names. Call it in a process of its own:
// some cannot be unloaded, and a broken one may end it.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/result.h"

namespace harness {

struct CudaLibraries {
  std::string toolkit;       // "13.0.48", of the version.json of an installed toolkit, or ""
  std::string cublas;        // "13.0.0.19", or ""
  std::string cupti;         // cuptiGetVersion() as a number, "130000", or ""
  std::string cupti_path;    // of the file that was loaded
  std::string cupti_error;   // why it cannot be loaded
  std::string cupti_holder;  // who has subscribed to it already, or "": it is free, as far as can be told
  std::string injected;      // what CUDA_INJECTION64_PATH loads into every CUDA process, or ""
};

// Looks here and now. HARNESS_CUPTI and HARNESS_CUBLAS name other files, stand-ins for tests for example.
CudaLibraries find_cuda_libraries(const std::filesystem::path& root = "/");

// The same by way of text, for a process of its own: one JSON object.
std::string encode(const CudaLibraries& libraries);
Result<CudaLibraries> decode_cuda_libraries(const std::string& text);

}  // namespace harness
