// Why a result can change, in words.
#pragma once

#include <string>

#include "harness/model/code/code_change.h"

namespace harness::report {

// "a kernel that it launches differs: naive_scores".
std::string words(const CaseChange& change);

// The figures of a kernel that differ: "registers 26 -> 40, global 12 -> 16". "" where nothing does.
std::string figure_words(const KernelCodeChange& change);

}  // namespace harness::report
