#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/report/documents/plan_outline.h"
#include "harness/report/documents/run_table.h"
#include "harness/report/media/junit_suite.h"
#include "harness/report/numbers.h"
#include "harness/report/reporter.h"
#include "harness/report/words/cause_words.h"

namespace harness::report {
namespace {

using Result = JunitCase::Result;

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
  for (const std::string& note : summary.notes) text += "\n" + note;
  return text;
}

// A case that was planned but has no result says why, and never passes.
JunitCase measured_case(const Summary& summary, const std::string& name, const Location& where,
                        const Record& record) {
  JunitCase one{name, record.suite.name, where};
  one.type = std::string(name_of(summary.outcome));
  one.message = summary.reason;
  one.body = summary.reason;
  if (summary.outcome == Outcome::skipped) {
    one.result = Result::skipped;
  } else if (summary.outcome != Outcome::measured) {
    one.result = Result::error;
  } else if (summary.samples == 0) {
    one.result = Result::error;
    one.type = "not_measured";
    one.message = one.body = record.finished.empty()
                                 ? "not measured: the run ended before it came to this case"
                                 : "not measured: the case has no samples";
  } else {
    one.seconds = seconds_of(summary.center, summary.unit);
    one.output = figures_of(summary);
  }
  if (one.message.empty() && one.result != Result::passed) one.message = one.body = "no reason was recorded";
  return one;
}

std::string junit_run(const Record& record, const std::vector<Summary>& summaries, const Style&,
                      const Sources&) {
  const RunReport report = describe_run(record, summaries);
  JunitSuite suite{record.suite.name, record.started, report.facts, {}, {}};
  suite.properties.insert(suite.properties.begin(), {"commit", record.revision.commit});
  std::map<std::string_view, Location> places;
  for (const CaseRecord& one : record.cases) places[one.id] = one.where;
  std::map<std::string_view, int> metrics;
  for (const Summary& summary : summaries) ++metrics[summary.case_id];
  for (const Summary& summary : summaries) {
    const bool several = metrics[summary.case_id] > 1 && !summary.metric.empty();
    suite.cases.push_back(measured_case(summary,
                                        several ? summary.case_id + " " + summary.metric : summary.case_id,
                                        places[summary.case_id], record));
  }
  if (record.finished.empty()) {  // with all cases measured in some processes, only this is not green
    JunitCase whole{"(the whole run)", record.suite.name, {record.suite.file}};
    whole.result = Result::error;
    whole.type = "unfinished";
    whole.message = whole.body = "the run, or the comparison after it, did not come to its end";
    suite.cases.push_back(std::move(whole));
  }
  suite.output = report.headline;
  return junit_text(suite);
}

std::string junit_plan(const Plan& plan, const Style&) {
  const PlanReport report = describe_plan(plan);
  JunitSuite suite{plan.suite.name, {}, report.facts, {}, report.headline};
  for (const PlannedCase& planned : plan.cases) {
    JunitCase one{planned.id, plan.suite.name, planned.where};
    one.result = Result::skipped;
    one.type = planned.skip ? "skipped" : "listed";
    one.message = planned.skip ? words(*planned.skip) : "listed, not measured";
    suite.cases.push_back(std::move(one));
  }
  return junit_text(suite);
}

}  // namespace

const Reporter junit_reporter{Format::junit, "junit", junit_plan, junit_run, junit_comparison};

}  // namespace harness::report
