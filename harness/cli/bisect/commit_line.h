// The commits that a bisection searches.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/store/git.h"

namespace harness {

// The commits from good to bad along first parents, oldest first, both included.
Result<std::vector<Commit>> commit_line(const std::string& good, const std::string& bad);

}  // namespace harness
