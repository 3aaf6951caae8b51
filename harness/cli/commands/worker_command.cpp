#include "harness/cli/commands/commands.h"
#include "harness/measure/worker/python_worker.h"

namespace harness {
namespace {

struct WorkerArguments {
  bool python = false;
};

int worker(const WorkerArguments& arguments) {
  return arguments.python ? become_python_worker() : run_worker();
}

}  // namespace

void add_worker(Commands& commands) {
  auto& [command, arguments] =
      commands.add("worker", "Measure one job read from standard input (started by run)", worker);
  command.add_flag("--python", arguments.python, "by an interpreter that can call cases in Python");
  hide(command);
}

}  // namespace harness
