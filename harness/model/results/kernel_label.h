// A kernel's name as tables and case ids have it: short, and the same in every run.
#pragma once

#include <string>

#include "harness/model/record.h"

namespace harness {

// "void at::native::vectorized_elementwise_kernel<4, at::native::cos_kernel_cuda(...)...>(int, ...)" ->
// "vectorized_elementwise_kernel:cos_kernel_cuda~3fa2": the last name without its arguments, the name of the
// first argument from a namespace other than std, and a part of the hash of the whole name. A name without
// arguments stays whole. Where the name is as general as "Kernel2", it is that of the first template
// argument.
std::string kernel_label(const std::string& demangled);

// "/grid=16x8/block=256" of the launch, behind a label in a case id.
std::string launch_label(const KernelUse& kernel);

}  // namespace harness
