// The options that `.harness.yaml` may give defaults: none of them can change a verdict, so a change may set
// them itself. An option that is not listed here may have no default.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace harness {

bool is_harmless(std::string_view option);

// An error where `option` names a file to write, and `value` lies outside the tree or below its `.git`.
Status check_stays_in_tree(std::string_view option, const std::string& value,
                           const std::filesystem::path& top);

}  // namespace harness
