// Defaults of options, from `.harness.yaml` at the top of a repository:
//
//   version: 1
//   all: {color: never}             # of every command that has the option
//   commands:
//     run: {store: results.db, wait: 10m}
//     records list: {format: json}
//
// A default is added to the command line as words, unless the line decides the option itself.
#pragma once

#include <filesystem>
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
  std::vector<std::string> notes;       // what a reader is to be told

  [[nodiscard]] std::vector<std::string> words() const;
};

struct DefaultsFile {
  std::string text;
  std::string name;           // for messages
  std::filesystem::path top;  // of the tree that it is the file of
  bool trusted = false;       // the user's own, which no change brings along: any option may have a default
};

// Whether the words begin with a command that --help shows.
bool names_command(const CLI::App& program, const std::vector<std::string>& words);

// The words of a command line, without the program's name, with the defaults of a file. An entry that no
// command can take is an error, and so is one for an option that may decide what passes.
Checked<DefaultedLine> with_defaults(const CLI::App& program, const std::vector<std::string>& words,
                                     const DefaultsFile& file);

}  // namespace harness
