// Differences between two machines, field by field.
#pragma once

#include <functional>
#include <vector>

#include "harness/model/record.h"
#include "harness/model/results/findings.h"

namespace harness {

// The fields that differ and that `wanted` takes, by name. A field that the sides class differently counts in
// the graver class.
std::vector<Difference> differing_fields(const Machine& baseline, const Machine& current,
                                         const std::function<bool(const MachineField&)>& wanted);

// Differences that forbid to compare the machines: of the class, which comes first, and of fields of the
// class `block`.
std::vector<Difference> blocking_differences(const Machine& baseline, const Machine& current);

// A value that is absent where it is empty.
Difference difference_of(std::string name, const std::string& baseline, const std::string& current);

}  // namespace harness
