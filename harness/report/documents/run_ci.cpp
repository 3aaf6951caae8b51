#include "harness/report/documents/run_ci.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/report/documents/run_remarks.h"
#include "harness/report/numbers.h"
#include "harness/report/words/cause_words.h"
#include "harness/report/words/note_words.h"
#include "harness/report/words/summary_words.h"

namespace harness::report {
namespace {

std::optional<double> seconds_of(double value, const std::string& unit) {
  const double factor = seconds_per_unit(unit);
  return factor > 0 && value > 0 ? std::optional(value * factor) : std::nullopt;
}

std::string figures_of(const Summary& summary) {
  const Scale scale{1, summary.unit, true, summary.unit};
  std::string text = fmt::format("{}: {} {}", summary.metric, quantity(summary.center, scale), summary.unit);
  if (summary.interval)
    text +=
        fmt::format(", {} interval {}", plain_percent(summary.confidence), bounds(*summary.interval, scale));
  text += fmt::format("; {} in {}", counted(summary.samples, "sample", "samples"),
                      counted(static_cast<std::size_t>(summary.processes), "process", "processes"));
  if (summary.speedup)
    text += fmt::format("\nspeedup {:.4g} over {}", summary.speedup->ratio, summary.speedup->reference);
  if (summary.first_call) text += fmt::format("\nfirst call {:.4g} {}", *summary.first_call, summary.unit);
  for (const std::string& note : note_words(summary)) text += "\n" + note;
  return text;
}

CiCase case_of(const Summary& summary, bool finished) {
  CiCase one;
  one.code = std::string(name_of(summary.outcome));
  if (summary.reason) one.message = words(*summary.reason);
  if (is_harmless(summary.outcome)) {
    one.state = CiState::skipped;
    one.message = why_unmeasured(summary);
  } else if (summary.outcome != Outcome::measured) {
    one.state = CiState::error;
  } else if (summary.samples == 0) {
    one.state = CiState::error;
    one.code = "not_measured";
    one.message =
        finished ? "not measured: the case has no samples" : "not measured: the run ended before this case";
  } else {
    one.seconds = seconds_of(summary.center, summary.unit);
    one.output = figures_of(summary);
  }
  if (one.message.empty() && one.state != CiState::passed) one.message = "no reason was recorded";
  if (one.state != CiState::error) return one;
  one.body = one.explanation = one.message;
  one.label = loud_name(summary.outcome);
  one.alarm = Alarm::error;
  return one;
}

void add_alerts(CiView& view, const Record& record, const std::string& headline) {
  if (record.finished.empty()) {
    view.alerts.push_back({Alarm::error, headline, "the run ended before everything was measured"});
    CiCase whole{"(the whole run)", {record.suite.file}, CiState::error, "unfinished"};
    whole.message = whole.body = "the run, or the comparison after it, did not finish";
    view.cases.push_back(std::move(whole));
  }
  std::set<std::string_view> skipped;
  std::string first;
  for (const CiCase& one : view.cases)
    if (one.state == CiState::skipped && skipped.insert(one.name).second && first.empty())
      first = one.message;
  if (!skipped.empty())
    view.alerts.push_back(
        {Alarm::notice, counted(skipped.size(), "case is", "cases are") + " skipped", first});
}

}  // namespace

CiView run_ci(const Record& record, const std::vector<Summary>& summaries) {
  CiView view{record.suite.name, record.suite.file, record.started, {{"commit", record.revision.commit}}};
  std::map<std::string_view, Location> places;
  for (const CaseRecord& one : record.cases) places[one.id] = one.where;
  std::map<std::string_view, int> metrics;
  for (const Summary& summary : summaries) ++metrics[summary.case_id];
  for (const Summary& summary : summaries) {
    CiCase one = case_of(summary, !record.finished.empty());
    const bool several = metrics[summary.case_id] > 1 && !summary.metric.empty();
    one.name = several ? summary.case_id + " " + summary.metric : summary.case_id;
    one.where = places[summary.case_id];
    view.cases.push_back(std::move(one));
  }
  add_alerts(view, record, run_headline(record, summaries, unmeasured_cases(summaries)));
  return view;
}

}  // namespace harness::report
