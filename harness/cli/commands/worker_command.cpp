#include <CLI/CLI.hpp>

#include "harness/cli/commands.h"
#include "harness/measure/worker/worker.h"

namespace harness {

void add_worker(CLI::App& program, Action& chosen) {
  CLI::App* command =
      program.add_subcommand("worker", "Measure one job read from standard input (started by run)");
  command->group("");  // not in --help: nobody types it
  command->callback([&chosen] { chosen = [] { return run_worker(); }; });
}

}  // namespace harness
