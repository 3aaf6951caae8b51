#include "harness/device/cuda/profiling/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace harness::cuda {

Result<Driver> load_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fail(ErrorKind::environment, "libcuda.so.1 cannot be loaded");
  Driver driver;
  const char* missing = nullptr;
#define HARNESS_DRIVER_FIND(name)                                                    \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, "cu" #name)); \
  if (driver.name == nullptr && missing == nullptr) missing = "cu" #name;
  HARNESS_DRIVER_FUNCTIONS(HARNESS_DRIVER_FIND)
#undef HARNESS_DRIVER_FIND
  if (missing != nullptr)
    return fail(ErrorKind::environment, fmt::format("the driver has no {}", missing),
                "a driver of CUDA 12.5 or later can tell where the arguments of kernels lie");
  return driver;
}

}  // namespace harness::cuda
