// Stack padding: a variable whose text has another length in each process, and nobody reads.
//
// Linux puts the environment above the stack, so its length decides where the stack begins, and times can
// depend on that (measured/stack-places.md). Most systems place each stack at random. Where they do not
// (setarch -R, and programs that turn this off for themselves), all starts would have one place, and their
// spread none of the others. The length follows from the process's number, so that both sides of a comparison
// have the same places.
#pragma once

#include <string>

namespace harness {

inline constexpr const char* stack_padding_variable = "HARNESS_STACK_PADDING";

// 0 to 4080 letters in steps of 16, which is the alignment of a stack. 256 numbers in a row have all lengths,
// four in a row all places in a cache line of 64 bytes.
inline std::string stack_padding(int process) {
  constexpr unsigned lengths = 256, step = 16;
  constexpr unsigned stride =
      159;  // odd, and near the golden section of 256, so that neighbours lie far apart
  return std::string(step * (static_cast<unsigned>(process) * stride % lengths), 'x');
}

}  // namespace harness
