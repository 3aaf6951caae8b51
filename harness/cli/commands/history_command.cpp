#include "harness/cli/declared/examples.h"
#include "harness/cli/history/make_history.h"
#include "harness/cli/history/page_extras.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <tuple>
#include <utility>

#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/options/date.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/output/suite_outputs.h"
#include "harness/report/documents.h"

namespace harness {
namespace {

constexpr int exit_worse = 1;

enum class FailOn { nothing, change };

struct HistoryCommandArguments {
  HistoryArguments history;
  StoreOption store;
  FailOn fail_on = FailOn::nothing;
  std::string page;  // of all suites
  report::HistoryLinks links;
  OutputOptions output;
};

Status check_links(const report::HistoryLinks& links) {
  for (const auto& [option, url, place] : {std::tuple{"--commit-url", &links.commit, "{commit}"},
                                           std::tuple{"--record-url", &links.record, "{record}"}}) {
    if (url->empty()) continue;
    if (url->find(place) == std::string::npos ||
        !(url->starts_with("https://") || url->starts_with("http://")))
      return fail(ErrorKind::usage, fmt::format("{}: `{}` is no URL with {}", option, printable(*url), place),
                  fmt::format("write it as https://ci.example.org/{}", place));
  }
  return {};
}

// A name without an ending is that of a folder, which older versions wrote.
Status check_page(const std::string& page) {
  std::error_code code;
  if (page.empty() || page.ends_with(".html") || std::filesystem::is_other(page, code)) return {};
  const std::string name = printable(page.ends_with('/') ? page.substr(0, page.size() - 1) : page);
  return fail(ErrorKind::usage, fmt::format("--html: `{}` is no name of a page", printable(page)),
              fmt::format("--html writes one file: --html {}.html", name));
}

struct MadeHistory {
  HistoryReport report;
  report::HistoryExtras extras;
};

// `suite`: "" where it is the only one in the store.
Status add_suite(Store& store, const std::string& suite, const HistoryCommandArguments& arguments,
                 SuiteOutputs& outputs) {
  HistoryArguments own = arguments.history;
  own.suite = suite;
  Result<HistoryReport> report = make_history(store, own, ".");
  if (!report) return fail(report.error());
  const auto made = std::make_shared<MadeHistory>(MadeHistory{std::move(*report), {}});
  if (outputs.draws(Format::html)) {
    Result<report::HistoryExtras> extras = page_extras(store, made->report, arguments.links);
    if (!extras) return fail(extras.error());
    made->extras = std::move(*extras);
  }
  const std::vector<Trend>& trends = made->report.trends;
  const bool worse = std::any_of(trends.begin(), trends.end(), got_worse);
  const int status = worse && arguments.fail_on == FailOn::change ? exit_worse : exit_ok;
  const auto make = [made](Format) { return report::history_document(made->report, &made->extras); };
  outputs.add(made->report.suite, make, status);
  outputs.conclude_suite(made->report.suite, status);
  return {};
}

int history_command(const HistoryCommandArguments& given, const CommandLine& line) {
  HistoryCommandArguments arguments = given;
  for (const Status& checked : {check_links(arguments.links), check_page(arguments.page)})
    if (!checked) return report_error(checked.error());
  if (!arguments.page.empty()) arguments.output.reports.push_back({Format::html, arguments.page});
  if (const Status checked = check_outputs(arguments.output, {"", store_files(arguments.store.url)});
      !checked)
    return report_error(checked.error());
  const auto store = open_for_reading(arguments.store);
  if (!store) return report_error(store.error());
  std::vector<std::string> suites{arguments.history.suite};
  if (suites.front().empty() && !arguments.page.empty()) {
    Result<std::vector<std::string>> all = suites_of(**store);
    if (!all) return report_error(all.error());
    suites = std::move(*all);
  }
  SuiteOutputs outputs(arguments.output, line.text(), suites.size());
  for (const std::string& suite : suites)
    if (const Status added = add_suite(**store, suite, arguments, outputs); !added)
      return report_error(added.error());
  const int status = outputs.finish();
  if (!arguments.page.empty() && status != exit_usage)
    fmt::print(stderr, "wrote {}\n", printable(arguments.page));
  return status;
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
  command.add_option("--html", arguments.page, "write a page of all suites into this file")
      ->type_name("FILE");
  command.add_option("--commit-url", arguments.links.commit, "the page's links to commits, with {commit}")
      ->type_name("URL");
  command.add_option("--record-url", arguments.links.record, "the page's links to verdicts, with {record}")
      ->type_name("URL");
  arguments.store.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "Exit status: 0, whatever happened; with --fail-on change 1 when a case got worse since its anchor;\n"
      "2 usage, 4 nothing stored.");
  add_examples(
      command,
      {"harness history '*/n=64' --metric time --last 100",
       "harness history --anchor v1.2 --fail-on change --report json=history.json",
       "harness history --html history.html --commit-url 'https://git.example.org/perf/commit/{commit}'"});
}

}  // namespace harness
