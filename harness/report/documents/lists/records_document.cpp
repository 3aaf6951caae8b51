#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/model/results/record_list.h"
#include "harness/report/documents.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<ListedRecord> {
  using One = ListedRecord;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::line, field("id", &One::id), field("names", &One::names), field("suite", &One::suite),
      field("commit", &One::commit), field("branch", &One::branch), field("dirty", &One::dirty),
      field("class", &One::machine_class), field("started", &One::started), field("state", &One::state),
      field("verdict", &One::verdict), field("mark", &One::mark), field("purpose", &One::purpose),
      field("partial", &One::partial), field("results", &One::results), field("failures", &One::failures));
};

template <>
struct Described<RecordList> {
  static constexpr auto fields =
      list_fields<RecordList>(JsonLayout::lines, field("store", &RecordList::store),
                              field("more", &RecordList::more), field("records", &RecordList::records));
};

}  // namespace harness

namespace harness::report {
namespace {

std::string names_of(const ListedRecord& one) {
  std::vector<std::string> names;
  for (const std::string& name : one.names) names.push_back("@" + name);
  return join(names, " ");
}

std::string state_of(const ListedRecord& one) {
  std::string text = one.state == "complete" && !one.verdict.empty() ? one.verdict : one.state;
  if (!one.mark.empty()) text += one.mark == "missed" ? ", missed a slowdown" : ", a " + one.mark + " alert";
  if (!one.purpose.empty()) text += ", " + one.purpose;
  if (one.partial) text += ", part of the suite";
  if (one.failures > 0) text += fmt::format(", {} failed", one.failures);
  return text;
}

GridRow row_of(const ListedRecord& one) {
  constexpr std::size_t short_id = 8, short_hash = 10, minutes = 16;
  std::string started = one.started.substr(0, minutes);
  if (started.size() > 10) started[10] = ' ';
  return {one.id.substr(0, short_id),
          {{one.suite},
           {one.commit.substr(0, short_hash) + (one.dirty ? "+" : "")},
           {state_of(one)},
           {names_of(one), Paint::strong},
           {started},
           {one.branch},
           {one.machine_class},
           {fmt::to_string(one.results)}},
          one.id};
}

CiView ci_of(const RecordList& list, const std::string& headline) {
  CiView view;
  for (const ListedRecord& one : list.records)
    view.cases.push_back({one.id, {}, CiState::skipped, one.state, one.suite});
  view.alerts.push_back({Alarm::notice, headline, ""});
  return view;
}

}  // namespace

Report records_document(const RecordList& list) {
  Document document;
  document.title = "records";
  document.headline = fmt::format("{} in {}", counted(list.records.size(), "record", "records"), list.store);
  if (list.more > 0) document.headline += fmt::format(", and {} older", list.more);
  document.command = "harness records list";
  Grid grid;
  grid.label_header = "record";
  grid.columns = {{"suite", Align::left, 0, 0},   {"commit", Align::left, 0, 0},
                  {"state", Align::left, 0, 0},   {"name", Align::left, 0, 0},
                  {"started", Align::left, 0, 1}, {"branch", Align::left, 0, 2},
                  {"machine", Align::left, 0, 3}, {"results", Align::right, 0, 4}};
  grid.sections.emplace_back();
  for (const ListedRecord& one : list.records) grid.sections.back().rows.push_back(row_of(one));
  if (!list.records.empty()) document.blocks.push_back({Table{"", std::move(grid)}});
  const std::string headline = document.headline;
  return {std::move(document), [&list, headline] { return ci_of(list, headline); },
          [&list] { return report_json(list, formats::records); }};
}

std::string records_schema() {
  return schema_text(Described<RecordList>::fields, formats::records);
}

}  // namespace harness::report
