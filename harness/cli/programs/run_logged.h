// Runs the child programs of a command: builds, and runs of harness itself. Their output goes to a file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/base/process.h"

namespace harness {

// Runs a command to its end with its output in `log`. While an InterruptGuard is there, Ctrl-C kills the
// command and everything that it started: then std::nullopt.
Result<std::optional<Exit>> run_logged(const Command& command, const std::filesystem::path& log);

// The last few lines of a log in one, for messages.
std::string tail_of(const std::filesystem::path& log);

}  // namespace harness
