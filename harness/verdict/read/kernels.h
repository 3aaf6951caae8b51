// Kernels: which device kernels of a case changed between two records, as a profiler saw them in a pass of
// its own. They explain a change of the case's time; they never decide. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/model/comparison.h"

namespace harness {

struct KernelComparison {
  std::vector<KernelChange> changes;  // largest share of the case's change first
  std::vector<std::string> notes;     // processes that launched other kernels than the first; new code
  bool same_code =
      false;  // both sides have kernels, each with a counterpart of the same known code and shape
};

// Of each side, the first process that has kernels stands for it. A kernel's counterpart has the same name
// or, failing that, the same name but for template arguments, in launch order. Times of a call closer than
// `margin` to each other did not move. Empty when a side has no kernels.
KernelComparison compare_kernels(const CaseRecord& baseline, const CaseRecord& current, double margin);

// "void ns::gemm<128, float>(float const*, int)" -> "ns::gemm": without result, template arguments and
// parameters.
std::string base_name(std::string_view kernel);

}  // namespace harness
