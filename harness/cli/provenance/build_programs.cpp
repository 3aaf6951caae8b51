#include "harness/cli/provenance/build_programs.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/output/build_progress.h"
#include "harness/cli/programs/run_logged.h"
#include "harness/measure/schedule/interrupt.h"

namespace harness {

Result<bool> build_programs(const Plan& plan) {
  const InterruptGuard guard;
  std::set<std::pair<std::string, std::string>> done;
  for (const PlannedCase& planned : plan.cases) {
    if (planned.skip || !planned.program || planned.program->build.empty()) continue;
    const Program& program = *planned.program;
    if (!done.emplace(program.folder, program.build).second) continue;
    const TemporaryFolder scratch;
    const std::filesystem::path log = scratch.path() / "log";
    BuildProgress progress("program " + program.name);
    const auto exit = run_logged({{"/bin/sh", "-c", program.build}, program.folder, {}}, log,
                                 [&](Seconds elapsed) { progress.at(elapsed); });
    if (exit && *exit && (*exit)->ok()) {
      progress.built();
      continue;
    }
    progress.failed();
    if (!exit) return fail(exit.error());
    if (!*exit) return false;
    const std::string said = tail_of(log);
    return fail(ErrorKind::usage, planned.where,
                fmt::format("program {}: its build failed: {}{}{}", program.name, (*exit)->text(),
                            said.empty() ? "" : ": ", said),
                fmt::format("`{}` is run in {}", printable(program.build), printable(program.folder)));
  }
  return true;
}

}  // namespace harness
