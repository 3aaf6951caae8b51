// Both builds of an A/B run with their device code at another place (code/shift/shifted_file.h), and the
// cases for which that can tell something.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/result.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/model/results/comparison.h"

namespace harness {

// A case whose change may be one of the place alone. Kernels are named, demangled, where their code is not
// known to be equal on both sides.
struct MovableCase {
  std::string compute_capability;  // of the device: "9.0"
  std::set<std::string> baseline;
  std::set<std::string> current;
  std::array<std::vector<KernelUse>, 2> launches = {};  // of a call, by side, as compiled: all of them
};
using MovableCases = std::map<std::string, MovableCase>;  // by id

MovableCases movable_cases(const Comparison& comparison);

// By case: why it was not measured at other places of its code, in a sentence.
using Unshifted = std::map<std::string, std::string>;

// Adds to the comparison which cases were measured at all places of their code, and why others were not.
void tell_places(Comparison& comparison, const Unshifted& unshifted);

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
