// The options for standard output and for report files.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/report/report.h"

namespace CLI {
class App;
}

namespace harness {

enum class ColourMode { automatic, always, never };

struct ReportTarget {
  Format format = Format::terminal;
  std::string path;  // "-": standard output

  [[nodiscard]] bool printed() const { return path == "-"; }
};

// Adds what a value of --report names: FORMAT=FILE, several with commas.
Status add_targets(std::vector<ReportTarget>& targets, const std::string& word);

struct OutputOptions {
  ColourMode colour = ColourMode::automatic;
  Format format = Format::terminal;        // of standard output
  std::vector<ReportTarget> reports = {};  // other outputs
  std::size_t markdown_limit = 0;          // bytes that Markdown may take; 0: as many as it needs
  bool verbose = false;                    // the terminal shows what is folded

  // --color, --format, --report, --markdown-limit.
  void add_to(CLI::App& command);
  // --verbose, of commands that judge.
  void add_verbose_to(CLI::App& command, const std::string& summary =
                                             "reasons of all results, not only of "
                                             "those that decide");
};

}  // namespace harness
