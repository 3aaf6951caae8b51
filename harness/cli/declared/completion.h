// Completion for shells, generated from the commands as they are declared.
#pragma once

#include <string>

#include "harness/cli/declared/command_tree.h"
#include "harness/schema/enum_names.h"

namespace harness {

enum class Shell { bash, zsh, fish };
template <>
inline constexpr auto enum_names<Shell> =
    names<Shell>({{Shell::bash, "bash"}, {Shell::zsh, "zsh"}, {Shell::fish, "fish"}});

// A script that the shell reads: commands, options and their listed values; files everywhere else.
std::string completion_script(const CLI::App& program, Shell shell);

}  // namespace harness
