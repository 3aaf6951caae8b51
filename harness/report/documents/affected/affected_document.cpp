#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/base/text.h"
#include "harness/report/documents.h"
#include "harness/report/documents/affected/code_change_words.h"
#include "harness/report/media/code_json.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<KernelCodeChange> {
  using One = KernelCodeChange;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::lines, field("file", &One::file), field("architecture", &One::architecture),
      field("name", &One::name), field("mangled", &One::mangled), field("state", &One::state),
      field("before", &One::before), field("after", &One::after));
};

template <>
struct Described<CaseChange> {
  using One = CaseChange;
  static constexpr auto fields =
      list_fields<One>(JsonLayout::lines, field("suite", &One::suite), field("case", &One::id),
                       field("can_change", &One::can_change), field("reason_fact", &One::reason),
                       derived("reason", [](const One& one) { return report::words(one); }),
                       field("file", &One::file), field("names", &One::names));
};

template <>
struct Described<CodeChangeReport> {
  using One = CodeChangeReport;
  static constexpr auto fields =
      list_fields<One>(JsonLayout::lines, field("baseline", &One::baseline), field("current", &One::current),
                       field("files", &One::files), field("records", &One::records),
                       derived("can_change", [](const One& one) { return changeable(one); }),
                       field("cases", &One::cases), field("kernels", &One::kernels));
};

}  // namespace harness

namespace harness::report {
namespace {

std::string headline_of(const CodeChangeReport& report) {
  const std::size_t can = changeable(report);
  if (!report.cases.empty() && can == 0)
    return fmt::format("no result can change: {} of {} execute what they executed", report.cases.size(),
                       counted(report.cases.size(), "result", "results"));
  if (!report.cases.empty())
    return fmt::format("{} of {} can change", can, counted(report.cases.size(), "result", "results"));
  const auto differ = static_cast<std::size_t>(
      std::count_if(report.kernels.begin(), report.kernels.end(),
                    [](const KernelCodeChange& one) { return one.state != CodeState::same; }));
  if (differ == 0)
    return fmt::format("all {} are the same", counted(report.kernels.size(), "kernel", "kernels"));
  return fmt::format("{} of {} differ", differ, counted(report.kernels.size(), "kernel", "kernels"));
}

std::string told_change(const KernelCodeChange& one) {
  const std::string figures = figure_words(one);
  switch (one.state) {
    case CodeState::same: return {};
    case CodeState::added:
    case CodeState::removed: return figures;
    case CodeState::surroundings: return "only variables or functions beside it differ";
    case CodeState::changed: return figures.empty() ? "equal figures, other instructions" : figures;
  }
  return figures;
}

Paint paint_of(CodeState state) {
  return state == CodeState::same ? Paint::faint : state == CodeState::changed ? Paint::strong : Paint::plain;
}

// The kernels that differ, by architecture.
void add_kernels(const CodeChangeReport& report, Document& document) {
  Grid grid;
  grid.label_header = "kernel";
  grid.columns = {{"state", Align::left}, {"what differs", Align::left}, {"file", Align::left, 0, 1}};
  std::map<std::string, Section> sections;
  std::map<std::string, std::size_t> same;
  for (const KernelCodeChange& one : report.kernels) {
    if (one.state == CodeState::same) {
      ++same[one.architecture];
      continue;
    }
    Section& section = sections[one.architecture];
    section.heading = one.architecture;
    section.rows.push_back(
        {one.name,
         {{std::string(name_of(one.state)), paint_of(one.state)}, {told_change(one)}, {one.file}},
         one.name});
  }
  for (auto& [architecture, section] : sections) grid.sections.push_back(std::move(section));
  if (!grid.sections.empty()) document.blocks.push_back({Table{"kernels that differ", std::move(grid)}});
  std::vector<std::string> counts;
  for (const auto& [architecture, count] : same)
    counts.push_back(fmt::format("{} on {}", count, architecture));
  if (!counts.empty()) document.facts.emplace_back("same kernels", join(counts, ", "));
}

Reasons reasons_of(const CodeChangeReport& report, bool can_change) {
  Reasons reasons{can_change ? "can change" : "cannot change"};
  std::map<std::string, std::vector<std::string>> groups;
  for (const CaseChange& one : report.cases)
    if (one.can_change == can_change) groups[words(one)].push_back(one.id);
  for (auto& [reason, ids] : groups) {
    reasons.cases += ids.size();
    reasons.groups.push_back({reason, std::move(ids)});
  }
  return reasons;
}

CiView ci_of(const CodeChangeReport& report) {
  CiView view;
  view.suite = "affected";
  for (const bool can_change : {true, false})
    for (const CaseChange& one : report.cases) {
      if (one.can_change != can_change) continue;
      CiCase shown;
      shown.name = one.id;
      shown.state = can_change ? CiState::skipped : CiState::passed;
      shown.code = can_change ? "can change" : "cannot change";
      shown.message = words(one);
      view.cases.push_back(std::move(shown));
    }
  view.alerts.push_back({Alarm::notice, headline_of(report), ""});
  return view;
}

}  // namespace

Report affected_document(const CodeChangeReport& report, bool as_exit_code) {
  Document document;
  document.title = "affected";
  document.headline = headline_of(report);
  document.facts = {{"baseline", report.baseline}, {"current", report.current}};
  if (!report.records.empty()) document.facts.emplace_back("records", join(report.records, ", "));
  add_kernels(report, document);
  for (const bool can_change : {true, false})
    if (Reasons reasons = reasons_of(report, can_change); reasons.cases > 0)
      document.blocks.push_back({std::move(reasons), can_change ? Place::normal : Place::folded});
  if (report.cases.empty())
    document.blocks.push_back({Prose{{"No record was read, so no result is named."}}});
  if (as_exit_code && can_change_any(report)) document.exit_meaning = "exit code 1: something can change";
  return {std::move(document), [&report] { return ci_of(report); },
          [&report] { return report_json(report, formats::affected); }};
}

std::string affected_schema() {
  return schema_text(Described<CodeChangeReport>::fields, formats::affected);
}

}  // namespace harness::report
