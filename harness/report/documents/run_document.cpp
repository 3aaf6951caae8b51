#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/model/known_metrics.h"
#include "harness/report/documents.h"
#include "harness/report/documents/identity.h"
#include "harness/report/documents/run_ci.h"
#include "harness/report/documents/run_remarks.h"
#include "harness/report/media/page/page_data.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/over_shapes.h"
#include "harness/report/schemas.h"
#include "harness/report/words/summary_words.h"

namespace harness {
namespace {

struct Unfinished {
  std::string command;
};

}  // namespace

template <>
struct Described<Unfinished> {
  static constexpr auto fields =
      list_fields<Unfinished>(JsonLayout::lines, field("command", &Unfinished::command));
};

}  // namespace harness

namespace harness::report {
namespace {

using CaseIndex = std::map<std::string_view, const CaseRecord*>;
using Summaries = std::vector<const Summary*>;

constexpr int result_block = 0;
constexpr int spread_block = 1;

// A column and how a summary fills it; left out of the table where no summary can.
struct ColumnSpec {
  Column column;
  bool present = true;
  std::function<Cell(const Summary&)> cell;
};

bool has_numbers(const Summary& summary) {
  return summary.outcome == Outcome::measured && summary.samples > 0;
}

template <class Predicate>
bool any_of(const Summaries& rows, Predicate predicate) {
  return std::any_of(rows.begin(), rows.end(), [&](const Summary* row) { return predicate(*row); });
}

std::vector<double> values_of(const Summaries& rows, double Summary::*member) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const Summary* row : rows) values.push_back(row->*member);
  return values;
}

// The same for all rows, or nothing.
template <class Member>
bool uniform(const Summaries& rows, Member Summary::*member) {
  return !any_of(rows, [&](const Summary& row) { return row.*member != rows.front()->*member; });
}

std::string interval_header(const Summaries& rows) {
  const bool same = uniform(rows, &Summary::confidence);
  return same ? plain_percent(rows.front()->confidence) + " interval" : "interval";
}

Cell speedup_cell(const Summary& row, const std::set<std::string_view>& references) {
  if (!row.speedup)
    return {references.contains(row.case_id) ? "reference" : std::string(unknown), Paint::faint};
  Paint paint = Paint::plain;
  if (row.speedup->interval && row.speedup->interval->lo > 1) paint = Paint::good;
  if (row.speedup->interval && row.speedup->interval->hi < 1) paint = Paint::doubtful;
  return {format_significant(row.speedup->ratio, 3) + "x", paint};
}

Cell speedup_bounds(const Summary& row) {
  if (!row.speedup) return {};
  return {row.speedup->interval ? bounds(*row.speedup->interval) : std::string(unknown)};
}

Cell efficiency_cell(const Summary& row) {
  if (!row.efficiency) return {};
  return {format_significant(row.efficiency->ratio, 3)};
}

Cell efficiency_bounds(const Summary& row) {
  if (!row.efficiency) return {};
  return {row.efficiency->interval ? bounds(*row.efficiency->interval) : std::string(unknown)};
}

Cell throughput_cell(double value, const Scale& scale) {
  return {value > 0 ? quantity(value, scale, 3) : std::string(unknown)};
}

Cell ceiling_cell(const Summary& row) {
  if (!row.share_of_ceiling) return {std::string(unknown)};
  const std::string text = fmt::format("{} {}", short_percent(*row.share_of_ceiling), row.bound);
  return {*row.share_of_ceiling > 1 ? text + " !" : text,
          *row.share_of_ceiling > 1 ? Paint::doubtful : Paint::plain};
}

Cell outlier_cell(const Summary& row) {
  const double share = static_cast<double>(row.far_outliers) / static_cast<double>(row.samples);
  return {fmt::format("{}/{}", row.mild_outliers, row.far_outliers),
          share > 0.05 ? Paint::doubtful : Paint::plain};
}

// The items that the throughputs count: "tokens" where all count that, otherwise "items".
std::string items_of(const Summaries& rows, const CaseIndex& cases) {
  std::set<std::string_view> names;
  for (const Summary* row : rows)
    if (const auto at = cases.find(row->case_id); at != cases.end() && row->items_per_s > 0)
      names.insert(at->second->item_name);
  return names.size() == 1 && !names.begin()->empty() ? std::string(*names.begin()) : "items";
}

