// Suites of simulated cases that do not change, and how often the rule calls one red.
#pragma once

#include "repeat.h"

namespace harness {

// A simulated suite as pauses between samples leave it. Half of the cases have 200 us, an sd between
// processes of 0.15 % and a margin of 0.5 %; the others have 30 us, 0.4 % and 1 %. The sds of cases
// differ by a factor of about 1.3, sessions by 0.02 %, as measured.
struct Simulated {
  std::string name;
  std::size_t baseline = 5, processes = 5;
  std::vector<int> looks = {};
};

// {suite red, case undecided}.
std::vector<Count> simulated_rates(const Simulated& setup, std::size_t suite, std::size_t trials,
                                   std::uint64_t seed);

}  // namespace harness
