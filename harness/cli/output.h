// Where results go: the terminal with its style, and the files named by --report.
#pragma once

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
  std::vector<std::string> reports;  // "json=FILE", "markdown=FILE", "terminal=FILE"
};

// Declares --color, --format and --report.
void add_output_options(CLI::App& command, OutputArguments& arguments);

using Render = std::function<std::string(Format, const Style&)>;

// Prints one rendering to standard output and writes those asked for by --report.
Status emit(const OutputArguments& arguments, const Render& render);

// Checks --report values, and that their files can be written, before any work is done, so that a slip
// costs nothing.
Status check_outputs(const OutputArguments& arguments);

// An error when `path` is a folder, or cannot be created where it is to be.
Status check_writable(const std::string& path);

}  // namespace harness