std::vector<ColumnSpec> result_columns(const Summaries& rows, const Scale& time, const CaseIndex& cases) {
  std::set<std::string_view> references;
  for (const Summary* row : rows)
    if (const auto at = cases.find(row->case_id); at != cases.end()) references.insert(at->second->reference);
  const Scale flops = si_scale_for("FLOP/s", values_of(rows, &Summary::flops_per_s));
  const Scale bytes = si_scale_for("B/s", values_of(rows, &Summary::bytes_per_s));
  const Scale items = si_scale_for(items_of(rows, cases) + "/s", values_of(rows, &Summary::items_per_s));
  const bool speedups = any_of(rows, [](const Summary& row) { return row.speedup.has_value(); });
  const bool efficiencies = any_of(rows, [](const Summary& row) { return row.efficiency.has_value(); });
  const std::string interval = interval_header(rows);
  const bool same_size = uniform(rows, &Summary::processes) && uniform(rows, &Summary::samples);
  return {
      {{"centre", Align::decimal, result_block, 0},
       true,
       [=](const Summary& row) { return Cell{quantity(row.center, time)}; }},
      {{interval, Align::left, result_block, 1, true},
       true,
       [=](const Summary& row) {
         return Cell{row.interval ? bounds(*row.interval, time) : std::string(unknown)};
       }},
      {{"speedup", Align::decimal, result_block, 1},
       speedups,
       [=](const Summary& row) { return speedup_cell(row, references); }},
      {{interval, Align::left, result_block, 2, true}, speedups, speedup_bounds},
      {{"efficiency", Align::decimal, result_block, 2}, efficiencies, efficiency_cell},
      {{interval, Align::left, result_block, 2, true}, efficiencies, efficiency_bounds},
      {{flops.unit, Align::decimal, result_block, 4},
       any_of(rows, [](const Summary& row) { return row.flops_per_s > 0; }),
       [=](const Summary& row) { return throughput_cell(row.flops_per_s, flops); }},
      {{bytes.unit, Align::decimal, result_block, 5},
       any_of(rows, [](const Summary& row) { return row.bytes_per_s > 0; }),
       [=](const Summary& row) { return throughput_cell(row.bytes_per_s, bytes); }},
      {{items.unit, Align::decimal, result_block, 7, false, true},
       any_of(rows, [](const Summary& row) { return row.items_per_s > 0; }),
       [=](const Summary& row) { return throughput_cell(row.items_per_s, items); }},
      {{"of ceiling", Align::right, result_block, 3},
       any_of(rows, [](const Summary& row) { return row.share_of_ceiling.has_value(); }),
       ceiling_cell},
      {{"samples", Align::right, result_block, 6},
       !same_size,
       [](const Summary& row) { return Cell{fmt::format("{} in {}", row.samples, row.processes)}; }},
  };
}

std::vector<ColumnSpec> spread_columns(const Summaries& rows, const Scale& time) {
  const auto number = [=](std::string header, int priority, double Summary::*member, int digits = 4) {
    return ColumnSpec{{std::move(header), Align::decimal, spread_block, priority},
                      true,
                      [=](const Summary& row) { return Cell{quantity(row.*member, time, digits)}; }};
  };
  return {
      number("median", 0, &Summary::median),
      number("mean", 2, &Summary::mean),
      number("sd", 3, &Summary::sd, 3),
      {{"CV", Align::decimal, spread_block, 4},
       true,
       [](const Summary& row) { return Cell{short_percent(row.cv)}; }},
      number("min", 5, &Summary::min),
      number("p95", 7, &Summary::p95),
      number("p99", 8, &Summary::p99),
      number("max", 6, &Summary::max),
      {{"outliers", Align::right, spread_block, 9}, true, outlier_cell},
      {{"first call", Align::decimal, spread_block, 1},
       any_of(rows, [](const Summary& row) { return row.first_call.has_value(); }),
       [=](const Summary& row) {
         return Cell{row.first_call ? quantity(*row.first_call, time) : std::string(unknown)};
       }},
  };
}

// Every sample of a case is the same: a size, a bound, a number of launches. A time that was taken once, or
// by a coarse clock, has an unknown spread.
bool without_spread(const Summaries& rows) {
  return !(seconds_per_unit(rows.front()->unit) > 0) &&
         !any_of(rows, [](const Summary& row) { return row.sd != 0 || row.min != row.max; });
}

// Such cases are only listed, because their intervals have no width.
std::vector<ColumnSpec> value_columns(const Summaries& rows, const Scale& scale) {
  std::set<std::string_view> references;
  for (const Summary* row : rows)
    if (row->speedup) references.insert(row->speedup->reference);
  const bool gains =
      any_of(rows, [](const Summary& row) { return row.speedup && std::abs(row.speedup->ratio - 1) > 1e-9; });
  return {{{"value", Align::decimal, result_block, 0},
           true,
           [=](const Summary& row) { return Cell{quantity(row.median, scale)}; }},
          {{"gain", Align::decimal, result_block, 1}, gains, [=](const Summary& row) {
             return speedup_cell(row, references);
           }}};
}

