#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/output/render_with_sources.h"
#include "harness/report/media/page_data.h"
#include "harness/report/media/page_template.h"
#include "harness/verdict/compare.h"
#include "harness/verdict/read/summarize.h"

namespace harness {
namespace {

struct Kind {
  std::string_view name;
  std::string_view shows;
  bool of_one_case = false;
  bool of_a_comparison = false;
};

// What plot.mjs draws; tests/cli/plot_test.sh asks it whether these are all.
constexpr std::array<Kind, 10> kinds{{
    {"speedup", "speedups over the reference, with intervals"},
    {"roofline", "FLOP/s by intensity under the measured ceilings"},
    {"ceiling", "share of the measured ceiling by size, a line a variant"},
    {"pareto", "quality against time or size"},
    {"phases", "set-up, first call and sampling of each case"},
    {"waterfall", "what each variant of a ladder gains"},
    {"distribution", "the samples of each process, as violins", true},
    {"ecdf", "the samples of each process, cumulated", true},
    {"timeline", "placements in the order measured, with clock, power and temperature", true},
    {"interval", "the change against its margin", true, true},
}};

struct PlotArguments {
  std::string record;
  std::string kind;
  std::string output = "-";
  std::string one_case;
  std::string metric;
  std::string baseline;
  std::string suite;
  std::string store = default_store;
  std::string theme = "light";
  int width = 0;   // pixels; 0: as the plot likes
  int height = 0;  // likewise
  bool png = false;
  PolicyArguments policy;
};

// The two sides and what comes of them, alive while the document is made.
struct Plotted {
  Record current;
  std::optional<Record> baseline;
  std::optional<Comparison> comparison;
};

const Kind* find_kind(const std::string& name) {
  const auto* const found =
      std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : found;
}

Status check_kind(const PlotArguments& arguments) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.emplace_back(kind.name);
  const Kind* kind = find_kind(arguments.kind);
  if (kind == nullptr)
    return fail(ErrorKind::usage, fmt::format("--kind: unknown kind of plot `{}`", printable(arguments.kind)),
                suggestion(arguments.kind, names));
  if (kind->of_a_comparison && arguments.baseline.empty())
    return fail(ErrorKind::usage, fmt::format("--kind {} shows a comparison", kind->name),
                "name what to compare with: --baseline REV|FILE");
  return {};
}

std::string ending_of(const std::string& path) {
  return to_lower(std::filesystem::path(path).extension().string());
}

Status check_output(const PlotArguments& arguments) {
  if (arguments.output == "-") return {};
  const std::string ending = ending_of(arguments.output);
  if (!arguments.png && !ending.empty() && ending != ".svg" && ending != ".png")
    return fail(ErrorKind::usage,
                fmt::format("--output {}: plots are not written as {}", printable(arguments.output),
                            printable(ending)),
                "name a file that ends in .svg or .png");
  const std::vector<std::string> inputs = all_of({{arguments.record, arguments.baseline},
                                                  store_files(arguments.store),
                                                  policy_files(arguments.policy, "")});
  if (const Status spared = check_spares("--output", arguments.output, inputs); !spared) return spared;
  return check_writable(arguments.output);
}

Status check_arguments(const PlotArguments& arguments) {
  if (const Status checked = check_kind(arguments); !checked) return checked;
  if (const Status used = check_policy_is_used(arguments.policy, arguments.baseline); !used) return used;
  if (const Status checked = check_output(arguments); !checked) return checked;
  if (report::plot_program().empty()) {
    const std::string obstacle(report::page_obstacle());
    return fail(ErrorKind::environment,
                fmt::format("this build has no plots: {}",
                            obstacle.empty() ? "no plot.mjs was beside its HARNESS_PAGE_FILE" : obstacle),
                "install Node.js 18 or newer with npm, then configure and build again");
  }
  return {};
}

std::vector<std::string> case_names(const Record& record) {
  std::vector<std::string> names;
  for (const CaseRecord& one : record.cases) names.push_back(one.id);
  return names;
}

// Replaces wildcards by the one case that they match.
Status resolve_wildcards(PlotArguments& arguments, const std::vector<std::string>& names) {
  const std::string& pattern = arguments.one_case;
  if (std::find(names.begin(), names.end(), pattern) != names.end()) return {};
  std::vector<std::string> matching;
  for (const std::string& name : names)
    if (wildcard_match(pattern, name)) matching.push_back(name);
  if (matching.size() > 1)
    return fail(ErrorKind::usage,
                fmt::format("--case: `{}` matches {} cases, and a plot is about one", printable(pattern),
                            matching.size()),
                fmt::format("narrow it; the first is {}", shell_quoted(matching.front())));
  if (matching.empty())
    return fail(ErrorKind::usage, fmt::format("--case: the record has no `{}`", printable(pattern)),
                suggestion(pattern, names));
  arguments.one_case = matching.front();
  return {};
}

// A kind of one case takes the only one there is; a name must be one of the record's.
Status choose_case(PlotArguments& arguments, const Record& record) {
  const std::vector<std::string> names = case_names(record);
  if (arguments.one_case.empty() && find_kind(arguments.kind)->of_one_case) {
    if (names.size() != 1)
      return fail(ErrorKind::usage, fmt::format("--kind {} shows one case", arguments.kind),
                  fmt::format("name it with --case; the record has {}, the first is {}", names.size(),
                              names.empty() ? "none" : shell_quoted(names.front())));
    arguments.one_case = names.front();
  }
  return arguments.one_case.empty() ? Status{} : resolve_wildcards(arguments, names);
}

Status check_metric(const PlotArguments& arguments, const Record& record) {
  std::vector<std::string> metrics;
  for (const CaseRecord& one : record.cases)
    for (const Series& series : one.series)
      if (arguments.one_case.empty() || one.id == arguments.one_case)
        if (std::find(metrics.begin(), metrics.end(), series.metric) == metrics.end())
          metrics.push_back(series.metric);
  if (arguments.metric.empty() ||
      std::find(metrics.begin(), metrics.end(), arguments.metric) != metrics.end())
    return {};
  return fail(ErrorKind::usage,
              fmt::format("--metric: {} has no `{}`",
                          arguments.one_case.empty() ? "the record" : printable(arguments.one_case),
                          printable(arguments.metric)),
              suggestion(arguments.metric, metrics));
}

tl::unexpected<std::vector<Error>> refused(const Error& error) {
  return tl::unexpected<std::vector<Error>>(std::vector<Error>{error});
}

Checked<Plotted> read_sides(const PlotArguments& arguments) {
  if (const auto policy = make_policy(arguments.policy); !policy) return refused(policy.error());
  const auto store = open_for_reading(arguments.store);
  if (!store) return refused(store.error());
  SelectOptions select;
  select.folder = ".";
  select.suite = arguments.suite;
  Result<Selected> current = select_current(**store, arguments.record, select);
  if (!current) return refused(current.error());
  Plotted plotted;
  if (!arguments.baseline.empty()) {
    Result<Selected> baseline = select_baseline(**store, arguments.baseline, *current, select);
    if (!baseline) return refused(baseline.error());
    const Checked<Policy> policy = effective_policy(**store, arguments.policy, current->record);
    if (!policy) return tl::unexpected(policy.error());
    const std::vector<std::string> inputs{policy->waivers_file};
    if (const Status spared = check_spares("--output", arguments.output, inputs); !spared)
      return refused(spared.error());
    plotted.comparison = compare(baseline->record, current->record, *policy);
    plotted.comparison->baseline = baseline->source;
    plotted.comparison->current = current->source;
    plotted.baseline = std::move(baseline->record);
  }
  plotted.current = std::move(current->record);
  return plotted;
}

std::string document_of(const Plotted& plotted) {
  const std::vector<Summary> after = summarize(plotted.current);
  Sources sources{{}, {&plotted.current, &after}, command_line()};
  if (!plotted.comparison) return report::page_document(nullptr, sources);
  const std::vector<Summary> before = summarize(*plotted.baseline);
  sources.baseline = {&*plotted.baseline, &before};
  return report::page_document(&*plotted.comparison, sources);
}

// Runs plot.mjs on the document; the result is the picture's bytes.
Result<std::string> draw(const PlotArguments& arguments, const std::string& document) {
  const TemporaryFolder folder;
  const std::filesystem::path program = folder.path() / "plot.mjs", data = folder.path() / "document.json",
                              picture = folder.path() / (arguments.png ? "plot.png" : "plot.svg");
  if (const Status put = write_file_atomically(program, report::plot_program()); !put)
    return fail(put.error());
  if (const Status put = write_file_atomically(data, document); !put) return fail(put.error());
  Command command{{"node", program.string(), "--plot", arguments.kind, "--theme", arguments.theme, "-o",
                   picture.string()}};
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    command.argv.emplace_back(option);
    command.argv.push_back(value);
  };
  add("--case", arguments.one_case);
  add("--metric", arguments.metric);
  add("--width", arguments.width == 0 ? "" : std::to_string(arguments.width));
  add("--height", arguments.height == 0 ? "" : std::to_string(arguments.height));
  command.argv.push_back(data.string());
  const Result<Output> ran = run_command(command);
  if (!ran)
    return fail(ErrorKind::environment, "plots are drawn by Node.js: " + ran.error().message,
                "install Node.js 18 or newer, so that `node` is on PATH");
  if (ran->exit.ok()) return read_file(picture);
  std::string_view said = trim(ran->err);
  if (said.starts_with("plot: ")) said.remove_prefix(6);
  if (said.empty())
    return fail(ErrorKind::environment, "plotting failed: " + ran->exit.text(),
                "check that `node --version` says 18 or newer");
  return fail(ErrorKind::usage, fmt::format("--kind {}: {}", arguments.kind, printable(said)));
}

