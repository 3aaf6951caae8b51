#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/deciding_waivers.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/plot/draw_plot.h"
#include "harness/model/code/shifted_process.h"
#include "harness/report/media/page/page_data.h"
#include "harness/verdict/compare.h"
#include "harness/verdict/read/summarize.h"

namespace harness {
namespace {

struct PlotArguments {
  std::string record;
  std::string output = "-";
  std::string baseline;
  SelectionOptions from;
  PlotOrder order;
  PolicyOptions policy;
};

// Both sides and their comparison, kept while the document is made.
struct Plotted {
  Record current;
  std::optional<Record> baseline;
  std::optional<Comparison> comparison;
};

Result<const PlotKind*> parse_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const PlotKind& kind : plot_kinds()) {
    if (kind.name == name) return &kind;
    names.emplace_back(kind.name);
  }
  return fail(ErrorKind::usage, fmt::format("unknown kind of plot `{}`", printable(name)),
              suggestion(name, names));
}

Status check_kind(const PlotArguments& arguments) {
  if (!arguments.order.kind->of_a_comparison || !arguments.baseline.empty()) return {};
  return fail(ErrorKind::usage, fmt::format("--kind {} shows a comparison", arguments.order.kind->name),
              "name what to compare with: --baseline REV|FILE");
}

std::string ending_of(const std::string& path) {
  return to_lower(std::filesystem::path(path).extension().string());
}

Status check_output(const PlotArguments& arguments) {
  if (arguments.output == "-") return {};
  const std::string ending = ending_of(arguments.output);
  if (!arguments.order.png && !ending.empty() && ending != ".svg" && ending != ".png")
    return fail(ErrorKind::usage,
                fmt::format("--output {}: plots are not written as {}", printable(arguments.output),
                            printable(ending)),
                "name a file that ends in .svg or .png");
  const std::vector<std::string> inputs = all_of({{arguments.record, arguments.baseline},
                                                  store_files(arguments.from.store.url),
                                                  {arguments.policy.waivers_file("")}});
  if (const Status spared = check_spares("--output", arguments.output, inputs); !spared) return spared;
  return check_writable(arguments.output);
}

Status check_arguments(const PlotArguments& arguments) {
  if (const Status checked = check_kind(arguments); !checked) return checked;
  if (const Status used = arguments.policy.check_used(arguments.baseline); !used) return used;
  if (const Status checked = check_output(arguments); !checked) return checked;
  return check_can_draw();
}

std::vector<std::string> case_names(const Record& record) {
  std::vector<std::string> names;
  for (const CaseRecord& one : record.cases) names.push_back(one.id);
  return names;
}

// Replaces wildcards by the one case that they match.
Status resolve_wildcards(PlotOrder& order, const std::vector<std::string>& names) {
  const std::string& pattern = order.one_case;
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
  order.one_case = matching.front();
  return {};
}

// A kind of one case takes the only one there is; a name must be one of the record's.
Status choose_case(PlotOrder& order, const Record& record) {
  const std::vector<std::string> names = case_names(record);
  if (order.one_case.empty() && order.kind->of_one_case) {
    if (names.size() != 1)
      return fail(ErrorKind::usage, fmt::format("--kind {} shows one case", order.kind->name),
                  fmt::format("name it with --case; the record has {}, the first is {}", names.size(),
                              names.empty() ? "none" : shell_quoted(names.front())));
    order.one_case = names.front();
  }
  return order.one_case.empty() ? Status{} : resolve_wildcards(order, names);
}

Status check_metric(const PlotOrder& order, const Record& record) {
  std::vector<std::string> metrics;
  for (const CaseRecord& one : record.cases)
    for (const Series& series : one.series)
      if (order.one_case.empty() || one.id == order.one_case)
        if (std::find(metrics.begin(), metrics.end(), series.metric) == metrics.end())
          metrics.push_back(series.metric);
  if (order.metric.empty() || std::find(metrics.begin(), metrics.end(), order.metric) != metrics.end())
    return {};
  return fail(
      ErrorKind::usage,
      fmt::format("--metric: {} has no `{}`",
                  order.one_case.empty() ? "the record" : printable(order.one_case), printable(order.metric)),
      suggestion(order.metric, metrics));
}

