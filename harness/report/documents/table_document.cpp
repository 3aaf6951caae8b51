#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/filter.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/model/known_metrics.h"
#include "harness/model/record_fields.h"
#include "harness/report/documents.h"
#include "harness/report/documents/identity.h"
#include "harness/report/documents/run_remarks.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/schema/formats.h"

namespace harness::report {
namespace {

// The table as JSON holds it.
struct TableCase {
  std::string case_id, metric, unit;
  double value = 0;
};

struct TableJson {
  std::string record;
  SuiteIdentity suite;
  Revision revision;
  Shown shown = Shown::time;
  std::vector<TableCase> cases;
};

}  // namespace
}  // namespace harness::report

namespace harness {

template <>
struct Described<report::TableCase> {
  using Case = report::TableCase;
  static constexpr auto fields =
      list_fields<Case>(JsonLayout::lines, field("case", &Case::case_id), field("metric", &Case::metric),
                        field("unit", &Case::unit), field("value", &Case::value).null_when_default());
};

template <>
struct Described<report::TableJson> {
  using Table = report::TableJson;
  static constexpr auto fields = list_fields<Table>(
      JsonLayout::lines, field("record", &Table::record), field("suite", &Table::suite),
      field("revision", &Table::revision), field("shown", &Table::shown), field("cases", &Table::cases));
};

}  // namespace harness

