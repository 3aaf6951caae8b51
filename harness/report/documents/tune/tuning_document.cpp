#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/model/tuning/tuned_fields.h"
#include "harness/report/documents.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/report/words/cause_words.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<TuneArm> {
  using Arm = TuneArm;
  static constexpr auto fields = list_fields<Arm>(
      JsonLayout::line, field("case", &Arm::case_id), field("values", &Arm::values), field("end", &Arm::end),
      field("processes", &Arm::processes), field("time", &Arm::time).null_when_default(),
      field("reason", &Arm::reason).null_when_default());
};

template <>
struct Described<TunePoint> {
  using Point = TunePoint;
  static constexpr auto fields = list_fields<Point>(
      JsonLayout::lines, field("case", &Point::id), field("device", &Point::device),
      field("outcome", &Point::outcome),
      derived("values", [](const Point& point) { return point.arms.at(point.best).values; }),
      derived("fixed", [](const Point& point) { return point.arms.front().values; }),
      field("ratio", &Point::ratio).null_when_default(),
      field("interval", &Point::interval).null_when_default(), field("p", &Point::p).null_when_default(),
      field("processes", &Point::processes), field("unit", &Point::unit), field("arms", &Point::arms));
};

template <>
struct Described<TuneRung> {
  using Rung = TuneRung;
  static constexpr auto fields =
      list_fields<Rung>(JsonLayout::line, field("processes", &Rung::processes), field("arms", &Rung::arms));
};

template <>
struct Described<TuningReport> {
  using Report = TuningReport;
  static constexpr auto fields = list_fields<Report>(
      JsonLayout::lines, field("suite", &Report::suite), field("classes", &Report::classes),
      field("files", &Report::files), field("budget", &Report::budget).in(Unit::seconds),
      field("took", &Report::took).in(Unit::seconds), field("ended", &Report::ended),
      field("alpha", &Report::alpha), field("exit_code", &Report::exit_code), field("rungs", &Report::rungs),
      field("cases", &Report::points));
};

}  // namespace harness

