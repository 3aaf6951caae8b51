// How the kernels of two records differ, in one sentence: those of one case, and those of a whole plan.
#pragma once

#include <string>

#include "harness/model/results/comparison.h"

namespace harness::report {

// "12.1 -> 12.8 us a call, 92 % of the change of all kernels, registers 64 -> 96".
std::string words(const KernelChange& change);

// "70 of 72 identical: ...; measuring 2", and a line for each reason why cases are not proven. `spared`:
// identical cases that are not measured. `known`: cases of which nothing was run to find it out.
std::string look_words(const Proofs& proofs, std::size_t spared, std::size_t cases, Seconds took,
                       std::size_t known = 0);

// "the build is not the baseline's; what differs: the environment variables, the tracked files". Empty where
// both are of one build, or the build of a side is not known.
std::string build_words(const BuildParts& baseline, const BuildParts& current);

}  // namespace harness::report