Checked<Plotted> read_sides(const PlotArguments& arguments) {
  if (const auto policy = arguments.policy.policy(); !policy) return fail_checked(policy.error());
  const auto store = open_for_reading(arguments.from.store);
  if (!store) return fail_checked(store.error());
  const SelectOptions select = arguments.from.select();
  Result<Selected> current = select_current(**store, arguments.record, select);
  if (!current) return fail_checked(current.error());
  Plotted plotted;
  if (!arguments.baseline.empty()) {
    Checked<Policy> policy = policy_in_force(**store, arguments.policy, current->record);
    if (!policy) return tl::unexpected(policy.error());
    Result<Selected> baseline =
        select_baseline(**store, arguments.baseline, *current, judged_by(*policy, select));
    if (!baseline) return fail_checked(baseline.error());
    if (const Status decided = decide_waivers(*policy, baseline->source, current->source); !decided)
      return fail_checked(decided.error());
    const std::vector<std::string> inputs{policy->waivers_file};
    if (const Status spared = check_spares("--output", arguments.output, inputs); !spared)
      return fail_checked(spared.error());
    plotted.comparison = compare(baseline->record, current->record, *policy);
    plotted.comparison->baseline = baseline->source;
    plotted.comparison->current = current->source;
    plotted.baseline = without_shifted(std::move(baseline->record));
  }
  plotted.current = without_shifted(std::move(current->record));
  return plotted;
}

std::string document_of(const Plotted& plotted, const CommandLine& line) {
  const std::vector<Summary> after = summarize(plotted.current);
  Sources sources{{}, {&plotted.current, &after}, line.text()};
  if (!plotted.comparison) return report::page_document(nullptr, sources);
  const std::vector<Summary> before = summarize(*plotted.baseline);
  sources.baseline = {&*plotted.baseline, &before};
  return report::page_document(&*plotted.comparison, sources);
}

int plot_command(const PlotArguments& given, const CommandLine& line) {
  PlotArguments arguments = given;
  PlotOrder& order = arguments.order;
  order.png |= ending_of(arguments.output) == ".png";
  if (const Status checked = check_arguments(arguments); !checked) return report_error(checked.error());
  const Checked<Plotted> plotted = read_sides(arguments);
  if (!plotted) return report_errors(plotted.error());
  if (const Status chosen = choose_case(order, plotted->current); !chosen)
    return report_error(chosen.error());
  if (const Status checked = check_metric(order, plotted->current); !checked)
    return report_error(checked.error());
  const Result<std::string> picture = draw_plot(order, document_of(*plotted, line));
  if (!picture) return report_error(picture.error());
  const Status written =
      arguments.output == "-" ? print_whole(*picture) : write_file_atomically(arguments.output, *picture);
  return written ? exit_ok : report_error(written.error());
}

std::string kinds_help() {
  std::string text = "Kinds:\n";
  for (const PlotKind& kind : plot_kinds())
    text += fmt::format("  {:<13} {}{}\n", kind.name, kind.shows, kind.of_one_case ? "; needs --case" : "");
  return text +
         "A plot without data is an error that names the missing data.\n"
         "Needs Node.js; PNG also rsvg-convert (Debian, Ubuntu: librsvg2-bin).";
}

}  // namespace

void add_plot(Commands& commands) {
  auto& [command, arguments] = commands.add("plot", "Draw one plot of a record as SVG or PNG", plot_command);
  PlotOrder& order = arguments.order;
  command.add_option("record", arguments.record, "revision or record file")
      ->required()
      ->type_name("REV|FILE");
  add_typed(command, "--kind", order.kind, parse_kind, "what to draw, see below")
      ->required()
      ->type_name("NAME");
  command
      .add_option("--output", arguments.output, "file to write; PNG if it ends in .png; - is standard output")
      ->capture_default_str()
      ->type_name("FILE");
  command.add_flag("--png", order.png, "write PNG, whatever the file name");
  command.add_option("--case", order.one_case, "case to draw; * and ? are wildcards")->type_name("ID");
  command.add_option("--metric", order.metric, "metric to draw")->type_name("NAME");
  command.add_option("--baseline", arguments.baseline, "revision or record file to compare with")
      ->type_name("REV|FILE");
  add_choice(command, "--theme", order.theme, "colours");
  command.add_option("--width", order.width, "in pixels")->check(whole_number(100, 10000));
  command.add_option("--height", order.height, "in pixels")->check(whole_number(100, 10000));
  arguments.from.add_to(command);
  arguments.policy.add_to(command);
  command.footer(kinds_help());
  add_examples(command, {"harness plot tuesday.json --kind interval --case '*/n=64' --baseline monday.json "
                         "--output change.svg"});
}

}  // namespace harness
