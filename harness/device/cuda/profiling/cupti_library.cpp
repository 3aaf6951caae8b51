#include "harness/device/cuda/profiling/cupti_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "harness/base/environment.h"

namespace harness::cuda {
namespace {

constexpr const char* library_name = "libcupti.so.13";
constexpr std::uint32_t patches = 100;  // CUPTI_API_VERSION is major * 10000 + minor * 100 + patch

std::string release(std::uint32_t version) {
  return version < 10000 ? fmt::format("API {}", version)
                         : fmt::format("CUDA {}.{}", version / 10000, version % 10000 / patches);
}

void* open_library(std::string& reason) {
  if (const std::string chosen = environment::cupti_library(); !chosen.empty()) {
    void* library = dlopen(chosen.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) reason = dlerror();
    return library;
  }
  if (void* present = dlopen(library_name, RTLD_NOW | RTLD_NOLOAD)) return present;
  // The last but one is the place in a toolkit that was installed from one file.
  const std::array<std::string, 4> files{std::string(HARNESS_CUDA_LIBRARY_FOLDER) + "/" + library_name,
                                         std::string("/usr/local/cuda/lib64/") + library_name,
                                         std::string("/usr/local/cuda/extras/CUPTI/lib64/") + library_name,
                                         library_name};
  for (const std::string& file : files) {
    if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    reason = dlerror();
  }
  return nullptr;
}

// Advice for the usual cause of a code.
std::string advice_for(CUptiResult code) {
  switch (code) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "hardware counters are for administrators here: run as root, or load the driver with "
             "NVreg_RestrictProfilingToAdminUsers=0";
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "run without nsys, ncu, compute-sanitizer, cuda-gdb or another profiler, or use --profile under "
             "one";
    case CUPTI_ERROR_HARDWARE_BUSY: return "another profiler holds the counters of this GPU";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED: return "virtual GPUs cannot be profiled";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED: return "MIG slices cannot be profiled";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return "GPUs in confidential-computing mode cannot be profiled";
    default: return {};
  }
}

}  // namespace

bool Cupti::has_profiler() const {
#define HARNESS_CUPTI_PRESENT(name) &&(name) != nullptr
  return true HARNESS_CUPTI_PROFILER_FUNCTIONS(HARNESS_CUPTI_PRESENT);
#undef HARNESS_CUPTI_PRESENT
}

Status Cupti::check(CUptiResult code, std::string_view call) const {
  if (code == CUPTI_SUCCESS) return {};
  const char* name = nullptr;
  if (GetResultString == nullptr || GetResultString(code, &name) != CUPTI_SUCCESS) name = nullptr;
  return fail(ErrorKind::environment,
              fmt::format("{} failed: {} ({})", call, name != nullptr ? name : "unknown error",
                          static_cast<int>(code)),
              advice_for(code));
}

Result<Cupti> load_cupti() {
  if (environment::cupti_library() == "off")
    return fail(ErrorKind::environment, "HARNESS_CUPTI=off keeps CUPTI out");
  std::string reason;
  void* library = open_library(reason);
  if (library == nullptr)
    return fail(ErrorKind::environment, fmt::format("CUPTI cannot be loaded: {}", reason),
                "install the CUDA toolkit's CUPTI, or put the folder of libcupti.so.13 on LD_LIBRARY_PATH");
  Cupti cupti;
  const char* missing = nullptr;
#define HARNESS_CUPTI_FIND(name) \
  cupti.name = reinterpret_cast<decltype(cupti.name)>(dlsym(library, "cupti" #name));
#define HARNESS_CUPTI_REQUIRE(name) \
  HARNESS_CUPTI_FIND(name)          \
  if (cupti.name == nullptr && missing == nullptr) missing = "cupti" #name;
  HARNESS_CUPTI_FUNCTIONS(HARNESS_CUPTI_REQUIRE)
  HARNESS_CUPTI_PROFILER_FUNCTIONS(HARNESS_CUPTI_FIND)
#undef HARNESS_CUPTI_REQUIRE
#undef HARNESS_CUPTI_FIND
  if (missing != nullptr)
    return fail(ErrorKind::environment, fmt::format("the libcupti found has no {}", missing),
                "put the toolkit's own libcupti.so.13 on LD_LIBRARY_PATH");
  std::uint32_t version = 0;
  if (Status known = cupti.check(cupti.GetVersion(&version), "cuptiGetVersion"); !known)
    return fail(std::move(known.error()));
  if (version / patches != CUPTI_API_VERSION / patches)
    return fail(ErrorKind::environment,
                fmt::format("the libcupti found is of {}, and this build reads the records of {}",
                            release(version), release(CUPTI_API_VERSION)),
                "build with the toolkit that is installed, or put the other one's libcupti.so.13 on "
                "LD_LIBRARY_PATH");
  return cupti;
}

Result<const Cupti*> cupti() {
  static const Result<Cupti> loaded = load_cupti();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

}  // namespace harness::cuda
