// Why a result changed, in words, and the machine code of a kernel on both sides.
#pragma once

#include <string>
#include <vector>

#include "harness/model/code/change_causes.h"
#include "harness/model/document.h"
#include "harness/model/results/comparison.h"

namespace harness::report {

// "fewer blocks fit on a multiprocessor at once: 8 -> 6, by registers, 26 -> 40; kernel `scores`".
std::string words(const ChangeCause& cause);

// "cause: ...", then "also: ..." for each further one. Empty where the row has none.
std::vector<std::string> cause_words(const ComparisonRow& row);

// The kernels whose code differs, one table each: figures that differ, then instructions.
std::vector<Table> code_tables(const ChangeCauses& causes);

// "machine code of `scores` on sm_90a, without registers of instructions, ...".
std::string code_title(const CodeSides& sides);
// A figure with other values on both sides: "registers a thread", 26, 40.
struct SideFigure {
  std::string name;
  std::int64_t baseline = 0;
  std::int64_t current = 0;

  bool operator==(const SideFigure&) const = default;
};
std::vector<SideFigure> differing_figures(const CodeSides& sides);

}  // namespace harness::report
