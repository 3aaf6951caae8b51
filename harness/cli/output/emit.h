// Where results go: the terminal with its style, and the files that --report names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/command_line.h"
#include "harness/cli/options/output_options.h"

namespace harness {

using Render = std::function<std::string(Format, const Style&)>;

// Prints one rendering to standard output and writes those of --report, each whole or not at all, all even
// when one fails. Returns `status`, or exit_usage where that was 0 and something could not be written, as
// standard error says.
int emit(const OutputOptions& options, const Render& render, int status);

// The halves of emit(): standard output; the files, where false says that standard error has told of one that
// could not be written.
Status print_report(const OutputOptions& options, const Render& render);
bool write_reports(const OutputOptions& options, const Render& render);

// Writes to standard output; an error where not all of it could be written.
Status print_whole(const std::string& text);

// Writes only the files, before there is a result. A killed command leaves these instead of older results.
// Prints nothing. Devices and pipes get nothing yet.
Status begin_outputs(const OutputOptions& options, const Render& render);
// The same with only the command line.
Status begin_outputs(const OutputOptions& options, const CommandLine& line);

// The files of a command besides those of --report.
struct CommandFiles {
  std::string written = {};            // another output, by --output; "": none
  std::vector<std::string> read = {};  // inputs, see input_files.h
};

// Whether a report is drawn in this format.
bool draws(const OutputOptions& options, Format format);

// Checks that this build has the formats, that the files of --report can be written, and that they are
// neither each other nor files of the command. To be called before any work is done.
Status check_outputs(const OutputOptions& options, const CommandFiles& files = {});

// An error when `path` is a folder, or cannot be created where it is to be.
Status check_writable(const std::string& path);

}  // namespace harness
