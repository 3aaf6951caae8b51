// NvrtcLibrary: NVIDIA's run-time compiler, loaded when it is asked for, so that the module neither links it
// nor needs it to be installed. The few names of its C API that are used here are declared here: plain host
// code that needs no CUDA toolkit. It lives as long as the process; threads may share it.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/sdk/params.h"

namespace masks {

class NvrtcLibrary {
 public:
  using Program = void*;

  // The process's copy. Throws Unsupported with the reason where there is none.
  static const NvrtcLibrary& instance() {
    static const NvrtcLibrary library(candidates());
    return library;
  }

  // The first of `files` that loads.
  explicit NvrtcLibrary(const std::vector<std::string>& files) {
    void* const library = open(files);
    find(library, error_string, "nvrtcGetErrorString");
    find(library, create, "nvrtcCreateProgram");
    find(library, destroy, "nvrtcDestroyProgram");
    find(library, compile, "nvrtcCompileProgram");
    find(library, log_size, "nvrtcGetProgramLogSize");
    find(library, log, "nvrtcGetProgramLog");
    find(library, cubin_size, "nvrtcGetCUBINSize");
    find(library, cubin, "nvrtcGetCUBIN");
  }

  void check(int status, const char* call) const {
    if (status != 0) throw std::runtime_error(std::string(call) + ": " + error_string(status));
  }

  const char* (*error_string)(int) = nullptr;
  int (*create)(Program*, const char* source, const char* name, int headers, const char* const* texts,
                const char* const* names) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int options, const char* const*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;

 private:
  // HARNESS_NVRTC_PATH, a file or a folder, and nothing else when it is set; otherwise what the loader finds
  // and where CUDA toolkits put it.
  static std::vector<std::string> candidates() {
    std::vector<std::string> files;
    std::vector<std::string> folders = {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"};
    if (const char* const given = std::getenv("HARNESS_NVRTC_PATH"); given != nullptr && *given != '\0') {
      folders = {std::string(given) + "/"};
      files.emplace_back(given);
    }
    for (const std::string& folder : folders)
      for (const char* const version : {"13", "12"}) files.push_back(folder + "libnvrtc.so." + version);
    return files;
  }

  static void* open(const std::vector<std::string>& files) {
    for (const std::string& file : files)
      if (void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    throw harness::sdk::Unsupported(
        "needs NVRTC 12 or 13, which is not here; install it or let HARNESS_NVRTC_PATH name libnvrtc.so or "
        "its "
        "folder");
  }

  template <class Function>
  static void find(void* library, Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    if (function == nullptr) throw harness::sdk::Unsupported(std::string("this NVRTC has no ") + name);
  }
};

}  // namespace masks
