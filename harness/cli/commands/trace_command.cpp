// `harness trace`: runs a command under the trace and shows the kernels of its steps.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/command_words.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/measure/program/start_program.h"
#include "harness/measure/program/trace_start.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/report/documents.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr Seconds longest_traced_start = 24 * 3600.0;
constexpr std::string_view range_prefix = "nvtx:";

struct TraceArguments {
  std::vector<std::string> command;
  StepRule steps;
  bool only_traced = false;
  std::string keep;
  std::string from;
  OutputOptions output;
};

Result<StepRule> parse_steps(const std::string& text) {
  if (text.starts_with(range_prefix) && text.size() > range_prefix.size())
    return StepRule{StepSource::nvtx, text.substr(range_prefix.size())};
  for (const StepSource one : {StepSource::period, StepSource::whole})
    if (text == name_of(one)) return StepRule{one, {}};
  return fail(ErrorKind::usage, fmt::format("`{}` is no rule for steps", printable(text)),
              "period, whole, or nvtx:NAME");
}

// An Error where the command cannot be started or does not end well.
Result<ProgramEnd> start(const TraceArguments& arguments, const fs::path& library, const fs::path& folder) {
  ProgramStart one{.command = {.argv = arguments.command}, .timeout = longest_traced_start};
  if (!folder.empty()) trace_into(one.command, library, folder);
  Result<ProgramEnd> end = start_program(one, [] {});
  if (!end || end->interrupted || end->exit.ok()) return end;
  return fail(ErrorKind::environment, fmt::format("the command failed: {}", end->exit.text()), end->printed);
}

// Begins with the untraced start, which also warms up what both need.
Result<std::optional<TracedRun>> run_both(const TraceArguments& arguments, const fs::path& library,
                                          const fs::path& folder) {
  TracedRun run;
  for (const std::string& word : arguments.command)
    run.command += (run.command.empty() ? "" : " ") + shell_quoted(word);
  const InterruptGuard guard;
  if (!arguments.only_traced) {
    const Result<ProgramEnd> end = start(arguments, library, {});
    if (!end) return fail(end.error());
    if (end->interrupted) return std::nullopt;
    run.overhead.untraced = end->wall;
  }
  const Result<ProgramEnd> end = start(arguments, library, folder);
  if (!end) return fail(end.error());
  if (end->interrupted) return std::nullopt;
  run.overhead.traced = end->wall;
  Result<ProgramTrace> trace = read_program_trace(folder, arguments.steps);
  if (!trace) return fail(trace.error());
  run.trace = std::move(*trace);
  return run;
}

int show(const TraceArguments& arguments, const TracedRun& run) {
  return emit(
      arguments.output,
      [&](Format format, const Style& style) { return render(report::trace_document(run), format, style); },
      run.trace.fault ? exit_failed : exit_ok);
}

int show_kept(const TraceArguments& arguments) {
  TracedRun run;
  run.command = "--from " + shell_quoted(arguments.from);
  Result<ProgramTrace> trace = read_program_trace(arguments.from, arguments.steps);
  if (!trace) return report_error(trace.error());
  run.trace = std::move(*trace);
  return show(arguments, run);
}

int trace_command(const TraceArguments& arguments) {
  if (const Status checked = check_outputs(arguments.output); !checked) return report_error(checked.error());
  if (arguments.from.empty() == arguments.command.empty())
    return report_error({ErrorKind::usage,
                         "a command or --from is needed, and not both",
                         {},
                         "harness trace -- COMMAND, or harness trace --from FOLDER"});
  if (!arguments.from.empty()) return show_kept(arguments);
  const Result<fs::path> library = trace_library();
  if (!library) return report_error(library.error());
  const TemporaryFolder scratch;
  fs::path folder = scratch.path();
  if (!arguments.keep.empty()) {
    folder = fs::absolute(arguments.keep);
    std::error_code code;
    fs::create_directories(folder, code);
    if (!fs::is_directory(folder, code) || !fs::is_empty(folder, code))
      return report_error({ErrorKind::usage,
                           fmt::format("--keep: {} is no empty folder", printable(folder.string())),
                           {},
                           "name a new one"});
  }
  const Result<std::optional<TracedRun>> run = run_both(arguments, *library, folder);
  if (!run) {
    report_error(run.error());
    return exit_failed;
  }
  if (!*run) return exit_interrupted;
  return show(arguments, **run);
}

}  // namespace

void add_trace(Commands& commands) {
  auto& [command, arguments] =
      commands.add("trace", "Show the kernels that a CUDA program launches, by their share", trace_command);
  add_command_words(command, arguments.command, "the command and its arguments, after --");
  add_typed(command, "--steps", arguments.steps, parse_steps,
            "how steps are found: period (default), whole, or nvtx:NAME")
      ->type_name("RULE");
  command.add_flag("--only-traced", arguments.only_traced,
                   "do not start the command without the trace as well; the overhead stays unknown");
  command.add_option("--keep", arguments.keep, "keep the trace files in this folder")->type_name("FOLDER");
  command
      .add_option("--from", arguments.from, "show the trace that --keep left in this folder, and run nothing")
      ->type_name("FOLDER");
  arguments.output.add_to(command);
  command.footer(
      "The program is not changed: CUDA loads a library into it, and into the programs that it starts.\n"
      "Exit status: 0 traced, 2 usage, 5 the command failed or the trace is void, 130 interrupted.");
  add_examples(command, {"harness trace -- ./train --steps 60"});
}

}  // namespace harness
