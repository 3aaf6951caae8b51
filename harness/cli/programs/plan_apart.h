// Plans a suite in a process of its own: its modules run code when they are loaded, and may crash or end the
// process.
#pragma once

#include "harness/cli/measuring/prepare.h"

namespace harness {

// What `harness plan` finds for these options. The errors are the ones that it printed, in one text.
Checked<Prepared> plan_apart(const SuiteOptions& options);

}  // namespace harness
