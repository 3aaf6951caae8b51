// Suites as a repository has them.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/suite/suite.h"

namespace harness {

// As load_suite(). Packages of a monorepo may have suites of one name. Then the name begins with the package,
// the suite's folder as seen from the top of the working tree: `bench` of a/suites/bench.yaml is `a.bench`. A
// folder `suites` is no package of its own.
Checked<Suite> load_repository_suite(const std::string& path);

}  // namespace harness
