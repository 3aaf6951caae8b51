// Kernels: the device kernels of a case that changed between two records, as a profiler saw them in a
// separate pass. They explain a change of the case's time and never decide. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/model/code/change_causes.h"
#include "harness/model/results/comparison.h"

namespace harness {

struct KernelComparison {
  std::vector<KernelChange> changes;  // largest share of the case's change first
  std::vector<Diagnostic> notes;      // processes that launched other kernels than the first; new code
  bool same_code =
      false;  // both sides have kernels, each with a counterpart of the same known code and shape
};

// The kernels_of() a record stand for its side. Without the times of both sides no time counts. Kernels are
// matched in launch order by name, or by name without template arguments. Times closer than `margin` to each
// other did not move. Empty when a side has no kernels.
KernelComparison compare_kernels(const CaseRecord& baseline, const CaseRecord& current, double margin);

// All kernels of both sides, those that are equal too, and whether both sides' times are known. Empty when a
// side has no kernels.
struct PairedKernels {
  std::vector<KernelSides> pairs;
  bool timed = false;
};
PairedKernels paired_kernels(const CaseRecord& baseline, const CaseRecord& current);

// The name of a kernel that one list has and the other has not, or not in the same shape and as often,
// whatever the code; "": there is none.
std::string differing_launch(const std::vector<KernelUse>& one, const std::vector<KernelUse>& other);

// Copies and fills of memory, which have no code of ours.
bool is_memory_operation(const KernelUse& kernel);

// "void ns::gemm<128, float>(float const*, int)" -> "ns::gemm": without result, template arguments and
// parameters.
std::string base_name(std::string_view kernel);

}  // namespace harness