int plot_command(PlotArguments arguments) {
  arguments.png |= ending_of(arguments.output) == ".png";
  if (const Status checked = check_arguments(arguments); !checked) return report_error(checked.error());
  const Checked<Plotted> plotted = read_sides(arguments);
  if (!plotted) return report_errors(plotted.error());
  if (const Status chosen = choose_case(arguments, plotted->current); !chosen)
    return report_error(chosen.error());
  if (const Status checked = check_metric(arguments, plotted->current); !checked)
    return report_error(checked.error());
  const Result<std::string> picture = draw(arguments, document_of(*plotted));
  if (!picture) return report_error(picture.error());
  if (arguments.output == "-") {
    const bool whole = std::fwrite(picture->data(), 1, picture->size(), stdout) == picture->size();
    if (whole && std::fflush(stdout) == 0) return exit_ok;
    return report_error(Error{ErrorKind::environment, "standard output cannot be written to", {}, ""});
  }
  const Status written = write_file_atomically(arguments.output, *picture);
  return written ? exit_ok : report_error(written.error());
}

std::string kinds_help() {
  std::string text = "Kinds:\n";
  for (const Kind& kind : kinds)
    text += fmt::format("  {:<13} {}{}\n", kind.name, kind.shows, kind.of_one_case ? "; needs --case" : "");
  return text +
         "Every plot is of what was measured; one that has nothing to draw is an error that says why.\n"
         "Needs Node.js; PNG also rsvg-convert (Debian, Ubuntu: librsvg2-bin).";
}

}  // namespace

