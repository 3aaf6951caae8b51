#include "harness/cli/commands/commands.h"
#include "harness/measure/referee/player.h"
#include "harness/measure/worker/python_worker.h"

namespace harness {
namespace {

struct WorkerArguments {
  bool python = false;
  bool player = false;
};

int worker(const WorkerArguments& arguments) {
  if (arguments.player) return referee::run_player();
  return arguments.python ? become_python_worker() : run_worker();
}

}  // namespace

void add_worker(Commands& commands) {
  auto& [command, arguments] =
      commands.add("worker", "Measure one job read from standard input (started by run)", worker);
  command.add_flag("--python", arguments.python, "by an interpreter that can call cases in Python");
  command.add_flag("--player", arguments.player, "play for a referee instead (started by referee)");
  hide(command);
}

}  // namespace harness
