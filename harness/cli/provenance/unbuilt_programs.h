// Programs that were perhaps not built again since another commit was measured.
#pragma once

#include <string>
#include <vector>

#include "harness/model/record.h"

namespace harness {

// A hash of the files in a program's command that lie in the repository of its folder and that git does not
// track: what somebody built. "" where there are none, and where `run` gives its `build`.
std::string hash_of_built(const Program& program);

// The names of the programs whose files are those of the baseline byte by byte, although the two commits have
// other sources of a compiled language.
std::vector<std::string> unbuilt_programs(const Record& baseline, const Record& current);

}  // namespace harness
