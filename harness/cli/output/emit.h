// Where results go: the terminal with its style, and the files named by --report.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/report/report.h"

namespace CLI {
class App;
}

namespace harness {

struct OutputArguments {
  std::string colour = "auto";       // auto, always, never
  std::string format = "terminal";   // what standard output gets
  std::vector<std::string> reports;  // "json=FILE,junit=FILE": targets, "-" for standard output
  std::size_t markdown_limit = 0;    // bytes that Markdown may take; 0: as many as it needs
  std::vector<Format> has = {};      // the formats of the command
};

// Declares --color, --format, --report and --markdown-limit. `has`: the formats of the command, empty: all.
void add_output_options(CLI::App& command, OutputArguments& arguments, std::vector<Format> has = {});

using Render = std::function<std::string(Format, const Style&)>;

// Prints one rendering to standard output and writes those asked for by --report, each whole or not at
// all, and all of them even when one fails. Returns `status`, or exit_usage where that was 0 and
// something could not be written; standard error has said what.
int emit(const OutputArguments& arguments, const Render& render, int status);

// Writes only the files in one of `formats`, and prints nothing; returns likewise.
int emit_only(const std::vector<Format>& formats, const OutputArguments& arguments, const Render& render);

// The files of a command besides those of --report.
struct CommandFiles {
  std::string written = {};            // another output, by --output; "" : none
  std::vector<std::string> read = {};  // inputs, see inputs.h
};

// Checks --report, and that its files can be written and are neither each other nor those of the command,
// before any work is done, so that a slip costs nothing.
Status check_outputs(const OutputArguments& arguments, const CommandFiles& files = {});

// An error when `path` is a folder, or cannot be created where it is to be.
Status check_writable(const std::string& path);

}  // namespace harness
