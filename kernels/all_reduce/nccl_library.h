// Nccl: NVIDIA's library of collectives, loaded when it is asked for, so that the module neither links it nor
// needs it to be installed. The few names of its C API that are used here are declared here; they have been
// stable since NCCL 2.0. Host code without CUDA. It lives as long as the process.
//
// NVLink multicast (NVLS) stays off, because it needs rights on the host's fabric that containers lack.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/loaded_library.h"

namespace all_reduce {

class Nccl {
 public:
  using Communicator = void*;
  using Status = int;
  enum class Type : int { f32 = 7 };
  enum class Operation : int { sum = 0 };

  // The process's copy. Throws Unsupported with the reason where there is none.
  static const Nccl& instance() {
    static const Nccl library(kernels::LoadedLibrary::candidates(library_name()));
    return library;
  }

  // The first of `files` that loads.
  explicit Nccl(const std::vector<std::string>& files) {
    setenv("NCCL_NVLS_ENABLE", "0", 1);
    const kernels::LoadedLibrary library(library_name(), files);
    library.find(error_string, "ncclGetErrorString");
    library.find(init_all, "ncclCommInitAll");
    library.find(destroy, "ncclCommDestroy");
    library.find(group_start, "ncclGroupStart");
    library.find(group_end, "ncclGroupEnd");
    library.find(all_reduce, "ncclAllReduce");
  }

  void check(Status status, const char* call) const {
    if (status != 0) throw std::runtime_error(std::string("NCCL, ") + call + ": " + error_string(status));
  }

  const char* (*error_string)(Status) = nullptr;
  Status (*init_all)(Communicator* all, int count, const int* ordinals) = nullptr;
  Status (*destroy)(Communicator) = nullptr;
  Status (*group_start)() = nullptr;
  Status (*group_end)() = nullptr;
  Status (*all_reduce)(const void* from, void* to, std::size_t count, Type, Operation, Communicator,
                       void* stream) = nullptr;

 private:
  static kernels::LibraryName library_name() { return {"NCCL 2", "HARNESS_NCCL_PATH", {"libnccl.so.2"}}; }
};

}  // namespace all_reduce
