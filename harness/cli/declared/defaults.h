// Defaults of options, from `.harness.yaml` at the top of a repository:
//
//   version: 1
//   all: {color: never}             # of every command that has the option
//   commands:
//     run: {store: results.db, wait: 10m}
//     records list: {last: 20}
//
// A default is added to the command line as words, unless the line decides the option itself.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/declared/command_tree.h"

namespace harness {

struct DefaultOption {
  std::vector<std::string> words;  // "--wait=10m"
  Location where;
};

struct DefaultedLine {
  std::vector<std::string> command;     // "records", "list"
  std::vector<DefaultOption> defaults;  // that the line below does not decide itself
  std::vector<std::string> given;       // the other words of the command line

  [[nodiscard]] std::vector<std::string> words() const;
};

// The words of a command line, without the program's name, with the defaults of `text`, which stands in
// `file`. An entry that no command can take is an error.
Checked<DefaultedLine> with_defaults(const CLI::App& program, const std::vector<std::string>& words,
                                     const std::string& text, const std::string& file);

// The same from the file of the repository that holds the current folder, if there is one. Programs that a
// command starts have no defaults.
Checked<DefaultedLine> with_defaults(const CLI::App& program, const std::vector<std::string>& words);

}  // namespace harness
