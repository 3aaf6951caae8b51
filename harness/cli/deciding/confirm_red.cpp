#include "harness/cli/deciding/confirm_red.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "harness/verdict/alone.h"
#include "harness/verdict/compare.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Seconds most_seconds = 1e9;  // fits the clock's range

}  // namespace

std::set<std::string> red_cases(const Comparison& comparison) {
  std::set<std::string> red;
  for (const ComparisonRow& row : comparison.rows)
    if (row.verdict == Verdict::regressed && decides(row) && !row.exact && row.p && !row.confirmation &&
        row.reason.code != ReasonCode::worse_over_places && !is_judged_alone(row))
      red.insert(row.case_id);
  return red;
}

std::set<std::string> doubtful_cases(const Comparison& comparison) {
  std::set<std::string> doubtful;
  for (const ComparisonRow& row : comparison.rows) {
    const bool called = row.verdict == Verdict::regressed || row.verdict == Verdict::improved;
    if ((called && decides(row) && !row.exact && row.p) || row.reason.code == ReasonCode::alone_differs ||
        is_judged_alone(row))
      doubtful.insert(row.case_id);
  }
  return doubtful;
}

Plan plan_of_red(const Plan& whole, const std::set<std::string>& red) {
  // A kernel may have another name on the other side, and one start gives all kernels of a program.
  const auto of_red_program = [&](const PlannedCase& one) {
    return one.is_traced() && std::any_of(red.begin(), red.end(), [&](const std::string& id) {
             return id == one.program->name || id.starts_with(one.program->name + "/");
           });
  };
  Plan plan = whole;
  std::erase_if(plan.cases,
                [&](const PlannedCase& one) { return !red.contains(one.id) && !of_red_program(one); });
  return plan;
}

Result<Confirming> confirm_red(Store& store, Record& record, const ConfirmOptions& options) {
  Confirming done;
  done.wanted = options.wanted;
  const std::set<std::string> red = red_cases(compare(options.baseline, record, options.policy));
  done.open = static_cast<int>(red.size());
  if (red.empty() || !options.wanted || !(options.budget > 0)) return done;
  const Plan plan = plan_of_red(with_benchmarks(options.plan, record), red);
  const std::chrono::duration<double> budget(std::min(options.budget, most_seconds));
  MeasureOptions how{options.quiet, "confirm",
                     Clock::now() + std::chrono::duration_cast<Clock::duration>(budget)};
  how.measure_ceilings = false;
  how.processes_before = last_plain_process;
  const Result<RunReport> report = measure_into(store, record, plan, options.prepared, how);
  if (!report) return fail(report.error());
  Result<Record> stored = store.load(record.id);
  if (!stored) return fail(stored.error());
  record = std::move(*stored);
  done.interrupted = report->interrupted;
  for (const PlannedCase& one : plan.cases) done.processes = std::max(done.processes, one.sampling.processes);
  done.open = static_cast<int>(red_cases(compare(options.baseline, record, options.policy)).size());
  done.cases = static_cast<int>(red.size()) - done.open;
  return done;
}

void tell_way(Comparison& comparison, bool instead) {
  const bool measured = std::any_of(
      comparison.rows.begin(), comparison.rows.end(),
      [](const ComparisonRow& row) { return row.baseline.processes > 0 && row.current.processes > 0; });
  if (!measured && !instead) return;
  const std::string_view how = comparison.pairing ? name_of(*comparison.pairing) : "stored";
  Remark way{RemarkCode::compared_by, {{"how", std::string(how)}}};
  if (const auto pooled = comparison.baseline.found.count("pooled"); pooled > 1)
    way.figures.emplace_back("records", pooled);
  if (instead) way.figures.emplace_back("built", 1);
  comparison.remarks.push_back(std::move(way));
}

void tell(const Continued& done, Comparison& comparison) {
  tell(done.undecided, comparison);
  tell(done.red, comparison);
}

void tell(const Confirming& done, Comparison& comparison) {
  if (done.cases > 0)
    comparison.remarks.push_back(
        {RemarkCode::confirmed, {{"cases", done.cases}, {"processes", done.processes}}});
  if (done.open > 0)
    comparison.remarks.push_back(
        {RemarkCode::unconfirmed, {{"cases", done.open}, {"reason", done.wanted ? "budget" : "option"}}});
}

void tell_confirmations(Comparison& comparison, bool wanted) {
  Confirming done;
  done.wanted = wanted;
  std::set<std::string> again;
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.confirmation) continue;
    again.insert(row.case_id);
    done.processes = std::max(done.processes, row.confirmation->fresh.processes);
  }
  done.cases = static_cast<int>(again.size());
  done.open = static_cast<int>(red_cases(comparison).size());
  tell(done, comparison);
}

}  // namespace harness
