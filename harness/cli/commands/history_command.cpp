#include "harness/cli/history/make_history.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "harness/base/text.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/output/terminal_unicode.h"
#include "harness/report/documents/history_document.h"

namespace harness {
namespace {

constexpr int exit_worse = 1;

struct Arguments {
  HistoryArguments history;
  std::string store = default_store;
  std::string fail_on;
  OutputArguments output;
};

int history_command(const Arguments& arguments) {
  if (const Status checked = check_formats(arguments.output, "a history"); !checked)
    return report_error(checked.error());
  if (const Status checked = check_outputs(arguments.output, {"", store_files(arguments.store)}); !checked)
    return report_error(checked.error());
  const auto store = open_for_reading(arguments.store);
  if (!store) return report_error(store.error());
  const Result<HistoryReport> report = make_history(**store, arguments.history, ".");
  if (!report) return report_error(report.error());
  const bool worse = std::any_of(report->trends.begin(), report->trends.end(), got_worse);
  const bool unicode = terminal_has_unicode();
  return emit(
      arguments.output,
      [&](Format format, const Style& style) { return render_history(*report, format, style, unicode); },
      worse && arguments.fail_on == "change" ? exit_worse : exit_ok);
}

}  // namespace

void add_history(CLI::App& program, Action& chosen) {
  CLI::App* command =
      program.add_subcommand("history", "How cases moved along a branch, and where they changed");
  auto arguments = std::make_shared<Arguments>();
  HistoryArguments& history = arguments->history;
  command->add_option("case", history.pattern, "only cases whose name matches")->type_name("WILDCARD");
  command->add_option("--branch", history.branch, "the branch, along first parents; default: main")
      ->type_name("REV");
  command->add_option("--suite", history.suite, "suite name, where the store has results of several");
  command->add_option("--metric", history.metric, "only this metric; `time` is the device's time");
  command->add_option("--since", history.since, "only commits since this one or this day (2026-11-20)")
      ->type_name("REV|DATE");
  command->add_option("--last", history.last, "only the newest points of each series")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  command
      ->add_option("--anchor", history.anchor,
                   "release that results are held to; default: the pinned baseline, else the oldest result")
      ->type_name("REV");
  command->add_option("--margin", history.margin, "changes this small do not matter; wins over the suite")
      ->type_name("PERCENT");
  command->add_option("--fail-on", arguments->fail_on, "`change`: exit status 1 when a case got worse")
      ->check(CLI::IsMember({"change"}));
  command->add_option("--store", arguments->store, "where records are: a file or postgresql://...")
      ->capture_default_str()
      ->type_name("URL");
  add_output_options(*command, arguments->output, history_formats());
  command->footer(
      "Exit status: 0, whatever happened; with --fail-on change 1 when a case got worse since its anchor;\n"
      "2 usage, 4 nothing stored.\n"
      "Examples: harness history 'linear_gelu/*' --metric time --last 100\n"
      "          harness history --anchor v1.2 --fail-on change --report json=history.json");
  command->callback([&chosen, arguments] { chosen = [arguments] { return history_command(*arguments); }; });
}

}  // namespace harness