namespace harness::report {
namespace {

struct Entry {
  const CaseRecord* one = nullptr;
  const Summary* summary = nullptr;
};

bool is_time(const Summary& summary) {
  return seconds_per_unit(summary.unit) > 0 && summary.metric.ends_with("_time") &&
         find_built_in(summary.metric) == nullptr;
}

std::vector<Entry> entries_of(const Record& record, const std::vector<Summary>& summaries,
                              const std::vector<std::string>& filters) {
  std::map<std::string_view, const CaseRecord*> cases;
  for (const CaseRecord& one : record.cases) cases.emplace(one.id, &one);
  std::vector<Entry> entries;
  for (const Summary& summary : summaries) {
    const auto at = cases.find(summary.case_id);
    if (at == cases.end() || summary.outcome != Outcome::measured || summary.samples == 0) continue;
    if (passes_filters(filters, summary.case_id) && is_time(summary))
      entries.push_back({at->second, &summary});
  }
  return entries;
}

double figure_of(const Summary& summary, Shown shown) {
  switch (shown) {
    case Shown::time: return summary.center;
    case Shown::speedup: return summary.speedup ? summary.speedup->ratio : 0;
    case Shown::flops: return summary.flops_per_s;
    case Shown::bytes: return summary.bytes_per_s;
    case Shown::items: return summary.items_per_s;
    case Shown::share: return summary.share_of_ceiling.value_or(0);
  }
  return 0;
}

// The unit of all cells, or one without a unit where each brings its own.
Scale scale_of(const std::vector<Entry>& entries, Shown shown) {
  std::vector<double> values;
  std::set<std::string> items;
  for (const Entry& entry : entries) {
    values.push_back(figure_of(*entry.summary, shown));
    items.insert(entry.one->item_name);
  }
  const std::string item = items.size() == 1 && !items.begin()->empty() ? *items.begin() : "items";
  switch (shown) {
    case Shown::time: return scale_for(entries.front().summary->unit, values);
    case Shown::flops: return si_scale_for("FLOP/s", values);
    case Shown::bytes: return si_scale_for("B/s", values);
    case Shown::items: return si_scale_for(item + "/s", values);
    default: return {};
  }
}

std::string cell_of(const Entry& entry, Shown shown, const Scale& scale,
                    const std::set<std::string_view>& references) {
  const double value = figure_of(*entry.summary, shown);
  if (shown == Shown::speedup && references.contains(entry.one->id)) return "reference";
  if (!(value > 0)) return std::string(unknown);
  if (shown == Shown::share) return short_percent(value);
  if (shown != Shown::speedup) return quantity(value, scale, shown == Shown::time ? 4 : 3);
  const std::string ratio = format_significant(value, 3) + "x";
  const auto& interval = entry.summary->speedup->interval;
  return interval ? ratio + " " + bounds(*interval) : ratio;
}

std::string what_is_shown(Shown shown, const Scale& scale) {
  if (shown == Shown::speedup) return "Speedup over the reference, with its interval";
  if (shown == Shown::share) return "Share of the measured ceiling";
  return scale.unit.empty() ? "Centre" : "In " + scale.unit;
}

// A row a workload and parameters, a column a variant, both in order of appearance.
Grid grid_of(const std::vector<Entry>& entries, Shown shown, const Scale& scale) {
  std::set<std::string_view> references;
  for (const Entry& entry : entries) references.insert(entry.one->reference);
  std::vector<std::string> points;
  std::vector<std::string> variants;
  std::set<std::string> known_points, known_variants;
  std::map<std::pair<std::string, std::string>, std::string> cells;
  const auto note = [](std::vector<std::string>& names, std::set<std::string>& known,
                       const std::string& name) {
    if (known.insert(name).second) names.push_back(name);
  };
  for (const Entry& entry : entries) {
    const bool imported = entry.one->variant.empty();  // another tool's case has only an id
    const std::string point =
        imported ? entry.one->id : entry.one->workload + "/" + entry.one->params.text_id();
    const std::string variant = imported ? entry.summary->metric : entry.one->variant;
    note(points, known_points, point);
    note(variants, known_variants, variant);
    cells[{point, variant}] = cell_of(entry, shown, scale, references);
  }
  const Shared shared = factor_ids(points);
  Grid grid;
  grid.label_header = shared.pattern.empty() ? "case" : shared.pattern;
  for (const std::string& variant : variants) grid.columns.push_back({variant, Align::right});
  grid.sections.emplace_back();
  for (std::size_t i = 0; i < points.size(); ++i) {
    GridRow row{shared.labels[i], {}, points[i]};
    for (const std::string& variant : variants) {
      const auto at = cells.find({points[i], variant});
      row.cells.push_back({at == cells.end() ? std::string(unknown) : at->second});
    }
    grid.sections.back().rows.push_back(std::move(row));
  }
  return grid;
}

// The shown figure and its metric, and where and when it was measured.
std::string caption_of(const Record& record, const Entry& first, Shown shown, const Scale& scale) {
  const auto machine = record.machines.find(first.one->device);
  return fmt::format(
      "{}, {}. {}, {}, {}; {} a case.", what_is_shown(shown, scale), first.summary->metric,
      machine == record.machines.end() ? first.one->device : machine->second.machine_class,
      record.started.substr(0, 10),
      record.revision.commit.empty() ? "of no revision" : "at " + describe_revision(record.revision),
      counted(static_cast<std::size_t>(first.summary->processes), "process", "processes"));
}

CiView ci_of(const Record& record, const Document& document) {
  CiView view{record.suite.name, record.suite.file};
  for (const Block& block : document.blocks)
    if (const auto* table = std::get_if<Table>(&block.content))
      for (const GridRow& row : table->grid.sections.front().rows) {
        CiCase one{row.name, {}, CiState::passed, "measured"};
        for (std::size_t i = 0; i < row.cells.size(); ++i)
          one.output += (i == 0 ? "" : "\n") + table->grid.columns[i].header + ": " + row.cells[i].text;
        view.cases.push_back(std::move(one));
      }
  view.alerts.push_back({Alarm::notice, document.title});
  return view;
}

std::string json_table(const Record& record, const std::vector<Entry>& entries, Shown shown) {
  TableJson table{record.id, record.suite, record.revision, shown, {}};
  for (const Entry& entry : entries)
    table.cases.push_back({entry.one->id, entry.summary->metric, entry.summary->unit,
                           std::max(0.0, figure_of(*entry.summary, shown))});
  return report_json(table, formats::table);
}

}  // namespace

Result<Report> table_document(const Record& record, const std::vector<Summary>& summaries,
                              const std::vector<std::string>& filters, Shown shown) {
  const std::vector<Entry> entries = entries_of(record, summaries, filters);
  if (entries.empty())
    return fail(ErrorKind::usage, "no measured case of the record is left for the table",
                "filters match whole names, such as 'attention/*/dtype=f16/*'");
  const bool any = std::any_of(entries.begin(), entries.end(),
                               [&](const Entry& entry) { return figure_of(*entry.summary, shown) > 0; });
  if (!any)
    return fail(ErrorKind::usage, "none of the cases has the figure that the table is to show",
                "speedups need a reference in the suite, shares a measured ceiling; `time` is always there");
  const Scale scale = scale_of(entries, shown);
  Document document;
  document.title = record.suite.name;
  document.blocks = {{Table{"", grid_of(entries, shown, scale)}},
                     {Prose{{caption_of(record, entries.front(), shown, scale)}}}};
  const Document drawn = document;
  return Report{std::move(document), [&record, drawn] { return ci_of(record, drawn); },
                [&record, entries, shown] { return json_table(record, entries, shown); }};
}

std::string table_schema() {
  return schema_text(Described<TableJson>::fields, formats::table);
}

}  // namespace harness::report
