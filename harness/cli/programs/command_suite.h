// A suite that was never a file: one program that the command line names.
#pragma once

#include <string>
#include <vector>

#include "harness/suite/suite.h"

namespace harness {

inline constexpr const char* command_name = "command";  // of the suite and of its case

// Started in the current folder.
Suite suite_of_command(const std::vector<std::string>& command);

}  // namespace harness
