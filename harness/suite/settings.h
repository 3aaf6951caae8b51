// How the settings of a case come about: the built-in defaults, with overrides laid over them.
#pragma once

#include "harness/suite/suite.h"

namespace harness {

struct Settings {
  Sampling sampling;
  Gate gate;
};

// Sets what `overrides` names.
void apply(const Overrides& overrides, Settings& settings);

}  // namespace harness