Grid make_grid(const Summaries& rows, const Scale& time, const CaseIndex& cases) {
  std::vector<ColumnSpec> specs;
  if (without_spread(rows)) {
    specs = value_columns(rows, time);
  } else {
    specs = result_columns(rows, time, cases);
    for (ColumnSpec& spec : spread_columns(rows, time)) specs.push_back(std::move(spec));
  }
  specs.erase(
      std::remove_if(specs.begin(), specs.end(), [](const ColumnSpec& spec) { return !spec.present; }),
      specs.end());
  Grid grid;
  grid.label_header = "case";
  for (const ColumnSpec& spec : specs) grid.columns.push_back(spec.column);
  std::vector<NamedCase> names;
  names.reserve(rows.size());
  for (const Summary* row : rows) {
    const auto known = cases.find(row->case_id);
    names.push_back(known == cases.end() ? NamedCase{row->case_id, {}} : named(*known->second));
  }
  for (CaseGroup& group : group_cases(names)) {
    Section section{std::move(group.heading), Paint::faint, {}, true};
    for (Member& member : group.members) {
      GridRow row{std::move(member.label), {}, names[member.index].id};
      for (const ColumnSpec& spec : specs) row.cells.push_back(spec.cell(*rows[member.index]));
      section.rows.push_back(std::move(row));
    }
    grid.sections.push_back(std::move(section));
  }
  return grid;
}

Direction direction_of(const CaseIndex& cases, const Summary& summary) {
  const auto at = cases.find(summary.case_id);
  if (at == cases.end()) return Direction::lower_is_better;
  for (const Series& series : at->second->series)
    if (series.metric == summary.metric) return series.direction;
  return Direction::lower_is_better;
}

std::string title_of(const Summaries& rows, const Scale& time, const CaseIndex& cases) {
  const Summary& first = *rows.front();
  std::string title = first.metric;
  if (!time.unit.empty()) title += ", in " + time.unit;
  title += fmt::format(" ({} is better)", name_of(direction_of(cases, first)));
  if (without_spread(rows) && any_of(rows, [](const Summary& row) { return row.samples > 1; }))
    title += "; the same in every sample";
  else if (uniform(rows, &Summary::processes) && uniform(rows, &Summary::samples))
    title += fmt::format("; {} in {} a case", counted(first.samples, "sample", "samples"),
                         counted(static_cast<std::size_t>(first.processes), "process", "processes"));
  return title;
}

// Whether a value only informs, by the gate of its case and by what is known of the metric.
bool only_informs(const CaseIndex& cases, const Summary& summary) {
  const auto at = cases.find(summary.case_id);
  if (at == cases.end()) return informs_by_default(summary.metric);
  for (const MetricGate& gate : at->second->gate.metrics)
    if (gate.metric == summary.metric ||
        (gate.metric == time_metric.name && is_time_of_device(summary.metric)))
      return gate.informative;
  const auto& series = at->second->series;
  return informs_by_default(summary.metric) ||
         std::any_of(series.begin(), series.end(),
                     [&](const Series& one) { return one.metric == summary.metric && one.informs; });
}

// One table a metric and unit, in order of first appearance; metrics that decide come first.
std::vector<Table> make_tables(const std::vector<Summary>& summaries, const CaseIndex& cases) {
  std::vector<Summaries> by_metric;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const Summary& summary : summaries) {
    if (!has_numbers(summary)) continue;
    const auto [at, is_new] = known.try_emplace({summary.metric, summary.unit}, by_metric.size());
    if (is_new) by_metric.emplace_back();
    by_metric[at->second].push_back(&summary);
  }
  std::stable_partition(by_metric.begin(), by_metric.end(), [&](const Summaries& rows) {
    return any_of(rows, [&](const Summary& row) { return !only_informs(cases, row); });
  });
  std::vector<Table> tables;
  for (const Summaries& rows : by_metric) {
    const Scale time = scale_for(rows.front()->unit, values_of(rows, &Summary::center));
    tables.push_back({title_of(rows, time, cases), make_grid(rows, time, cases)});
  }
  return tables;
}

// Exactly equal on every shape, such as a metric that the variants share.
bool all_alike(const std::vector<SpeedupOverShapes>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const SpeedupOverShapes& row) {
    return std::abs(row.least.value - 1) < 1e-9 && std::abs(row.most.value - 1) < 1e-9;
  });
}

