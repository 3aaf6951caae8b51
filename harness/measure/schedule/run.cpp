#include "harness/measure/schedule/run.h"

#include <algorithm>
#include <csignal>
#include <deque>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "harness/base/files.h"
#include "harness/measure/program/program_session.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/measure/schedule/schedule.h"
#include "harness/measure/schedule/worker_session.h"

namespace harness {
namespace {

// One plan at work: a run has one, and two where builds take turns.
struct Side {
  Side(const Plan& plan_, const RunOptions& options_)
      : plan(plan_), options(options_), journal(plan_, options_) {}

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
Result<std::vector<const PlannedCase*>> without_hopeless(const Task& task, const Experience& experience,
                                                         RunJournal& journal) {
  std::vector<const PlannedCase*> open;
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

Status run_workers(const Task& task, const TaskContext& context, Experience& experience,
                   std::vector<const PlannedCase*>& open, EndingWorkers& ending) {
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
    const Result<bool> greeted = WorkerSession(task, context, experience, open, ending).greet();
    if (!greeted) return fail(greeted.error());
    if (!*greeted) return {};
  }
  return ProgramSession(task, context, experience, open).run();
}

// Each in a worker of its own, so that no other case can have changed its times.
Status run_suspects(Task task, const TaskContext& context, Experience& experience, EndingWorkers& ending) {
  task.audited = true;
  for (const PlannedCase* suspect : std::exchange(experience.suspects, {})) {
    std::vector<const PlannedCase*> alone{suspect};
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

// The things that lanes share, and what one of them has shown.
struct LaneWork {
  Sides& sides;
  Decisions& decisions;
  std::string token = {};                   // TaskContext's
  std::vector<Experience> experience = {};  // a side each
  Lane left = {};                           // what needs the device alone
};

// Moves what the device has no room for to `left`; everything, where it takes one worker at a time.
void leave_crowded(const Lane& lane, std::size_t at, LaneWork& work) {
  Experience& experience = work.experience[lane[at].turn];
  const auto leave = [&](Task task) {
    task.workers = 1;
    if (!task.cases.empty()) work.left.push_back(std::move(task));
  };
  Task crowded = lane[at];
  crowded.cases = std::exchange(experience.crowded, {});
  leave(std::move(crowded));
  for (std::size_t i = at + 1; experience.refused && i < lane.size(); ++i) leave(lane[i]);
}

Result<RunReport> run_lane(const Lane& lane, LaneWork& work, EndingWorkers& ending) {
  work.experience.resize(work.sides.size());
  RunReport report;
  for (std::size_t i = 0; i < lane.size(); ++i) {
    const Task& task = lane[i];
    Side& side = work.sides[task.turn];
    report.ended = !side.journal.may_begin();
    if (report.ended) break;
    const TaskContext context{side.plan, side.options, side.journal, work.decisions, work.token};
    if (const Status done = run_task(task, context, work.experience[task.turn], ending); !done)
      return fail(done.error());
    leave_crowded(lane, i, work);
    report.interrupted = InterruptGuard::interrupted();
    if (report.interrupted || work.experience[task.turn].refused) break;
  }
  return report;
}

// Each lane has a thread.
Result<RunReport> run_threads(const Stage& stage, std::vector<LaneWork>& works) {
  const QuietPipes quiet;
  std::vector<Result<RunReport>> reports(stage.size(), RunReport{});
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < stage.size(); ++i)
    threads.emplace_back([&, i] {
      EndingWorkers ending;
      reports[i] = run_lane(stage[i], works[i], ending);
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

// Runs what the lanes left, one task after the other, by one who knows what they have shown.
Result<RunReport> run_left(std::vector<LaneWork>& works, EndingWorkers& ending) {
  LaneWork alone{works.front().sides, works.front().decisions};
  alone.experience.resize(alone.sides.size());
  Lane left;
  for (LaneWork& work : works) {
    left.insert(left.end(), work.left.begin(), work.left.end());
    for (std::size_t side = 0; side < work.experience.size(); ++side) {
      alone.experience[side].hopeless.merge(work.experience[side].hopeless);
      alone.experience[side].opened.merge(work.experience[side].opened);
      alone.experience[side].ceilings.merge(work.experience[side].ceilings);
    }
  }
  std::stable_sort(left.begin(), left.end(),
                   [](const Task& one, const Task& other) { return one.process < other.process; });
  return run_lane(left, alone, ending);
}

Result<RunReport> run_lanes(const Stage& stage, Sides& sides, Decisions& decisions, EndingWorkers& ending) {
  std::optional<TemporaryFolder> folder;
  std::vector<LaneWork> works(stage.size(), LaneWork{sides, decisions});
  if (stage.front().front().workers > 1) {
    const std::filesystem::path file = folder.emplace().path() / "device";
    if (const Status made = write_file_atomically(file, ""); !made) return fail(made.error());
    for (LaneWork& work : works) work.token = file.string();
  }
  Result<RunReport> report = run_threads(stage, works);
  if (!report || report->ended || report->interrupted) return report;
  return run_left(works, ending);
}

// All draining workers exit before the run is over, and before lanes begin.
Result<RunReport> run_schedule(const Schedule& schedule, Sides& sides) {
  EndingWorkers own;
  EndingWorkers& ending = sides.front().options.ending ? *sides.front().options.ending : own;
  Decisions decisions;
  Result<RunReport> report;
  for (const Stage& stage : schedule) {
    if (stage.size() > 1) ending.wait();
    LaneWork alone{sides, decisions};
    report = stage.size() == 1 ? run_lane(stage.front(), alone, ending)
                               : run_lanes(stage, sides, decisions, ending);
    if (!report || report->ended || report->interrupted) break;
  }
  ending.wait();
  return report;
}

}  // namespace

Result<RunReport> run_plan(const Plan& plan, const RunOptions& options) {
  if (!options.on_result || (options.pair && !options.on_baseline))
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
