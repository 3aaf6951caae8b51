#include "harness/cli/declared/examples.h"
#include "harness/cli/history/make_history.h"
#include "harness/cli/history/write_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/options/date.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/report/documents.h"

namespace harness {
namespace {

constexpr int exit_worse = 1;

enum class FailOn { nothing, change };

struct HistoryCommandArguments {
  HistoryArguments history;
  StoreOption store;
  FailOn fail_on = FailOn::nothing;
  SiteOptions site;
  OutputOptions output;
};

Status check_site(const HistoryCommandArguments& arguments) {
  const OutputOptions& output = arguments.output;
  if (!output.reports.empty() || output.format != Format::terminal)
    return fail(ErrorKind::usage, "--html writes a site, so there is no other report",
                "leave out --report and --format, or run the command twice");
  for (const auto& [option, url, place] :
       {std::tuple{"--commit-url", &arguments.site.links.commit, "{commit}"},
        std::tuple{"--record-url", &arguments.site.links.record, "{record}"}}) {
    if (url->empty()) continue;
    if (url->find(place) == std::string::npos ||
        !(url->starts_with("https://") || url->starts_with("http://")))
      return fail(ErrorKind::usage, fmt::format("{}: `{}` is no URL with {}", option, printable(*url), place),
                  fmt::format("write it as https://ci.example.org/{}", place));
  }
  return {};
}

int site_command(Store& store, const HistoryCommandArguments& arguments) {
  const Result<WrittenSite> site = write_site(store, arguments.history, arguments.site);
  if (!site) return report_error(site.error());
  const Status printed = print_whole(
      fmt::format("{} files of {} in {}\n", site->files,
                  site->suites == 1 ? "one suite" : fmt::format("{} suites", site->suites),
                  printable((std::filesystem::path(arguments.site.folder) / "index.html").string())));
  if (!printed) return report_error(printed.error());
  return site->worse && arguments.fail_on == FailOn::change ? exit_worse : exit_ok;
}

int history_command(const HistoryCommandArguments& arguments) {
  const bool site = !arguments.site.folder.empty();
  if (site)
    if (const Status possible = check_site(arguments); !possible) return report_error(possible.error());
  if (const Status checked = check_outputs(arguments.output, {"", store_files(arguments.store.url)});
      !checked)
    return report_error(checked.error());
  const auto store = open_for_reading(arguments.store);
  if (!store) return report_error(store.error());
  if (site) return site_command(**store, arguments);
  const Result<HistoryReport> report = make_history(**store, arguments.history, ".");
  if (!report) return report_error(report.error());
  const bool worse = std::any_of(report->trends.begin(), report->trends.end(), got_worse);
  CaseVerdicts verdicts;
  if (draws(arguments.output, Format::html)) {
    Result<CaseVerdicts> found = verdicts_of(**store, *report, VerdictsAt::points);
    if (!found) return report_error(found.error());
    verdicts = std::move(*found);
  }
  return emit(
      arguments.output,
      [&](Format format, const Style& style) {
        return render(report::history_document(*report, &verdicts), format, style);
      },
      worse && arguments.fail_on == FailOn::change ? exit_worse : exit_ok);
}

Result<FailOn> parse_fail_on(const std::string& word) {
  if (word == "change") return FailOn::change;
  return fail(ErrorKind::usage, fmt::format("`{}` cannot be asked for", printable(word)), "write `change`");
}

Result<HistoryStart> parse_since(const std::string& text) {
  return is_date(text) ? HistoryStart{{}, text} : HistoryStart{text, {}};
}

}  // namespace

void add_history(Commands& commands) {
  auto& [command, arguments] =
      commands.add("history", "Show how cases changed along a branch, and at which commits", history_command);
  HistoryArguments& history = arguments.history;
  command.add_option("case", history.pattern, "only cases whose name matches")->type_name("WILDCARD");
  command.add_option("--branch", history.branch, "the branch, along first parents; default: main")
      ->type_name("REV");
  add_suite_option(command, history.suite, "only this suite, if the store has results of several");
  command.add_option("--metric", history.metric, "only this metric; `time` is the device's time");
  add_typed(command, "--since", history.since, parse_since,
            "only commits since this one or this day (2026-11-20)")
      ->type_name("REV|DATE");
  command.add_option("--last", history.last, "only the newest points of each series")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  command
      .add_option(
          "--anchor", history.anchor,
          "revision that results are compared with; default: the pinned baseline, else the oldest result")
      ->type_name("REV");
  history.margin.add_to(command);
  add_typed(command, "--fail-on", arguments.fail_on, parse_fail_on,
            "`change`: exit status 1 when a case got worse")
      ->type_name("change");
  command.add_option("--html", arguments.site.folder, "write a site of all suites into this folder")
      ->type_name("FOLDER");
  command
      .add_option("--commit-url", arguments.site.links.commit, "the site's links to commits, with {commit}")
      ->type_name("URL");
  command
      .add_option("--record-url", arguments.site.links.record, "the site's links to verdicts, with {record}")
      ->type_name("URL");
  arguments.store.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "Exit status: 0, whatever happened; with --fail-on change 1 when a case got worse since its anchor;\n"
      "2 usage, 4 nothing stored.");
  add_examples(command,
               {"harness history '*/n=64' --metric time --last 100",
                "harness history --anchor v1.2 --fail-on change --report json=history.json",
                "harness history --html site --commit-url 'https://git.example.org/perf/commit/{commit}'"});
}

}  // namespace harness
