#include "harness/measure/schedule/run.h"

#include <algorithm>
#include <csignal>
#include <deque>
#include <thread>
#include <utility>

#include "harness/measure/program/program_session.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/measure/schedule/schedule.h"
#include "harness/measure/schedule/worker_session.h"

namespace harness {
namespace {

// One plan at work: a run has one, and two where builds take turns.
struct Side {
  Side(const Plan& whole, const RunOptions& how) : plan(whole), options(how), journal(whole, how) {}

  const Plan& plan;
  const RunOptions& options;
  RunJournal journal;
};
using Sides = std::deque<Side>;

// Starting a child changes for a moment what SIGPIPE does. While lanes start children at the same time,
// SIGPIPE does nothing.
class QuietPipes {
 public:
  QuietPipes() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before_);
  }
  ~QuietPipes() { sigaction(SIGPIPE, &before_, nullptr); }
  QuietPipes(const QuietPipes&) = delete;
  QuietPipes& operator=(const QuietPipes&) = delete;

 private:
  struct sigaction before_ {};
};

// A case that failed is not tried again: it fails the run already, and a hang costs its whole timeout in each
// process. Later processes are skipped with the cause.
Result<OpenCases> without_hopeless(const Task& task, const Experience& experience, RunJournal& journal) {
  OpenCases open;
  for (const PlannedCase* planned : task.cases) {
    const auto found = experience.hopeless.find(planned->id);
    if (found == experience.hopeless.end()) {
      open.push_back(planned);
      continue;
    }
    ProcessResult result;
    result.case_id = planned->id;
    result.process = task.process;
    result.outcome = Outcome::skipped;
    result.reason = found->second;
    result.device_uuid = task.device_uuid;
    if (const Status kept = journal.add({std::move(result)}, nullptr, false); !kept)
      return fail(kept.error());
  }
  return open;
}

Status run_workers(const Task& task, const TaskContext& context, Experience& experience, OpenCases& open,
                   EndingWorkers& ending) {
  bool fresh = true;  // the worker before, if any, finished a case
  while (!open.empty() && !InterruptGuard::interrupted()) {
    const std::size_t before = open.size();
    WorkerSession session(task, context, experience, open, ending);
    const Result<WorkerSession::End> end = session.run();
    if (!end) return fail(end.error());
    if (*end != WorkerSession::End::restart) return {};
    const bool idle = open.size() == before;
    if (idle && !fresh) return session.give_up(Outcome::failed, {CauseCode::no_worker_lasted});
    fresh = !idle;
  }
  return {};
}

// The machine is known before the first of them is started, and no worker is left.
Status run_programs(const Task& task, const TaskContext& context, Experience& experience,
                    std::vector<const PlannedCase*>& open, EndingWorkers& ending) {
  ending.wait();
  if (!experience.opened.contains(task.kind)) {
    OpenCases cases(open.begin(), open.end());
    const Result<bool> greeted = WorkerSession(task, context, experience, cases, ending).greet();
    if (!greeted) return fail(greeted.error());
    if (!*greeted) return {};
  }
  return ProgramSession(task, context, experience, open).run();
}

// Each in a worker of its own, so that no other case can have changed its times.
Status run_suspects(Task task, const TaskContext& context, Experience& experience, EndingWorkers& ending) {
  task.audited = true;
  for (const PlannedCase* suspect : std::exchange(experience.suspects, {})) {
    OpenCases alone{suspect};
    if (Status done = run_workers(task, context, experience, alone, ending); !done) return done;
  }
  return {};
}

Status run_task(const Task& task, TaskContext context, Experience& experience, EndingWorkers& ending) {
  auto open = without_hopeless(task, experience, context.journal);
  if (!open) return fail(open.error());
  const auto programs =
      std::stable_partition(open->begin(), open->end(), [](const PlannedCase* one) { return !one->program; });
  std::vector<const PlannedCase*> started(programs, open->end());
  open->erase(programs, open->end());
  if (Status done = run_workers(task, context, experience, *open, ending); !done) return done;
  if (Status done = run_suspects(task, context, experience, ending); !done) return done;
  return started.empty() ? Status() : run_programs(task, context, experience, started, ending);
}

Result<RunReport> run_lane(const Lane& lane, Sides& sides, Decisions& decisions, EndingWorkers& ending) {
  std::vector<Experience> experience(sides.size());
  for (std::size_t side = 0; side < sides.size(); ++side)
    experience[side].ceilings = sides[side].options.ceilings;
  RunReport report;
  for (const Task& task : lane) {
    Side& side = sides[task.turn];
    report.ended = !side.journal.may_begin();
    if (report.ended) break;
    const TaskContext context{side.plan, side.options, side.journal, decisions};
    if (const Status done = run_task(task, context, experience[task.turn], ending); !done)
      return fail(done.error());
    report.interrupted = InterruptGuard::interrupted();
    if (report.interrupted) break;
  }
  return report;
}

// Each lane has a thread.
Result<RunReport> run_lanes(const Stage& stage, Sides& sides, Decisions& decisions) {
  const QuietPipes quiet;
  std::vector<Result<RunReport>> reports(stage.size(), RunReport{});
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < stage.size(); ++i)
    threads.emplace_back([&, i] {
      EndingWorkers ending;
      reports[i] = run_lane(stage[i], sides, decisions, ending);
    });
  for (std::thread& thread : threads) thread.join();
  RunReport all;
  for (const Result<RunReport>& report : reports) {
    if (!report) return fail(report.error());
    all.ended = all.ended || report->ended;
    all.interrupted = all.interrupted || report->interrupted;
  }
  return all;
}

// All draining workers exit before the run is over, unless it leaves them, and before lanes begin.
Result<RunReport> run_schedule(const Schedule& schedule, Sides& sides) {
  EndingWorkers own;
  const RunOptions& options = sides.front().options;
  EndingWorkers& ending = options.ending ? *options.ending : own;
  Decisions decisions;
  Result<RunReport> report;
  for (const Stage& stage : schedule) {
    if (stage.size() > 1) ending.wait();
    report = stage.size() == 1 ? run_lane(stage.front(), sides, decisions, ending)
                               : run_lanes(stage, sides, decisions);
    if (!report || report->ended || report->interrupted) break;
  }
  if (!options.leaves_worker) ending.wait();
  return report;
}

}  // namespace

Result<RunReport> run_plan(const Plan& plan, const RunOptions& options) {
  if (!options.on_result || (measures_both(options) && !options.on_baseline))
    return fail(ErrorKind::internal, "a run needs somewhere to put its results");
  if (options.pair && !options.side_by_side.empty())
    return fail(ErrorKind::internal, "two builds in one process are measured on one device");
  const InterruptGuard guard;
  Sides sides;
  sides.emplace_back(plan, options);
  return run_schedule(schedule_of(plan, options), sides);
}

Result<RunReport> run_in_turns(const Turn& baseline, const Turn& current, std::uint64_t seed) {
  if (!baseline.options.on_result || !current.options.on_result)
    return fail(ErrorKind::internal, "a run needs somewhere to put its results");
  const InterruptGuard guard;
  Sides sides;
  sides.emplace_back(baseline.plan, baseline.options);
  sides.emplace_back(current.plan, current.options);
  return run_schedule(schedule_in_turns(baseline, current, seed), sides);
}

}  // namespace harness
