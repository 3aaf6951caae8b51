#include "harness/cli/commands/commands.h"
#include "harness/device/host/clock_lock.h"

namespace harness {
namespace {

struct ClockGuardArguments {
  std::string gpu;
  unsigned mhz = 0;
  int holder = 0;
};

int clock_guard(const ClockGuardArguments& arguments) {
  return run_clock_guard(arguments.gpu, arguments.mhz, arguments.holder);
}

}  // namespace

void add_clock_guard(Commands& commands) {
  auto& [command, arguments] =
      commands.add("clock-guard", "Hold a clock lock until the run ends (started by run)", clock_guard);
  hide(command);
  command.add_option("gpu", arguments.gpu)->required();
  command.add_option("mhz", arguments.mhz)->required();
  command.add_option("holder", arguments.holder)->required();
}

}  // namespace harness
