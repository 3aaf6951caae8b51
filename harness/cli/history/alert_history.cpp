#include "harness/cli/history/alert_history.h"

#include <set>

#include "harness/cli/options/date.h"
#include "harness/store/sql/alert_marks.h"
#include "harness/study/rate_alerts.h"

namespace harness {
namespace {

// A run of the branch that its verdict says something of, as for a series of results.
bool counts(const RunInfo& run, const std::set<std::string>& commits) {
  return !run.calibration && !run.paired && !run.revision.dirty && run.state == RunState::complete &&
         !run.verdict.empty() && commits.contains(run.revision.commit);
}

// The cases that regressed; only asked for where one did.
Status read_cases(Store& store, JudgedRun& judged) {
  const auto cases = store.cases_of(judged.record);
  if (!cases) return fail(cases.error());
  for (const StoredCase& one : *cases)
    if (one.verdict == name_of(Verdict::regressed)) (one.waived ? judged.waived : judged.red).insert(one.id);
  return {};
}

}  // namespace

Result<AlertRates> read_alerts(Store& store, const StoredHistory& stored, const std::vector<Commit>& branch,
                               const std::vector<Trend>& trends) {
  const Result<std::string> now = today();
  if (!now) return fail(now.error());
  const Result<std::vector<RecordName>> names = store.names();
  if (!names) return fail(names.error());
  const std::map<std::string, AlertMark> marks = marks_in(*names);
  std::set<std::string> commits;
  for (const Commit& commit : branch) commits.insert(commit.hash);
  const std::string first_read =
      days_before(*now, 2 * alert_days);  // an alert may have begun before the 90 days
  std::vector<JudgedRun> runs;
  for (auto run = stored.runs.rbegin(); run != stored.runs.rend(); ++run) {
    const RunInfo& info = run->info;
    if (info.started < first_read) continue;
    const auto mark = marks.find(info.id);
    if (mark == marks.end() && !counts(info, commits)) continue;
    if (!commits.contains(info.revision.commit)) continue;  // marked, and of another branch
    const std::optional<Verdict> verdict = parse_name<Verdict>(info.verdict);
    JudgedRun judged;
    judged.record = info.id;
    judged.commit = info.revision.commit;
    judged.started = info.started;
    judged.machine_class = info.machine_class;
    judged.device_uuid = info.device_uuid;
    judged.whole = !info.partial;
    judged.passed = verdict && is_pass(*verdict);
    if (mark != marks.end()) judged.mark = mark->second;
    // A night with a failed case may have a slower one, too.
    if (verdict == Verdict::regressed || verdict == Verdict::failed) {
      if (const Status read = read_cases(store, judged); !read) return fail(read.error());
      judged.passed = verdict == Verdict::regressed && judged.red.empty() && !judged.waived.empty();
    }
    runs.push_back(std::move(judged));
  }
  return rate_alerts(runs, trends, days_before(*now, alert_days));
}

}  // namespace harness
