// The rules of harness/README.md about who may include whom, as a function over one file's text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace harness::tree {

// The violations in the #include lines of `path` (relative to the top of the tree), a sentence each:
// "harness/base/text.h:3: ...".
std::vector<std::string> include_violations(std::string_view path, std::string_view text);

}  // namespace harness::tree
