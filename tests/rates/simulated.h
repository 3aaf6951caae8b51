// Suites of simulated cases, and how often the rule is wrong about them.
#pragma once

#include <vector>

#include "harness/model/record.h"
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

// A case to simulate: the time of a call, the sd of its log between processes, and its margin.
struct CaseShape {
  double us = 0;
  double sd = 0;
  double margin = 0;
};

// The device times of a record, each with the sd of its processes as they came out. Margin 0.5 %.
std::vector<CaseShape> shapes_of(const Record& record);

// Suites of cases drawn from `shapes`, and one of them slower by `change`. {suite red, case undecided}
// before the change, then {found above 100 us, found below}.
std::vector<Count> rates_of_shapes(const std::vector<CaseShape>& shapes, const Simulated& setup,
                                   std::size_t suite, double change, std::size_t trials, std::uint64_t seed);

// {suite red, case undecided}.
std::vector<Count> simulated_rates(const Simulated& setup, std::size_t suite, std::size_t trials,
                                   std::uint64_t seed);

}  // namespace harness
