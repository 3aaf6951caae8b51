#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/report/documents.h"
#include "harness/report/documents/comparison/comparison_ci.h"
#include "harness/report/documents/comparison/comparison_headline.h"
#include "harness/report/documents/comparison/comparison_remarks.h"
#include "harness/report/documents/comparison/standing.h"
#include "harness/report/documents/identity.h"
#include "harness/report/media/page/page_data.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/row_change.h"
#include "harness/report/words/change/change_cause_words.h"
#include "harness/report/words/policy_words.h"
#include "harness/report/words/reason_words.h"

namespace harness::report {
namespace {

constexpr std::size_t rows_a_part = 1024;  // put into words by a thread at a time

std::pair<std::pair<int, int>, int> processes_of(const ComparisonRow& row) {
  return {{row.baseline.processes, row.current.processes}, row.look.number};
}

// The same in all rows that are shown.
template <class Value>
bool uniform(const Comparison& comparison, Value value) {
  const ComparisonRow* first = nullptr;
  for (const ComparisonRow& row : comparison.rows) {
    if (!is_shown(row)) continue;
    if (first == nullptr) first = &row;
    if (value(row) != value(*first)) return false;
  }
  return true;
}

// "98 % interval" where all rows have it at one level.
std::string interval_header(const Comparison& comparison) {
  double alpha = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.interval) continue;
    if (alpha != 0 && alpha_to_pass(row) != alpha) return "interval";
    alpha = alpha_to_pass(row);
  }
  return alpha == 0 ? "interval" : level_text(alpha) + " interval";
}

// "13.16 us": the centre of a side.
std::string value_of(const Side& side, const std::string& unit) {
  if (side.processes == 0 || !std::isfinite(side.center)) return std::string(unknown);
  return format_quantity(side.center, unit);
}

GridRow make_row(const ComparisonRow& row, std::string label, std::string name) {
  const bool decided =
      decides(row) && (row.verdict == Verdict::regressed || row.verdict == Verdict::improved);
  const bool improved = row.verdict == Verdict::improved;  // its p asks "better", the others' "worse"
  const Paint strength = decided ? paint_for(row.verdict) : Paint::plain;
  const bool detectable =
      row.minimum_detectable && std::fabs(*row.minimum_detectable) < most_bounds_apart - 1;
  return {std::move(label),
          {{value_of(row.baseline, row.unit)},
           {value_of(row.current, row.unit)},
           {change_words(row), strength},
           {interval_words(row)},
           {margin_words(row)},
           {probability(improved ? row.p_improved_adjusted : row.p_adjusted)},
           {detectable ? short_percent(std::fabs(*row.minimum_detectable)) : std::string(unknown)},
           {fmt::format("{}/{}{}", row.baseline.processes, row.current.processes, look_words(row))},
           {probability(improved ? row.p_improved : row.p)}},
          std::move(name)};
}

// Whether a row is shown as deciding (0), as waived (1) or as informative (2).
int part_of(const ComparisonRow& row) {
  if (row.informative) return 2;
  return decides(row) ? 0 : 1;
}

// Changed rows come before unchanged ones, whether or not they decide.
constexpr std::size_t places = 4;
std::size_t place_of(const ComparisonRow& row) {
  if (part_of(row) == 2) return 3;
  if (part_of(row) == 1) return 1;
  return row.verdict == Verdict::unchanged || row.verdict == Verdict::not_worse ? 2 : 0;
}

std::string heading_of(const ComparisonRow& row) {
  std::string text = words_for(row.verdict);
  if (part_of(row) == 1) return text + ", but waived";
  if (part_of(row) == 2) return "informative: " + text;
  if (paint_for(row.verdict) == Paint::bad)
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

Paint heading_paint(const ComparisonRow& row) {
  if (part_of(row) == 1) return Paint::doubtful;
  if (part_of(row) == 2) return row.verdict == Verdict::unchanged ? Paint::faint : Paint::plain;
  return paint_for(row.verdict);
}

// The rows that have numbers, as they are shown.
std::vector<std::size_t> shown_rows(const Comparison& comparison) {
  std::array<std::vector<std::size_t>, places> by_place;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i)
    if (is_shown(comparison.rows[i])) by_place[place_of(comparison.rows[i])].push_back(i);
  std::vector<std::size_t> shown;
  for (const std::vector<std::size_t>& some : by_place) shown.insert(shown.end(), some.begin(), some.end());
  return shown;
}

