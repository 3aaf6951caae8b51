// The machine code of one kernel in both builds, next to each other.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/model/code/code_change.h"

namespace harness {

// Bytes that one thread reads or writes by one instruction: 1, 2, 4, 8, 16.
inline constexpr std::size_t access_widths = 5;

// Figures of one kernel's machine code, with those that only its instructions tell.
struct CodeProfile {
  KernelFigures figures = {};
  std::array<std::int64_t, access_widths> global_by_width = {};  // loads and stores of global memory
  std::int64_t asynchronous = 0;                                 // copies from global to shared memory
  std::int64_t loops = 0;                                        // innermost ones
  std::int64_t loop_instructions = 0;                            // of all innermost loops
  std::array<std::int64_t, instruction_classes> loop_by_class = {};

  bool operator==(const CodeProfile&) const = default;
};

// One instruction of a side, or of both: "LDG.128". "" where the side has none at this place.
struct CodeLine {
  std::string baseline;
  std::string current;
  bool gap = false;  // equal instructions were left out before it

  bool operator==(const CodeLine&) const = default;
};

struct CodeSides {
  std::string baseline_name;  // demangled, as the records have it
  std::string current_name;
  std::string architecture;  // of the images that the device runs: "sm_90a"; "" where one side has none
  bool same = false;         // the same instructions, constants and attributes
  CodeProfile baseline = {};
  CodeProfile current = {};
  std::vector<CodeLine> lines = {};  // around those that differ; at most `most_code_lines`
  std::int64_t different = 0;        // lines that differ, of all
  bool too_long = false;             // to be aligned

  bool operator==(const CodeSides&) const = default;
};

inline constexpr std::size_t most_code_lines = 40;

}  // namespace harness
