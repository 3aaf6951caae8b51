// The examples of a command: they stand at the end of its help and of its section in the manual page. A test
// runs each.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace harness {

// Adds lines that can be pasted. `suite.yaml` stands for the user's suite.
void add_examples(CLI::App& command, const std::vector<std::string>& lines);

}  // namespace harness
