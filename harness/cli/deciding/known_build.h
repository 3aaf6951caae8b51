// Known builds: a case that the baseline measured, or looked at, with the very build that runs here needs no
// look, because the same was found out then.
#pragma once

#include <map>
#include <string>

#include "harness/cli/deciding/kept_looks.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/model/plan.h"
#include "harness/store/store.h"

namespace harness {

// By kind of device, the builds of the cases of `plan` (provenance/running_build.h). Where there are any,
// `record` learns the machines of their kinds: a baseline is chosen by these. Opens devices that nobody asked
// yet.
Result<std::map<std::string, std::string>> learn_builds(Store& store, Record& record, const Plan& plan,
                                                        const Prepared& prepared);

// The baseline's identities and kernels as looks of process 0, of the cases that have one of these builds
// there. Without those that `record` has results of.
Looks looks_of_build(const Record& baseline, const Record& record, const Plan& plan,
                     const std::map<std::string, std::string>& builds);

}  // namespace harness
