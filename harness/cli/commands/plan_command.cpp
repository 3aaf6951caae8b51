#include "harness/base/files.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/plan_file.h"
#include "harness/cli/provenance/built_from.h"

namespace harness {
namespace {

struct PlanArguments {
  SuiteOptions plan;
  std::string output;
};

int write_plan(const PlanArguments& arguments) {
  Checked<Prepared> prepared = prepare(arguments.plan);
  if (!prepared) return report_errors(prepared.error());
  prepared->built_from = built_from();
  const Status written = write_file_atomically(arguments.output, encode_plan(*prepared));
  return written ? exit_ok : report_error(written.error());
}

}  // namespace

void add_plan(Commands& commands) {
  auto& [command, arguments] =
      commands.add("plan", "Write the plan of a suite as a file (started by ab)", write_plan);
  hide(command);
  arguments.plan.add_to(command);
  command.add_option("--output", arguments.output, "file to write")->required()->type_name("FILE");
}

}  // namespace harness
