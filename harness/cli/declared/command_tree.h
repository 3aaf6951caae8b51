// The commands and options as they are declared, for whatever is generated from them: help, completion, the
// manual page.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace harness {

// The commands below `parent` that --help shows.
std::vector<const CLI::App*> shown_commands(const CLI::App& parent);

struct CommandAt {
  std::string path;  // "baseline promote"
  const CLI::App* command = nullptr;
};
// All of them, a group before its commands.
std::vector<CommandAt> all_commands(const CLI::App& program);

// The options of a command and of the groups above it that --help shows; no positional ones.
std::vector<const CLI::Option*> shown_options(const CLI::App& command);

// "--color"; "-h" where an option has no long name.
std::string long_name(const CLI::Option& option);
// The values that an option's type lists, such as auto, always and never; none where it takes any text.
std::vector<std::string> listed_values(const CLI::Option& option);

}  // namespace harness