void add_plot(CLI::App& program, Action& chosen) {
  CLI::App* command = program.add_subcommand("plot", "Draw one plot of a record as SVG or PNG");
  auto arguments = std::make_shared<PlotArguments>();
  command->add_option("record", arguments->record, "revision or record file")
      ->required()
      ->type_name("REV|FILE");
  command->add_option("--kind", arguments->kind, "what to draw, see below")->required()->type_name("NAME");
  command
      ->add_option("--output", arguments->output,
                   "file to write; PNG where it ends in .png; - is standard output")
      ->capture_default_str()
      ->type_name("FILE");
  command->add_flag("--png", arguments->png, "PNG, whatever the file is called");
  command->add_option("--case", arguments->one_case, "the case that it is about; * and ? are wildcards")
      ->type_name("ID");
  command->add_option("--metric", arguments->metric, "the metric that it is about")->type_name("NAME");
  command->add_option("--baseline", arguments->baseline, "show the comparison with this one")
      ->type_name("REV|FILE");
  command->add_option("--theme", arguments->theme, "colours")
      ->check(CLI::IsMember({"light", "dark"}))
      ->capture_default_str();
  command->add_option("--width", arguments->width, "in pixels")->check(CLI::Range(100, 10000));
  command->add_option("--height", arguments->height, "in pixels")->check(CLI::Range(100, 10000));
  command->add_option("--suite", arguments->suite, "suite name, where a revision has records of several");
  command->add_option("--store", arguments->store, "where records are: a file or postgresql://...")
      ->capture_default_str()
      ->type_name("URL");
  add_policy_options(*command, arguments->policy);
  command->footer(kinds_help());
  command->callback([&chosen, arguments] { chosen = [arguments] { return plot_command(*arguments); }; });
}

}  // namespace harness
