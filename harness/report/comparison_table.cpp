#include "harness/report/comparison_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/report/comparison_remarks.h"
#include "harness/report/identity.h"
#include "harness/report/numbers.h"

namespace harness::report {
namespace {

std::pair<int, int> processes_of(const ComparisonRow& row) {
  return {row.baseline.processes, row.current.processes};
}

// The same in all rows that have numbers.
template <class Value>
bool uniform(const Comparison& comparison, Value value) {
  const ComparisonRow* first = nullptr;
  for (const ComparisonRow& row : comparison.rows) {
    if (!has_numbers(row)) continue;
    if (first == nullptr) first = &row;
    if (value(row) != value(*first)) return false;
  }
  return true;
}

// "98 % interval" where all rows share their alpha: the interval is at 1 - 2 alpha.
std::string interval_header(const Comparison& comparison) {
  double alpha = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.interval) continue;
    if (alpha != 0 && row.alpha != alpha) return "interval";
    alpha = row.alpha;
  }
  return alpha == 0 ? "interval" : plain_percent(1 - 2 * alpha) + " interval";
}

bool has_numbers(const ComparisonRow& row) {
  return std::isfinite(row.ratio) && row.ratio > 0;
}

GridRow make_row(const ComparisonRow& row, const std::string& label) {
  const bool decided = row.verdict == Verdict::regressed || row.verdict == Verdict::improved;
  const bool improved = row.verdict == Verdict::improved;  // its p asks "better", the others' "worse"
  const Paint strength = decided ? paint_for(row.verdict) : Paint::plain;
  const bool detectable = row.minimum_detectable && std::isfinite(*row.minimum_detectable);
  return {label,
          {{signed_percent(row.ratio - 1), strength},
           {row.interval ? percent_bounds(*row.interval) : std::string(unknown)},
           {plain_percent(row.margin)},
           {probability(improved ? row.p_improved : row.p)},
           {probability(improved ? row.p_improved_adjusted : row.p_adjusted)},
           {fmt::format("{}/{}", row.baseline.processes, row.current.processes)},
           {detectable ? short_percent(std::fabs(*row.minimum_detectable)) : std::string(unknown)}}};
}

std::string heading_of(Verdict verdict) {
  std::string text = words_for(verdict);
  if (paint_for(verdict) == Paint::bad)
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

Grid make_grid(const Comparison& comparison) {
  Grid grid;
  grid.label_header = "case";
  const bool same_margin = uniform(comparison, [](const ComparisonRow& row) { return row.margin; });
  const bool same_processes = uniform(comparison, processes_of);
  grid.columns = {{"change", Align::decimal, 0, 0},
                  {interval_header(comparison), Align::left, 0, 1, true},
                  {"margin", Align::decimal, 0, 4, false, same_margin},
                  {"p", Align::decimal, 0, 6, false, true},
                  {"adjusted p", Align::decimal, 0, 2},
                  {"processes", Align::right, 0, 5, false, same_processes},
                  {"detectable", Align::decimal, 0, 3}};
  std::vector<const ComparisonRow*> rows;
  std::vector<std::string> names;
  const std::vector<std::string> all_names = row_names(comparison);
  for (std::size_t i = 0; i < comparison.rows.size(); ++i)
    if (has_numbers(comparison.rows[i])) {
      rows.push_back(&comparison.rows[i]);
      names.push_back(all_names[i]);
    }
  const Shared shared = factor_ids(names);
  grid.shared = shared.pattern;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Verdict verdict = rows[i]->verdict;
    if (i == 0 || rows[i - 1]->verdict != verdict)
      grid.sections.push_back({heading_of(verdict), paint_for(verdict), {}});
    grid.sections.back().rows.push_back(make_row(*rows[i], shared.labels[i]));
  }
  return grid;
}

}  // namespace

ComparisonReport describe_comparison(const Comparison& comparison) {
  ComparisonReport report;
  report.headline = comparison_headline(comparison);
  report.tally = comparison_tally(comparison);
  report.facts = comparison_facts(comparison);
  report.grid = make_grid(comparison);
  if (!report.grid.sections.empty())
    report.legend.emplace_back(
        "change: current over baseline, of the geometric means of one value a process. detectable: the "
        "smallest true change that this comparison finds in 4 of 5 runs.");
  if (!uniform(comparison, processes_of)) report.legend.emplace_back("processes: baseline/current.");
  report.explanations = comparison_explanations(comparison);
  report.differences = comparison.differences;
  report.next = next_steps(comparison);
  report.exit_meaning = exit_code_meaning(comparison);
  return report;
}

}  // namespace harness::report
