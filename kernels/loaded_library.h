// LoadedLibrary: a vendor's library that is loaded when it is asked for, so that no module links it or needs
// it to be installed. Host code without CUDA. A loaded library stays as long as the process.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "harness/sdk/params.h"

namespace kernels {

struct LibraryName {
  const char* what;                // "cuDNN 9"
  const char* variable;            // names the file or its folder, and then nothing else is tried
  std::vector<const char*> files;  // the best first
};

class LoadedLibrary {
 public:
  // The names that the loader finds, then the places where CUDA toolkits put them.
  static std::vector<std::string> candidates(const LibraryName& name) {
    std::vector<std::string> folders = {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"};
    std::vector<std::string> found;
    const char* const given = std::getenv(name.variable);
    const bool is_given = given != nullptr && *given != '\0';
    if (is_given) folders = {std::string(given) + "/"};
    for (const std::string& folder : folders)
      for (const char* const file : name.files) found.push_back(folder + file);
    if (is_given) found.emplace_back(given);
    return found;
  }

  // The first of `candidates` that loads. Throws Unsupported with the loader's reasons.
  LoadedLibrary(const LibraryName& name, const std::vector<std::string>& candidates) : what_(name.what) {
    std::string reasons;
    for (const std::string& candidate : candidates) {
      handle_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
      const char* const reason = dlerror();
      reasons += std::string(reasons.empty() ? "" : "; ") + (reason == nullptr ? candidate.c_str() : reason);
    }
    throw harness::sdk::Unsupported("needs " + what_ + ", which is not here; install it or let " +
                                    name.variable + " name " + name.files.front() + " or its folder (" +
                                    reasons + ")");
  }

  // Null where this version of the library does not have the function.
  template <class Function>
  void find_new(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
  }
  template <class Function>
  void find(Function*& function, const char* name) const {
    find_new(function, name);
    if (function == nullptr)
      throw harness::sdk::Unsupported(std::string("the library has no ") + name + ": " + what_ +
                                      " is needed");
  }

 private:
  std::string what_;
  void* handle_ = nullptr;
};

}  // namespace kernels
