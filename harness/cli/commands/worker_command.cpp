#include "harness/cli/commands/commands.h"
#include "harness/measure/worker/worker.h"

namespace harness {
namespace {

struct WorkerArguments {};

int worker(const WorkerArguments& /*arguments*/) {
  return run_worker();
}

}  // namespace

void add_worker(Commands& commands) {
  hide(commands.add("worker", "Measure one job read from standard input (started by run)", worker).command);
}

}  // namespace harness
