// `run --against` where no stored record can judge: the base commit is built and measured beside this build.
#pragma once

#include <optional>
#include <string>

#include "harness/cli/ab/judge_sides.h"
#include "harness/cli/judging/judge_by_baseline.h"

namespace harness {

// The commit to build. std::nullopt where a stored record can judge, or where there is no such commit:
// `choice` names no revision, or the revision that is checked out, whose first record becomes the baseline.
std::optional<std::string> base_to_build(Store& store, const BaselineChoice& choice, const Prepared& prepared,
                                         const Policy& policy);

// Builds `base` and judges this build by it. `how` lacks the sides' sources. Returns the exit status.
int judge_beside(Store& store, const AbRequest& request, const std::string& base, const Prepared& prepared,
                 AbJudging how, SuiteOutputs& outputs, const Reproduction& made_by);

}  // namespace harness
