// Both builds of an A/B run with their device code at another place (code/shift/shifted_file.h).
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/result.h"
#include "harness/cli/ab/movable_cases.h"
#include "harness/measure/schedule/paired_builds.h"

namespace harness {

// By kernel, demangled: the hashes that its code can have (KernelUse::code).
using ShiftedCode = std::map<std::string, std::set<std::string>>;

// Copies of the modules of both builds, in a folder of their own that goes with this.
struct ShiftedBuilds {
  PairedBuilds pair;
  std::array<ShiftedCode, 2> code = {};  // of the baseline's and the current build's kernels
  Unshifted refused = {};                // the cases whose kernels could not all be shifted on both sides
  std::unique_ptr<TemporaryFolder> folder = {};
};

// `shift`: by how many instructions. An error where a copy cannot be written.
Result<ShiftedBuilds> shifted_builds(const PairedBuilds& pair, const MovableCases& cases, int shift);

}  // namespace harness
