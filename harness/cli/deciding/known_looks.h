// Known looks: what records of the very build that runs here say of a case's launches, so that nothing has to
// be run to find it out again.
#pragma once

#include <map>
#include <string>

#include "harness/cli/measuring/prepare.h"
#include "harness/model/codec.h"
#include "harness/store/store.h"

namespace harness {

// The looks of the cases that a record of `build` in the store has, measured or looked at on this machine:
// with the same parameters and sampling. A look tells the values of gated metrics that no launches prove,
// where equal work always has the same. None if another build runs here. The newest record decides; one that
// was wrong or regressed tells nothing. Without cases of programs and of scripted devices. A look has no
// digest where the launches of that record could not be read, or differ from process to process. Then only
// the build can prove the case (verdict/check/proof.h). `record` learns its machines.
Result<std::map<std::string, EncodedResult>> known_looks(Store& store, Record& record,
                                                         const BuildParts& build, const Plan& plan,
                                                         const Prepared& prepared);

}  // namespace harness
