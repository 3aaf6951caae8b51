#include "harness/cli/programs/measure_session.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/base/files.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/programs/run_logged.h"
#include "harness/model/codec.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

Command run_command_of(const SessionArguments& arguments, const fs::path& scratch, const fs::path& output) {
  Command command;
  command.argv = {this_program().string(),           "run",      arguments.suite, "--quiet", "--store",
                  (scratch / "results.db").string(), "--output", output.string()};
  for (const std::string& filter : arguments.filters)
    command.argv.insert(command.argv.end(), {"--filter", filter});
  for (const std::string& module : arguments.modules)
    command.argv.insert(command.argv.end(), {"--module", module});
  if (!arguments.device.empty()) command.argv.insert(command.argv.end(), {"--device", arguments.device});
  if (!arguments.clocks.empty())
    command.argv.push_back(arguments.clocks == "true" ? "--lock-clocks"
                                                      : "--lock-clocks=" + arguments.clocks);
  if (arguments.processes > 0)
    command.argv.insert(command.argv.end(), {"--processes", fmt::format("{}", arguments.processes)});
  return command;
}

}  // namespace

Result<std::optional<Record>> measure_session(const SessionArguments& arguments) {
  const TemporaryFolder scratch;
  const fs::path output = scratch.path() / "record.json";
  const fs::path log = scratch.path() / "log";
  const auto exit = run_logged(run_command_of(arguments, scratch.path(), output), log);
  if (!exit) return fail(exit.error());
  if (!*exit) return std::optional<Record>();
  if (!(*exit)->ok())
    return fail((*exit)->code == exit_usage ? ErrorKind::usage : ErrorKind::environment,
                fmt::format("measuring failed, {}: {}", (*exit)->text(), tail_of(log)),
                "see that `harness run` of this suite succeeds first");
  const Result<std::string> text = read_file(output.string());
  if (!text) return fail(text.error());
  Result<Record> record = decode_record(*text, output.string());
  if (!record) return fail(record.error());
  return std::optional<Record>(std::move(*record));
}

}  // namespace harness
