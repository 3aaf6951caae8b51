// The manual page, generated from the commands as they are declared.
#pragma once

#include <string>

#include "harness/cli/declared/command_tree.h"

namespace harness {

// harness(1), for `man` and groff.
std::string man_page(const CLI::App& program);

}  // namespace harness