// One table a metric.
std::vector<Table> speedup_tables(const std::vector<SpeedupOverShapes>& speedups) {
  std::vector<std::string> metrics;
  for (const SpeedupOverShapes& one : speedups)
    if (std::find(metrics.begin(), metrics.end(), one.metric) == metrics.end()) metrics.push_back(one.metric);
  std::vector<Table> tables;
  for (const std::string& metric : metrics) {
    std::vector<SpeedupOverShapes> rows;
    std::copy_if(speedups.begin(), speedups.end(), std::back_inserter(rows),
                 [&](const SpeedupOverShapes& one) { return one.metric == metric; });
    if (!all_alike(rows)) tables.push_back({metric + ": speedup over all shapes", over_shapes_grid(rows)});
  }
  return tables;
}

void add_tables(Document& document, const Record& record, const std::vector<Summary>& summaries) {
  CaseIndex cases;
  for (const CaseRecord& one : record.cases) cases.emplace(one.id, &one);
  Prose legend;
  std::vector<Table> tables = make_tables(summaries, cases);
  if (!tables.empty()) legend = run_legend(summaries);
  const std::vector<Table> speedups = speedup_tables(speedups_over_shapes(record, summaries));
  if (!speedups.empty()) {
    legend.columns.resize(legend.lines.size() + 1);
    legend.lines.emplace_back(
        "speedup over all shapes: the geometric mean suits ratios best. The interval of each mean, and of "
        "the "
        "median, is that figure of the shapes' bounds. Conservative: it assumes fully correlated errors.");
  }
  tables.insert(tables.end(), speedups.begin(), speedups.end());
  for (Table& table : tables) document.blocks.push_back({std::move(table)});
  document.blocks.push_back({std::move(legend), Place::about});
}

}  // namespace

Report run_document(const Record& record, const std::vector<Summary>& summaries, const Sources& sources) {
  const std::vector<Unmeasured> unmeasured = unmeasured_cases(summaries);
  const bool healthy = std::all_of(unmeasured.begin(), unmeasured.end(),
                                   [](const Unmeasured& some) { return is_harmless(some.outcome); });
  Sources all = sources;
  if (all.current.record == nullptr) all.current = {&record, &summaries};
  Document document;
  document.title = page_title(nullptr, all);
  document.headline = run_headline(record, summaries, unmeasured);
  document.tone = healthy ? Paint::strong : Paint::bad;
  document.marked = !healthy;
  document.facts = run_facts(record);
  document.about = "where and how this was measured";
  document.command = sources.command.empty() ? "harness report " + shell_quoted(record.id) : sources.command;
  add_tables(document, record, summaries);
  if (const std::string remark = first_call_remark(record, summaries); !remark.empty())
    document.blocks.push_back({Prose{{remark}, Paint::plain, {"first call"}}});
  for (const Unmeasured& some : unmeasured) {
    const bool skipped = is_harmless(some.outcome);
    document.blocks.push_back(
        {Reasons{skipped ? quiet_name(some.outcome) : loud_name(some.outcome), some.count, some.reasons,
                 !skipped, skipped ? Paint::strong : Paint::bad},
         skipped ? Place::folded : Place::urgent});
  }
  document.blocks.push_back({Reasons{"notes", 0, grouped_notes(summaries)}});
  return {std::move(document), [&] { return run_ci(record, summaries); },
          [&] { return without_commands(run_report(record, summaries)); },
          [all](std::size_t room) { return page_data(nullptr, all, room); }};
}

Report unfinished_document(const std::string& command) {
  const std::string headline = "UNFINISHED: the command has not ended";
  Document document{.title = "unfinished", .headline = headline, .tone = Paint::bad, .marked = true};
  document.command = command;
  Grid grid{
      "", "command", {{"state", Align::left}}, {{"", Paint::bad, {{command, {{"unfinished", Paint::bad}}}}}}};
  document.blocks.push_back({Table{"", std::move(grid)}});
  const auto ci = [=] {
    CiView view{"unfinished"};
    CiCase whole{"(the whole command)", {}, CiState::error, "unfinished", headline, command};
    whole.alarm = Alarm::error;
    whole.label = "unfinished";
    whole.explanation = command;
    view.cases.push_back(std::move(whole));
    return view;
  };
  return {std::move(document), ci, [=] { return report_json(Unfinished{command}, formats::unfinished); }};
}

std::string unfinished_schema() {
  return schema_text(Described<Unfinished>::fields, formats::unfinished);
}

}  // namespace harness::report
