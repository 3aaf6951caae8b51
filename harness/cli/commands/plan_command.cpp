#include <CLI/CLI.hpp>
#include <memory>

#include "harness/base/files.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/plan_file.h"

namespace harness {

void add_plan(CLI::App& program, Action& chosen) {
  CLI::App* command = program.add_subcommand("plan", "Write what `ab` asks of a build's program");
  command->group("");  // not in --help: nobody types it
  auto arguments = std::make_shared<PlanArguments>();
  auto output = std::make_shared<std::string>();
  add_plan_options(*command, *arguments);
  command->add_option("--output", *output, "file to write")->required()->type_name("FILE");
  command->callback([&chosen, arguments, output] {
    chosen = [arguments, output] {
      const Checked<Prepared> prepared = prepare(*arguments);
      if (!prepared) return report_errors(prepared.error());
      const Status written = write_file_atomically(*output, encode_plan(*prepared));
      return written ? exit_ok : report_error(written.error());
    };
  });
}

}  // namespace harness
