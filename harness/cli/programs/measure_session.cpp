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

Command run_command_of(const SessionOptions& session, const fs::path& scratch, const fs::path& output) {
  Command command;
  command.argv = {this_program().string(),           "run",      session.suite,  "--quiet", "--store",
                  (scratch / "results.db").string(), "--output", output.string()};
  SuiteOptions options;
  options.filter = session.filter;
  options.modules = session.modules;
  options.device = session.device;
  options.processes = session.processes;
  for (const auto& words : {options.words(), session.clocks.words()})
    command.argv.insert(command.argv.end(), words.begin(), words.end());
  return command;
}

}  // namespace

Result<std::optional<Record>> measure_session(const SessionOptions& options) {
  const TemporaryFolder scratch;
  const fs::path output = scratch.path() / "record.json";
  const fs::path log = scratch.path() / "log";
  const auto exit = run_logged(run_command_of(options, scratch.path(), output), log);
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
