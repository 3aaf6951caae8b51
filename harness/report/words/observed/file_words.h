// Words for what observed programs found in files. Pure.
#pragma once

#include <string>

#include "harness/model/cause.h"
#include "harness/model/results/findings.h"

namespace harness::report {

// The rest of a sentence that begins with a side, of CauseCode::files_unknown: "it opens the device
// /dev/fb0".
std::string file_gap_words(const Cause& cause);

// The same of ProofGapCode::other_files: "`./bench` changed".
std::string file_change_words(const Fact<ProofGapCode>& why);

}  // namespace harness::report
