// Who commits here.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/result.h"

namespace harness {

// Refuses an author who is not the one that git names for commits in `folder`, by name, e-mail address or
// both, as in "Ann Example <ann@example.org>". Where git names nobody, everybody passes.
Status check_author(const std::filesystem::path& folder, const std::string& author);

}  // namespace harness
