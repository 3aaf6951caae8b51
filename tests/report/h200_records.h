// Records of real samples: those that tests/data/h200 holds, and as many cases as a test wants made of
// them by new names and another speed.
#pragma once

#include <string>

#include "harness/model/record.h"

namespace harness::fixture {

// "main", "same" or "head".
Record h200_record(const std::string& name);

// `cases` cases of 5 processes, 5 placements and 50 samples each, with conditions. Every process has
// samples of its own: real ones, slowed down by a factor and put on the timer's grid of 32 ns again.
Record many_cases(const Record& real, std::size_t cases, unsigned seed);

}  // namespace harness::fixture
