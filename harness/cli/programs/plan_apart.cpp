#include "harness/cli/programs/plan_apart.h"

#include <fmt/format.h>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/plan_file.h"
#include "harness/cli/programs/run_logged.h"
#include "harness/measure/schedule/interrupt.h"

namespace harness {
namespace {

// The errors of the other process in one; the place of the first is its own.
Error told(const std::string& text, int status) {
  static constexpr std::string_view mark = "error: ";
  Error error{
      status == exit_missing ? ErrorKind::missing : ErrorKind::usage, std::string(trim(text)), {}, {}};
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return error;
  error.message = trim(text.substr(at + mark.size()));
  if (at > 2) error.where.file = text.substr(0, at - 2);
  return error;
}

}  // namespace

Checked<Prepared> plan_apart(const SuiteOptions& options) {
  const TemporaryFolder scratch;
  const std::filesystem::path output = scratch.path() / "plan.json", log = scratch.path() / "log";
  std::vector<std::string> argv{this_program().string(), "plan", options.suite, "--output", output.string()};
  const std::vector<std::string> words = options.words();
  argv.insert(argv.end(), words.begin(), words.end());
  const InterruptGuard guard;
  const auto exit = run_logged({.argv = argv, .trusted = false}, log);
  if (!exit) return fail_checked(exit.error());
  if (!*exit) return fail_checked({ErrorKind::environment, "interrupted", {}, {}});
  const std::string said = read_file(log).value_or("");
  if ((*exit)->signal == 0 && (*exit)->code != exit_ok && !said.empty())
    return fail_checked(told(said, (*exit)->code));
  const Result<std::string> text = (*exit)->ok() ? read_file(output) : std::string();
  if (!(*exit)->ok() || !text)
    return fail_checked(
        {ErrorKind::usage,
         fmt::format("the suite cannot be planned, because a module ended the process: {}{}{}",
                     (*exit)->text(), said.empty() ? "" : ": ", tail_of(log)),
         Location{options.suite}, "mend the module: loading it must only register workloads"});
  Result<Prepared> prepared = decode_plan(*text, "the plan of " + printable(options.suite));
  if (!prepared) return fail_checked(prepared.error());
  return std::move(*prepared);
}

}  // namespace harness
