// ModuleCodes: the machine code of the kernels that a traced process has loaded: by name, and by the module
// or library that a launch's function is of. Just-in-time compilers load many modules with a kernel of one
// name. Any thread may call it.
#pragma once

#include <cupti.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

#include "harness/device/cuda/profiling/driver.h"

namespace harness::inject {

// A function as launches name it.
struct LaunchedFunction {
  std::string name;                           // mangled; "": the driver does not tell it
  std::array<std::uint64_t, 2> modules = {};  // handles of its module and of its library; 0: none
};

// Reads a CUfunction, or a CUkernel in its place.
[[nodiscard]] LaunchedFunction function_of(const cuda::Driver& driver, CUfunction handle);

class ModuleCodes {
 public:
  // A callback; of those that load modules it learns what belongs to their handles.
  void take(CUpti_CallbackId id, const CUpti_CallbackData& data);
  // The driver loads an image, in the middle of a call of this thread or on its own. True: some kernel may
  // have another code now.
  bool add(std::span<const std::byte> image);

  // The hash of the code of a kernel; "" where no image had one of this name, or several differ.
  [[nodiscard]] std::string by_name(std::string_view kernel) const;
  // Where the load of one of its modules was seen, that of the kernel in it; else that by its name.
  [[nodiscard]] std::string of(const LaunchedFunction& function) const;

 private:
  using Codes = std::unordered_map<std::uint64_t, std::string>;  // by hash of the kernel's name; "": several

  static bool learn(Codes& known, const Codes& found);

  mutable std::mutex mutex_;
  Codes by_name_;
  std::unordered_map<std::thread::id, Codes> loading_;  // what a thread's call has loaded so far
  std::unordered_map<std::uint64_t, Codes> loaded_;     // by handle of a module or library
};

}  // namespace harness::inject
