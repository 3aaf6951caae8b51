// Runs the child programs of a command: builds, and runs of harness itself. Their output goes to a file.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "harness/base/process.h"
#include "harness/base/units.h"

namespace harness {

// Called again and again while a command runs, with the time that it has taken.
using WhileRunning = std::function<void(Seconds)>;

// Runs a command to its end with its output in `log`, and without the defaults of .harness.yaml. While an
// InterruptGuard is there, Ctrl-C kills the command and everything that it started: then std::nullopt.
Result<std::optional<Exit>> run_logged(const Command& wanted, const std::filesystem::path& log,
                                       const WhileRunning& while_running = {});

// The last few lines of a log in one, for messages.
std::string tail_of(const std::filesystem::path& log);

}  // namespace harness
