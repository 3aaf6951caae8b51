// Where records are, and which of a revision's records is meant.
#pragma once

#include <string>

#include "harness/store/select.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace harness {

// The store of the repository that holds the current folder: `default_store` at its top, as a path from here.
// Outside a repository it is in the current folder.
std::string usual_store();

struct StoreOption {
  std::string url = usual_store();

  CLI::Option* add_to(CLI::App& command);  // --store

  [[nodiscard]] bool is_usual() const { return url == usual_store(); }
};

// --suite: a suite's name, or the path of its file, whose name is taken.
CLI::Option* add_suite_option(CLI::App& command, std::string& suite, const std::string& help);

// For commands that read the records of revisions.
struct SelectionOptions {
  std::string suite;  // "": all that the revision has, or the only one
  StoreOption store;
  ImportOptions imports;  // of a side that is files of another tool

  void add_to(CLI::App& command);  // --suite, --store

  // In the repository around the current folder.
  // Remarks about files of other tools go to stderr, each once.
  [[nodiscard]] SelectOptions select() const;
};

}  // namespace harness