Grid make_grid(const Comparison& comparison, const RowNames& name_of) {
  Grid grid;
  grid.label_header = "case";
  grid.columns = {{"baseline", Align::decimal, 0, 3},
                  {"current", Align::decimal, 0, 2},
                  {"change", Align::decimal, 0, 0},
                  {interval_header(comparison), Align::left, 0, 1, true},
                  {"margin", Align::decimal, 0, 4, false, true},
                  {"adjusted p", Align::decimal, 0, 5, false, true},
                  {"detectable", Align::decimal, 0, 6, false, true},
                  {"processes", Align::right, 0, 7, false, true},
                  {"p", Align::decimal, 0, 8, false, true}};
  const std::vector<std::size_t> shown = shown_rows(comparison);
  std::vector<std::string> names;
  names.reserve(shown.size());
  for (const std::size_t i : shown) names.push_back(name_of(comparison.rows[i]));
  Shared shared = factor_ids(names);
  grid.shared = shared.pattern;
  for (const std::size_t i : shown) {
    const ComparisonRow& row = comparison.rows[i];
    const std::string heading = heading_of(row);
    if (grid.sections.empty() || grid.sections.back().heading != heading)
      grid.sections.push_back({heading, heading_paint(row), {}});
    grid.sections.back().rows.emplace_back();
  }
  std::vector<GridRow*> rows;
  rows.reserve(shown.size());
  for (Section& section : grid.sections)
    for (GridRow& row : section.rows) rows.push_back(&row);
  for_each_index((rows.size() + rows_a_part - 1) / rows_a_part, 0, [&](std::size_t part) {
    const std::size_t end = std::min((part + 1) * rows_a_part, rows.size());
    for (std::size_t i = part * rows_a_part; i < end; ++i)
      *rows[i] = make_row(comparison.rows[shown[i]], std::move(shared.labels[i]), std::move(names[i]));
  });
  return grid;
}

Prose legend_of(const Comparison& comparison, const Grid& grid) {
  Prose legend;
  const auto explain = [&](const char* column, const char* words) {
    legend.columns.emplace_back(column);
    legend.lines.push_back(fmt::format("{}: {}", column, words));
  };
  if (!grid.sections.empty()) {
    explain("change", "current over baseline, of the geometric means of one value a process.");
    explain("detectable", "the smallest true change that this comparison finds in 4 of 5 runs.");
  }
  if (!uniform(comparison, processes_of)) explain("processes", "baseline/current.");
  return legend;
}

// Prints this comparison again.
std::string command_of(const Comparison& comparison, const Sources& sources) {
  if (!sources.command.empty()) return sources.command;
  return fmt::format("harness compare --baseline {} --current {}", name_of_side(comparison.baseline),
                     name_of_side(comparison.current));
}

template <class Fact>
std::vector<std::string> all_words(const std::vector<Fact>& facts) {
  std::vector<std::string> lines;
  for (const Fact& fact : facts) lines.push_back(words(fact));
  return lines;
}

std::vector<Finding> waiver_findings(const Comparison& comparison) {
  std::vector<Finding> findings;
  for (const WaiverNote& note : waiver_notes(comparison)) {
    Finding finding{{note.pattern}};
    finding.text = note.text;
    finding.text_paint = note.paint;
    finding.advice = note.advice;
    finding.where = note.where;
    findings.push_back(std::move(finding));
  }
  return findings;
}

// The code of the kernels that make rows worse or better, each once. JSON and the page have all.
constexpr std::size_t most_kernels = 3;
void add_code(const Comparison& comparison, Document& document) {
  std::set<std::string> shown;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.causes == nullptr) continue;
    for (Table& table : code_tables(*row.causes)) {
      if (shown.size() == most_kernels || !shown.insert(table.title).second) continue;
      document.blocks.push_back({std::move(table), Place::folded});
    }
  }
}

}  // namespace

std::string name_of_side(const RecordSource& source) {
  const std::string path = source.found.code == SourceCode::file ? source.found.text("path") : std::string();
  return shell_quoted(path.empty() ? source.id : path);
}

Report comparison_document(const Comparison& comparison, const Sources& sources) {
  Document document;
  document.title = page_title(&comparison, sources);
  document.headline = fmt::format("{}; exit {}", comparison_headline(comparison), exit_code(comparison));
  document.tone = is_first(comparison) ? Paint::faint : paint_for(comparison.verdict);
  document.marked = true;
  document.facts = comparison_facts(comparison);
  document.command = command_of(comparison, sources);
  document.unfolds = sources.unfolds;
  const RowNames name_of(comparison);
  Grid grid = make_grid(comparison, name_of);
  Prose legend = legend_of(comparison, grid);
  Explanations why = comparison_explanations(comparison, name_of);
  List common{"for several of these results", take_common_advice(why.deciding)};
  document.blocks = {{Table{"", std::move(grid), true}},
                     {std::move(legend)},
                     {Findings{"why", std::move(why.deciding)}},
                     {std::move(common)},
                     {List{"the environments differ", all_words(comparison.differences), false}},
                     {Findings{"why", std::move(why.others)}, Place::folded},
                     {identical_results(comparison, name_of), Place::folded},
                     {Findings{"waivers", waiver_findings(comparison)}},
                     {List{"about this comparison", all_words(comparison.remarks)}}};
  add_code(comparison, document);
  document.next_steps = next_steps(comparison);
  document.exit_meaning = exit_code_meaning(comparison);
  Report report{std::move(document), [&comparison] { return comparison_ci(comparison); },
                [&comparison] { return without_commands(comparison_report(comparison)); }};
  if (sources.current.record != nullptr && sources.current.summaries != nullptr)
    report.page = [&comparison, sources](std::size_t room) { return page_data(&comparison, sources, room); };
  return report;
}

}  // namespace harness::report
