// Why one kernel got slower. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "harness/model/code/change_causes.h"

namespace harness {

// One kernel on the side where its call is faster, and on the one where it is slower.
struct SpeedPair {
  const KernelUse* fast = nullptr;
  const KernelUse* slow = nullptr;
  const CodeSides* code = nullptr;  // or null
  bool current_is_slow = true;
};

enum class CodeKnown { same, other, unknown };
CodeKnown code_of_pair(const SpeedPair& pair);

// Whether both launch as many blocks of as many threads, with as much shared memory.
bool same_launch_shape(const KernelUse& one, const KernelUse& other);

// The likeliest first; none where both sides are equal, or nothing is known. Both sides must have the kernel.
std::vector<ChangeCause> causes_of_kernel(const SpeedPair& pair, std::string_view compute_capability,
                                          int multiprocessors);

// Figures of where a traced program launches the kernel, if that is known: of the most frequent place, or the
// most frequent one of those that `before` lacks.
void add_caller(Figures& figures, const KernelUse& kernel, const KernelUse* before = nullptr);

// Values of both sides as figures "baseline" and "current", behind a prefix.
template <class Value>
void add_sides(Figures& figures, bool current_is_slow, const Value& fast, const Value& slow,
               std::string_view prefix = "") {
  const std::string before(prefix);
  figures.emplace_back(before + "baseline", current_is_slow ? fast : slow);
  figures.emplace_back(before + "current", current_is_slow ? slow : fast);
}

}  // namespace harness
