// How the settings of a case come about: the built-in defaults, with overrides laid over them.
#pragma once

#include "harness/suite/suite.h"

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

}  // namespace harness
