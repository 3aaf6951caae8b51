// The table of commands, in the order of `harness --help`. A row NAME is add_NAME() in NAME_command.cpp,
// here or in the folder of its command.
#include "harness/cli/commands/commands.h"

#define HARNESS_COMMANDS(ROW) \
  ROW(init)                   \
  ROW(list)                   \
  ROW(run)                    \
  ROW(time)                   \
  ROW(trace)                  \
  ROW(affected)               \
  ROW(compare)                \
  ROW(report)                 \
  ROW(explain)                \
  ROW(plot)                   \
  ROW(table)                  \
  ROW(claims)                 \
  ROW(import)                 \
  ROW(baseline)               \
  ROW(records)                \
  ROW(history)                \
  ROW(ab)                     \
  ROW(referee)                \
  ROW(bisect)                 \
  ROW(farm)                   \
  ROW(calibrate)              \
  ROW(tune)                   \
  ROW(selftest)               \
  ROW(plan)                   \
  ROW(doctor)                 \
  ROW(help)                   \
  ROW(worker)                 \
  ROW(clock_guard)            \
  ROW(probe_libraries)

namespace harness {

#define DECLARE(name) void add_##name(Commands& commands);
HARNESS_COMMANDS(DECLARE)

void add_all_commands(Commands& commands) {
#define ADD(name) add_##name(commands);
  HARNESS_COMMANDS(ADD)
}

}  // namespace harness
