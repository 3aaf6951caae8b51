// Cases that another tool named: the same case can have another id in another record (model/record.h).
// Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/model/record.h"
#include "harness/model/results/findings.h"

namespace harness {

// By the current side's case: the baseline's case that takes its place, where their ids differ or ids that
// are equal stand for different things. First those pair whose parameters and launches agree. Then
// others of one name with the same parameters pair in order, if each side has as many, and if that is the
// order of their sizes, too: kernels whose grid or block changed.
std::map<const CaseRecord*, const CaseRecord*> paired_tool_cases(const Record& baseline,
                                                                 const Record& current);

// The parameters that both sides know and that differ.
std::vector<Difference> differing_parameters(const CaseRecord& before, const CaseRecord& after);

// The names of parameters that one side alone knows.
std::set<std::string> parameters_of_one_side(const CaseRecord& before, const CaseRecord& after);

}  // namespace harness
