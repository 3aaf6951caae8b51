// CUDA's return codes as Errors. A *sticky* error (an illegal address, a failed assertion, a lost device)
// makes the process's context unusable. check() remembers the first one, and usable() then refuses further
// work with its text. Any thread. Needs no GPU: it only reads codes.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace harness::cuda {

// True for the codes after which CUDA asks for the process to be ended.
bool is_sticky(cudaError_t code);

// Nothing on success. Otherwise an Error of kind `environment` with the call, the name and the
// meaning of `code`; clears a non-sticky error, so that the next call starts clean.
Status check(cudaError_t code, std::string_view call, std::string advice = {});

// The same for the launch of a kernel of ours, which returns nothing: reads cudaGetLastError().
Status check_launch(std::string_view kernel);

// An error once check() has seen a sticky code in this process.
Status usable();

}  // namespace harness::cuda
