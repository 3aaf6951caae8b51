#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/model/fact_fields.h"
#include "harness/model/referee/refereed.h"
#include "harness/report/documents.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/report/words/cause_words.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<RefereedCase> {
  using One = RefereedCase;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::line, field("case", &One::id), field("ruling", &One::ruling),
      field("build", &One::build).unless_default(), field("reason", &One::reason).unless_default(),
      field("ratio", &One::ratio).null_when_default(), field("lo", &One::lo).null_when_default(),
      field("hi", &One::hi).null_when_default(), field("baseline_us", &One::baseline_us).null_when_default(),
      field("current_us", &One::current_us).null_when_default(), field("round_sd", &One::round_sd),
      field("rounds", &One::rounds), field("processes", &One::processes), field("calls", &One::calls),
      field("checked", &One::checked), field("device_s", &One::device_s),
      field("drawing_s", &One::drawing_s));
};

template <>
struct Described<RefereeReport> {
  using One = RefereeReport;
  static constexpr auto fields =
      list_fields<One>(JsonLayout::lines, field("suite", &One::suite), field("baseline", &One::baseline),
                       field("current", &One::current), field("device", &One::device),
                       field("margin", &One::margin), field("confidence", &One::confidence),
                       field("asks_faster", &One::asks_faster), field("cases", &One::cases));
};

}  // namespace harness

namespace harness::report {
namespace {

std::string ruling_words(Ruling ruling) {
  switch (ruling) {
    case Ruling::faster: return "faster";
    case Ruling::not_slower: return "not slower";
    case Ruling::not_faster: return "not faster";
    case Ruling::slower: return "slower";
    case Ruling::undecided: return "undecided";
    case Ruling::incorrect: return "incorrect";
    case Ruling::failed: return "failed";
    case Ruling::unjudged: return "not judged";
  }
  return "";
}

Paint paint_of(Ruling ruling) {
  switch (ruling) {
    case Ruling::faster:
    case Ruling::not_slower: return Paint::good;
    case Ruling::undecided:
    case Ruling::unjudged: return Paint::doubtful;
    default: return Paint::bad;
  }
}

bool is_timed(const RefereedCase& one) {
  return one.ratio > 0;
}

std::string reason_of(const RefereedCase& one) {
  if (!one.reason) return {};
  return (one.build.empty() ? "" : fmt::format("the {} build: ", one.build)) + words(*one.reason);
}

GridRow row_of(const RefereedCase& one, const Scale& scale) {
  if (!is_timed(one))
    return {one.id, {{ruling_words(one.ruling), paint_of(one.ruling)}, {}, {}, {}, {}, {}, {}}};
  return {one.id,
          {{ruling_words(one.ruling), paint_of(one.ruling)},
           {signed_percent(one.ratio - 1)},
           {percent_bounds({one.lo, one.hi})},
           {quantity(one.baseline_us, scale)},
           {quantity(one.current_us, scale)},
           {short_percent(one.round_sd)},
           {fmt::format("{}", one.checked)}}};
}

Grid grid_of(const RefereeReport& report) {
  std::vector<double> times;
  for (const RefereedCase& one : report.cases)
    if (is_timed(one)) times.insert(times.end(), {one.baseline_us, one.current_us});
  const Scale scale = scale_for("us", times);
  const auto in_unit = [&](const char* name) {
    return scale.shared ? fmt::format("{} {}", name, scale.unit) : std::string(name);
  };
  Grid grid;
  grid.label_header = "case";
  grid.columns = {{"ruling", Align::left},
                  {"change"},
                  {"interval"},
                  {in_unit("baseline"), Align::decimal, 0, 1},
                  {in_unit("current"), Align::decimal, 0, 1},
                  {"sd of a round", Align::decimal, 0, 2},
                  {"checked calls", Align::right, 0, 3}};
  grid.sections.emplace_back();
  for (const RefereedCase& one : report.cases) grid.sections.back().rows.push_back(row_of(one, scale));
  return grid;
}

std::size_t count_of(const RefereeReport& report, Ruling ruling) {
  return static_cast<std::size_t>(
      std::count_if(report.cases.begin(), report.cases.end(),
                    [&](const RefereedCase& one) { return one.ruling == ruling; }));
}

std::string headline_of(const RefereeReport& report) {
  std::vector<std::string> parts;
  for (const Ruling ruling : {Ruling::incorrect, Ruling::failed, Ruling::slower, Ruling::not_faster,
                              Ruling::unjudged, Ruling::undecided, Ruling::not_slower, Ruling::faster})
    if (const std::size_t count = count_of(report, ruling); count > 0)
      parts.push_back(fmt::format("{} {}", count, ruling_words(ruling)));
  return fmt::format("{}: {}", report.suite, parts.empty() ? "no case" : join(parts, ", "));
}

Reasons reasons_of(const RefereeReport& report) {
  Reasons reasons{"no ruling, or against the current build, because", 0};
  for (const RefereedCase& one : report.cases)
    if (one.reason) reasons.groups.push_back({reason_of(one), {one.id}});
  reasons.cases = reasons.groups.size();
  return reasons;
}

CiState state_of(Ruling ruling) {
  switch (ruling) {
    case Ruling::faster:
    case Ruling::not_slower: return CiState::passed;
    case Ruling::undecided: return CiState::skipped;
    case Ruling::slower:
    case Ruling::not_faster: return CiState::failure;
    default: return CiState::error;
  }
}

CiView ci_of(const RefereeReport& report, const std::string& headline) {
  CiView view;
  view.suite = report.suite;
  for (const RefereedCase& one : report.cases) {
    const bool bad = state_of(one.ruling) == CiState::failure || state_of(one.ruling) == CiState::error;
    const std::string change = is_timed(one) ? signed_percent(one.ratio - 1) : reason_of(one);
    CiCase& shown = view.cases.emplace_back();
    shown.name = one.id;
    shown.state = state_of(one.ruling);
    shown.code = std::string(name_of(one.ruling));
    shown.message = change;
    shown.body = bad ? change : "";
    shown.alarm = bad ? Alarm::error : Alarm::none;
    shown.label = ruling_words(one.ruling);
    shown.explanation = change;
  }
  if (std::none_of(view.cases.begin(), view.cases.end(),
                   [](const CiCase& one) { return one.alarm != Alarm::none; }))
    view.alerts.push_back({Alarm::notice, headline, ""});
  return view;
}

}  // namespace

Report referee_document(const RefereeReport& report) {
  Document document;
  document.title = report.suite + ": the referee";
  document.headline = headline_of(report);
  document.facts = {{"baseline", report.baseline},
                    {"current", report.current},
                    {"device", report.device},
                    {"margin", plain_percent(report.margin)}};
  if (!report.cases.empty()) document.blocks.push_back({Table{"", grid_of(report)}});
  if (Reasons reasons = reasons_of(report); reasons.cases > 0)
    document.blocks.push_back({std::move(reasons)});
  document.blocks.push_back({Prose{
      {fmt::format("A call's time is the slope over batches of different lengths, by the referee's clock. "
                   "Intervals hold with {}.",
                   plain_percent(report.confidence))}}});
  const std::string headline = document.headline;
  return {std::move(document), [&report, headline] { return ci_of(report, headline); },
          [&report] { return report_json(report, formats::referee); }};
}

std::string referee_schema() {
  return schema_text(Described<RefereeReport>::fields, formats::referee);
}

}  // namespace harness::report
