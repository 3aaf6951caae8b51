#include "harness/cli/measuring/top_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/output/rescue.h"
#include "harness/verdict/compare.h"
#include "harness/verdict/decide/looks.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Seconds most_seconds = 1e9;  // fits the clock's range

std::map<std::string, int> open_cases_of(const Record& record, const TopUpOptions& options) {
  return open_cases(compare(options.baseline, record, options.policy));
}

// Only these cases, each up to its next look.
Plan plan_of_looks(const Plan& whole, const std::map<std::string, int>& open) {
  Plan plan = whole;
  std::erase_if(plan.cases, [&](const PlannedCase& one) { return !open.contains(one.id); });
  for (PlannedCase& one : plan.cases) one.sampling.processes = open.at(one.id);
  return plan;
}

std::vector<TopUpStage> stages_of(const std::map<std::string, int>& open) {
  std::map<int, int> cases;  // by processes
  for (const auto& [id, processes] : open) ++cases[processes];
  std::vector<TopUpStage> stages;
  for (const auto& [processes, count] : cases) stages.push_back({processes, count});
  return stages;
}

}  // namespace

void declare_looks(Plan& plan, const std::optional<std::vector<int>>& looks, bool compared) {
  for (PlannedCase& one : plan.cases)
    if (looks)
      one.gate.looks = *looks;
    else if (compared && one.gate.looks.empty() && one.sampling.processes > 1)
      one.gate.looks = default_looks(one.sampling.processes);
}

std::map<std::string, int> open_cases(const Comparison& comparison) {
  std::map<std::string, int> open;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != Verdict::inconclusive || !row.look.next || !decides(row)) continue;
    const auto [known, added] = open.emplace(row.case_id, *row.look.next);
    if (!added) known->second = std::min(known->second, *row.look.next);
  }
  return open;
}

Result<TopUp> top_up(Store& store, Record& record, const TopUpOptions& options) {
  const Clock::time_point begin = Clock::now();
  const std::chrono::duration<double> budget(std::min(options.budget, most_seconds));
  const Clock::time_point deadline = begin + std::chrono::duration_cast<Clock::duration>(budget);
  TopUp done;
  done.budget = options.budget;
  std::map<std::string, int> before;
  for (std::map<std::string, int> open = open_cases_of(record, options); !open.empty() && open != before;
       open = open_cases_of(record, options)) {
    before = open;
    done.ended = Clock::now() >= deadline;
    if (done.ended) break;
    const Plan plan = plan_of_looks(with_benchmarks(options.plan, record), open);
    const std::vector<TopUpStage> stages = stages_of(open);
    const std::string label = fmt::format("look at {} processes", stages.back().processes);
    const std::size_t had = measured_pairs(record).size();
    const Result<RunReport> report =
        measure_into(store, record, plan, options.prepared, {options.quiet, label, deadline, false});
    if (!report) return fail(report.error());
    Result<Record> stored = store.load(record.id);
    if (!stored) return fail(rescued(record, stored.error()));
    record = std::move(*stored);
    done.results += measured_pairs(record).size() - had;
    done.stages.insert(done.stages.end(), stages.begin(), stages.end());
    done.ended = report->ended;
    done.interrupted = report->interrupted;
    if (done.ended || done.interrupted) break;
  }
  done.took = std::chrono::duration<double>(Clock::now() - begin).count();
  return done;
}

void tell(const TopUp& done, Comparison& comparison) {
  if (done.results > 0) {
    for (const auto& [processes, cases] : done.stages)
      comparison.remarks.push_back({RemarkCode::topped_up, {{"look", processes}, {"cases", cases}}});
    comparison.remarks.push_back(
        {RemarkCode::top_up_done, {{"results", done.results}, {"seconds", done.took}}});
  }
  if (!done.ended) return;
  std::size_t left = 0;
  for (ComparisonRow& row : comparison.rows) {
    if (row.verdict != Verdict::inconclusive || !row.look.next || !decides(row)) continue;
    ++left;
    row.diagnostics.push_back(
        {DiagnosticCode::budget_ended, {{"budget", done.budget}, {"look", *row.look.next}}});
  }
  comparison.remarks.push_back({RemarkCode::budget_ended, {{"budget", done.budget}, {"results", left}}});
}

}  // namespace harness
