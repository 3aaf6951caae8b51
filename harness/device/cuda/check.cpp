#include "harness/device/cuda/check.h"

#include <fmt/format.h>

#include <mutex>

namespace harness::cuda {
namespace {

constexpr const char* fresh_process_advice =
    "this process must not use the device again; run the case alone in a fresh process, and under "
    "`compute-sanitizer` to find the faulty access";

// The first sticky error of the process. It breaks the context of the whole process, not of one device
// object.
struct FirstStickyError {
  std::mutex mutex;
  std::string text;  // "" while there was none
};

FirstStickyError& first_sticky_error() {
  static FirstStickyError first;
  return first;
}

}  // namespace

bool is_sticky(cudaError_t code) {
  switch (code) {
    case cudaErrorECCUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice: return true;
    default: return false;
  }
}

Status check(cudaError_t code, std::string_view call, std::string advice) {
  if (code == cudaSuccess) return {};
  std::string message =
      fmt::format("{} failed: {} ({})", call, cudaGetErrorName(code), cudaGetErrorString(code));
  if (is_sticky(code)) {
    FirstStickyError& first = first_sticky_error();
    const std::lock_guard lock(first.mutex);
    if (first.text.empty()) first.text = message;
    return fail(ErrorKind::environment, message + "; the device is unusable in this process now",
                fresh_process_advice);
  }
  (void)cudaGetLastError();
  return fail(ErrorKind::environment, std::move(message), std::move(advice));
}

Status check_launch(std::string_view kernel) {
  return check(cudaGetLastError(), fmt::format("launching {}", kernel));
}

Status usable() {
  FirstStickyError& first = first_sticky_error();
  const std::lock_guard lock(first.mutex);
  if (first.text.empty()) return {};
  return fail(ErrorKind::environment,
              "the device is unusable in this process since an earlier error: " + first.text,
              fresh_process_advice);
}

}  // namespace harness::cuda
