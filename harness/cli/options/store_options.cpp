#include "harness/cli/options/store_options.h"

#include <CLI/CLI.hpp>

namespace harness {

CLI::Option* StoreOption::add_to(CLI::App& command) {
  return command.add_option("--store", url, "where records are kept: a file or postgresql://...")
      ->capture_default_str()
      ->type_name("URL");
}

void SelectionOptions::add_to(CLI::App& command) {
  command.add_option("--suite", suite, "suite name, if a revision has records of several suites")
      ->type_name("NAME");
  store.add_to(command);
}

}  // namespace harness
