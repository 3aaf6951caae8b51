// NvrtcLibrary: NVIDIA's run-time compiler, loaded when it is asked for, so that the module neither links it
// nor needs it to be installed. The few names of its C API that are used here are declared here: plain host
// code that needs no CUDA toolkit. It lives as long as the process; threads may share it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/loaded_library.h"

namespace kernels {

class NvrtcLibrary {
 public:
  using Program = void*;

  // The process's copy. Throws Unsupported with the reason where there is none.
  static const NvrtcLibrary& instance() {
    static const NvrtcLibrary library(LoadedLibrary::candidates(library_name()));
    return library;
  }

  // The first of `files` that loads.
  explicit NvrtcLibrary(const std::vector<std::string>& files) {
    const LoadedLibrary library(library_name(), files);
    library.find(error_string, "nvrtcGetErrorString");
    library.find(version, "nvrtcVersion");
    library.find(create, "nvrtcCreateProgram");
    library.find(destroy, "nvrtcDestroyProgram");
    library.find(compile, "nvrtcCompileProgram");
    library.find(log_size, "nvrtcGetProgramLogSize");
    library.find(log, "nvrtcGetProgramLog");
    library.find(cubin_size, "nvrtcGetCUBINSize");
    library.find(cubin, "nvrtcGetCUBIN");
  }

  void check(int status, const char* call) const {
    if (status != 0) throw std::runtime_error(std::string(call) + ": " + error_string(status));
  }

  const char* (*error_string)(int) = nullptr;
  int (*version)(int* major, int* minor) = nullptr;
  int (*create)(Program*, const char* source, const char* name, int headers, const char* const* texts,
                const char* const* names) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int options, const char* const*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;

 private:
  static LibraryName library_name() {
    return {"NVRTC 12 or 13", "HARNESS_NVRTC_PATH", {"libnvrtc.so.13", "libnvrtc.so.12"}};
  }
};

}  // namespace kernels
