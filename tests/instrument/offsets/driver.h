// Functions of the driver that the runtime has no equal of, asked of the driver that is loaded: the program
// links no libcuda. And how a failure leaves: as an exception, to the row of the table that it spoils.
#pragma once

#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <stdexcept>
#include <string_view>
#include <utility>

#include "harness/base/result.h"

namespace harness::offsets {

struct Failure : std::runtime_error {
  using runtime_error::runtime_error;
};

// The driver is too old for it: a row is left out, and nothing has failed.
struct Unavailable : Failure {
  using Failure::Failure;
};

void require(const Status& status);
void require(cudaError_t code, std::string_view call);
void require(CUresult code, std::string_view call);

template <class T>
T value_of(Result<T> result) {
  if (!result) throw Failure(result.error().text());
  return std::move(*result);
}

// The function as CUDA `version` (12040 for 12.4) knows it. Throws Unavailable.
void* find_driver_function(const char* name, unsigned version);

template <class Function>
Function driver_function(const char* name, unsigned version) {
  return reinterpret_cast<Function>(find_driver_function(name, version));
}

}  // namespace harness::offsets
