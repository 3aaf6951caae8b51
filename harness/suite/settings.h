// How the settings of a case come about: the built-in defaults, with overrides laid over them.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/suite/suite.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

struct Settings {
  Sampling sampling;
  Gate gate;
};

// What settings of several places come to that no place says alone: a bound below the other, in words. ""
// when they agree.
std::string contradiction(const Sampling& sampling);

// Sets what `overrides` names.
void apply(const Overrides& overrides, Settings& settings);

// Sets what an axis says of cache and timing. It is in the case's name, so nothing wins over it. `modes`: the
// axes of measuring that no parameter hides.
void apply_modes(const std::vector<sdk::ParamSpec>& modes, const sdk::Params& params, Sampling& sampling);

bool is_batched(const PlannedCase& planned);

// Lengths of batches are for nothing where no case is timed in any, however it comes to its timing: an error.
// `batched`: cases that `overrides` are for and that are.
void check_batches(const Overrides& overrides, ErrorList& errors, std::ptrdiff_t batched);

}  // namespace harness
