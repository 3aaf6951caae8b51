// Which `.harness.yaml` counts.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/declared/defaults.h"

namespace harness {

// The words with the defaults of the repository that holds the current folder, and of HARNESS_DEFAULTS for
// options without one there. Programs that a command starts have none. In CI the file of the merge base
// counts, with what --against or --baseline names or with the change's target; without any of them that of
// HEAD. A note shows what the tree's own file changes.
Checked<DefaultedLine> with_deciding_defaults(const CLI::App& program, const std::vector<std::string>& words);

}  // namespace harness
