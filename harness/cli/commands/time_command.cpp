// `harness time`: measures a command as a suite of one program would, once, and shows its table.
#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>
#include <string>
#include <vector>

#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/command_words.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/measure_record.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/render_with_sources.h"
#include "harness/cli/programs/command_suite.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/store/store.h"

namespace harness {
namespace {

constexpr int usual_runs = 10;
constexpr Seconds longest_start = 24 * 3600.0;

struct TimeArguments {
  std::vector<std::string> command;
  int runs = usual_runs;
  int warmup = 0;
  std::string prepare, cleanup;
  std::vector<std::string> list;  // the name, then its values
  DeviceOption device;
  MeasuringOptions measuring;
  OutputOptions output;
};

// One command of a list of parameters; without a list there is one.
struct TimedCommand {
  std::string name;
  std::string parameter, value;

  [[nodiscard]] std::string filled(std::string text) const {
    if (!parameter.empty()) boost::replace_all(text, "{" + parameter + "}", value);
    return text;
  }
};

Result<std::vector<TimedCommand>> commands_of(const TimeArguments& arguments) {
  if (arguments.list.empty()) return std::vector<TimedCommand>{{command_name, "", ""}};
  const std::string& parameter = arguments.list.front();
  std::vector<TimedCommand> all;
  for (std::size_t i = 1; i < arguments.list.size(); ++i)
    for (const std::string& value : split(arguments.list[i], ','))
      all.push_back({parameter + "=" + value, parameter, value});
  const TimedCommand probe{"", parameter, ""};
  for (const std::string& word : arguments.command)
    if (probe.filled(word) != word) return all;
  return fail(ErrorKind::usage,
              fmt::format("the command does not use the parameter `{}`", printable(parameter)),
              fmt::format("write {{{}}} where its value belongs", printable(parameter)));
}

Suite suite_of(const TimeArguments& arguments, const std::vector<TimedCommand>& commands) {
  Suite suite = suite_of_command({});
  const ProgramCase like = suite.programs.front();
  suite.programs.clear();
  suite.defaults.sampling.set(&Sampling::processes, arguments.runs);
  for (const TimedCommand& one : commands) {
    ProgramCase& program = suite.programs.emplace_back(like);
    program.name.value = one.name;
    for (const std::string& word : arguments.command) program.command.push_back(one.filled(word));
    program.prepare = one.filled(arguments.prepare);
    program.overrides.sampling.set(&Sampling::warmup, arguments.warmup);
    program.overrides.sampling.set(&Sampling::timeout, longest_start);
  }
  return suite;
}

// Once for each value of the parameter, after everything was measured.
Status clean_up(const TimeArguments& arguments, const std::vector<TimedCommand>& commands) {
  if (arguments.cleanup.empty()) return {};
  for (const TimedCommand& one : commands) {
    const Result<Output> done = run_command(Command{{"/bin/sh", "-c", one.filled(arguments.cleanup)}});
    if (!done) return fail(done.error());
    if (!done->exit.ok())
      return fail(ErrorKind::environment, fmt::format("--cleanup failed: {}", done->exit.text()),
                  printable(trim(done->err)));
  }
  return {};
}

int time_command(const TimeArguments& arguments, const CommandLine& line) {
  const Result<std::vector<TimedCommand>> commands = commands_of(arguments);
  if (!commands) return report_error(commands.error());
  if (const Status checked = check_outputs(arguments.output); !checked) return report_error(checked.error());
  SuiteOptions options;
  options.device = arguments.device;
  Checked<Prepared> prepared = prepare(suite_of(arguments, *commands), options);
  if (!prepared) return report_errors(prepared.error());
  const Result<std::unique_ptr<Store>> store = Store::empty("memory");
  if (!store) return report_error(store.error());
  const InterruptGuard guard;
  Result<MeasuredRecord> measured =
      measure_record(**store, *prepared, {{.kept = false}, arguments.measuring, {}});
  const Status cleaned = clean_up(arguments, *commands);
  if (!measured) return report_error(measured.error());
  if (!cleaned) return report_error(cleaned.error());
  const Record& record = measured->run.record;
  int status = measured->interrupted ? exit_interrupted : exit_ok;
  for (const CaseRecord& one : record.cases)
    if (status == exit_ok && one.outcome != Outcome::measured) status = exit_failed;
  const MakeReport report = measured_report(record, Reproduction(line, {}, arguments.device));
  const auto draw = [&](Format format, const Style& style) { return render(report(format), format, style); };
  return emit(arguments.output, draw, status);
}

}  // namespace

void add_time(Commands& commands) {
  auto& [command, arguments] =
      commands.add("time", "Time a command: wall, user and system time, peak memory", time_command);
  add_command_words(command, arguments.command, "the command and its arguments, after --")->required();
  command.add_option("--runs", arguments.runs, "starts that are timed")
      ->capture_default_str()
      ->check(CLI::Range(1, most_processes));
  command.add_option("--warmup", arguments.warmup, "starts before them")
      ->capture_default_str()
      ->check(CLI::Range(0, most_processes));
  command.add_option("--prepare", arguments.prepare, "shell command before each start, not timed")
      ->type_name("COMMAND");
  command.add_option("--cleanup", arguments.cleanup, "shell command after all starts")->type_name("COMMAND");
  command
      .add_option("--parameter-list", arguments.list,
                  "time the command for each value: {NAME} in it becomes the value")
      ->type_name("NAME VALUE,...")
      ->expected(2);
  arguments.device.add_to(command);
  arguments.measuring.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "One start is one process of the statistics. Nothing is kept: a suite with `programs` keeps records.\n"
      "Exit status: 0 measured, 2 usage, 5 the command failed, 130 interrupted.");
  add_examples(command, {"harness time --runs 20 -- sleep 0.01",
                         "harness time --runs 10 --parameter-list size 1000,2000 -- ./sort {size}"});
}

}  // namespace harness