namespace harness::report {
namespace {

Paint paint_of(TuneOutcome outcome) {
  switch (outcome) {
    case TuneOutcome::replaced: return Paint::good;
    case TuneOutcome::failed: return Paint::bad;
    case TuneOutcome::undecided: return Paint::doubtful;
    case TuneOutcome::kept:
    case TuneOutcome::skipped: return Paint::plain;
  }
  return Paint::plain;
}

const char* end_words(ArmEnd end) {
  switch (end) {
    case ArmEnd::open: return "still open when the budget ended";
    case ArmEnd::leader: return "the fastest, then verified";
    case ArmEnd::slower: return "certainly slower";
    case ArmEnd::lower_half: return "in the lower half";
    case ArmEnd::failed: return "failed";
    case ArmEnd::skipped: return "skipped";
    case ArmEnd::unmeasured: return "not measured";
  }
  return "";
}

std::string values_of(const TuneArm& arm) {
  return printable(arm.values.text_id());
}

// "0.812x the time [0.809, 0.815] by 5 fresh processes".
std::string measured_text(const TunePoint& point) {
  if (!point.ratio) return {};
  return fmt::format("{}x the time{}, by {}", format_significant(*point.ratio, 4),
                     point.interval ? " " + bounds(*point.interval) : "",
                     counted(static_cast<std::size_t>(point.processes), "fresh process", "fresh processes"));
}

std::string found_text(const TunePoint& point, bool ended) {
  const std::string fixed = values_of(point.arms.front()), best = values_of(point.arms[point.best]);
  const std::string measured = measured_text(point);
  switch (point.outcome) {
    case TuneOutcome::replaced: return fmt::format("{} instead of {}: {}", best, fixed, measured);
    case TuneOutcome::kept:
      return measured.empty()
                 ? fmt::format("{} stays: no other values were faster", fixed)
                 : fmt::format("{} stays: {} takes {}, which is not certainly less", fixed, best, measured);
    case TuneOutcome::undecided:
      return ended ? "the budget ended before the verification"
                   : "the device was disturbed, so nothing is certain";
    case TuneOutcome::failed: return fmt::format("the fixed values {} have no right result", fixed);
    case TuneOutcome::skipped: return "cannot run here";
  }
  return {};
}

Findings findings_of(const TuningReport& report) {
  Findings findings;
  for (const TunePoint& point : report.points) {
    Finding& finding = findings.items.emplace_back();
    finding.cases = {point.id};
    finding.label = name_of(point.outcome);
    finding.paint = paint_of(point.outcome);
    finding.text = found_text(point, report.ended);
    for (const TuneArm& arm : point.arms)
      if (arm.reason && (arm.end == ArmEnd::failed || &arm == &point.arms.front()))
        finding.details.push_back(values_of(arm) + ": " + words(*arm.reason));
    finding.where = to_string(point.where);
  }
  return findings;
}

Table arms_of(const TuningReport& report) {
  Table table{"the values that were tried", {}, false};
  table.grid.label_header = "values";
  table.grid.columns = {{"time", Align::right}, {"processes", Align::right}, {"end", Align::left}};
  for (const TunePoint& point : report.points) {
    std::vector<double> times;
    for (const TuneArm& arm : point.arms)
      if (arm.time) times.push_back(*arm.time);
    const Scale scale = scale_for(point.unit, times);
    Section section{point.id, Paint::faint, {}};
    for (const TuneArm& arm : point.arms)
      section.rows.push_back(
          {values_of(arm),
           {{arm.time ? quantity(*arm.time, scale) + " " + scale.unit : std::string(unknown)},
            {std::to_string(arm.processes)},
            {end_words(arm.end)}},
           arm.case_id});
    table.grid.sections.push_back(std::move(section));
  }
  return table;
}

std::string headline_of(const TuningReport& report) {
  const auto count = [&](TuneOutcome outcome) {
    return std::count_if(report.points.begin(), report.points.end(),
                         [&](const TunePoint& point) { return point.outcome == outcome; });
  };
  std::string text =
      fmt::format("{} tuned: {} faster, {} as fixed", counted(report.points.size(), "case", "cases"),
                  count(TuneOutcome::replaced), count(TuneOutcome::kept));
  for (const TuneOutcome other : {TuneOutcome::undecided, TuneOutcome::failed, TuneOutcome::skipped})
    if (const auto some = count(other); some > 0) text += fmt::format(", {} {}", some, name_of(other));
  return text;
}

std::string tuning_exit_meaning(int code) {
  switch (code) {
    case 3: return "exit code 3: a case is undecided";
    case 4: return "exit code 4: nothing was measured";
    case 5: return "exit code 5: values failed or computed a wrong result";
    default: return "exit code 0: every case is decided";
  }
}

CiView ci_of(const TuningReport& report, const std::string& headline) {
  CiView view{report.suite};
  for (const TunePoint& point : report.points) {
    CiCase test{point.id, point.where};
    test.code = name_of(point.outcome);
    test.message = test.output = found_text(point, report.ended);
    if (point.outcome == TuneOutcome::failed) {
      test.state = CiState::failure;
      test.alarm = Alarm::error;
      test.label = test.code;
      test.body = test.explanation = test.message;
    } else if (point.outcome == TuneOutcome::undecided || point.outcome == TuneOutcome::skipped) {
      test.state = CiState::skipped;
    }
    view.cases.push_back(std::move(test));
  }
  view.alerts.push_back({Alarm::notice, headline});
  return view;
}

std::string rungs_text(const TuningReport& report) {
  std::vector<std::string> rungs;
  for (const TuneRung& rung : report.rungs)
    rungs.push_back(fmt::format("{} with {}", counted(rung.arms, "set of values", "sets of values"),
                                counted(static_cast<std::size_t>(rung.processes), "process", "processes")));
  return join(rungs, ", ");
}

}  // namespace

Report tuning_document(const TuningReport& report) {
  Document document;
  document.title = report.suite + ": tuned";
  document.headline = headline_of(report);
  document.exit_meaning = tuning_exit_meaning(report.exit_code);
  document.command = "harness tune";
  document.facts = {{"suite", report.suite}, {"class", join(report.classes, ", ")}};
  if (!report.rungs.empty()) document.facts.emplace_back("search", rungs_text(report));
  document.facts.emplace_back(
      "time", fmt::format("{} of {}{}", coarse_duration(report.took), coarse_duration(report.budget),
                          report.ended ? "; the budget ended" : ""));
  document.blocks.push_back({findings_of(report)});
  document.blocks.push_back({arms_of(report), Place::folded});
  document.blocks.push_back(
      {Prose{{fmt::format("In brackets: the interval of the ratio. Fixed values are replaced only by values "
                          "that are certainly faster. The "
                          "chance that any are replaced by equally fast ones is {}.",
                          plain_percent(report.alpha))}}});
  for (const std::string& file : report.files)
    document.next_steps.push_back(
        fmt::format("Review and commit {}: the tuned cases run with it.", printable(file)));
  if (report.ended)
    document.next_steps.emplace_back("Give more time with `--budget`, or tune fewer cases with `--filter`.");
  const std::string headline = document.headline;
  return {std::move(document), [&report, headline] { return ci_of(report, headline); },
          [&report] { return report_json(report, formats::tuning); }};
}

std::string tuning_schema() {
  return schema_text(Described<TuningReport>::fields, formats::tuning);
}

}  // namespace harness::report
