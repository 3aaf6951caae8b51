#include "harness/measure/schedule/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <utility>

#include "harness/measure/schedule/interrupt.h"
#include "harness/measure/schedule/side_by_side.h"
#include "harness/measure/schedule/worker_process.h"
#include "harness/stats/series/turns.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;
using Cases = std::vector<const PlannedCase*>;

constexpr Seconds opening_deadline = 120;  // for a worker to open its device and measure its ceilings
constexpr Seconds idle_deadline = 60;      // between two cases, preheat not counted

// How a case ends that is not measured.
struct Ending {
  Outcome outcome = Outcome::failed;
  std::string reason;
};

class Run {
 public:
  // Of `ending`, none is left when a case is measured.
  Run(const Plan& plan, const RunOptions& options, EndingWorkers& ending);
  Result<RunReport> all();

  // The parts of all(): whoever calls them counts the processes and minds interruptions.
  [[nodiscard]] int processes() const;
  [[nodiscard]] const std::vector<std::string>& kinds() const { return kinds_; }
  Status one_process(int process, const std::string& kind);

 private:
  enum class Next { listen, finished, restart, stop };

  [[nodiscard]] Cases order(int process, const std::string& kind) const;
  Status drop_hopeless(Cases& cases, int process);
  [[nodiscard]] Job job_for(const Cases& cases, int process, const std::string& kind) const;
  Result<Next> serve(WorkerProcess& worker, Cases& cases, int process, const std::string& kind);
  Result<Next> closed(WorkerProcess& worker, Cases& cases, int process);
  Result<Next> timed_out(WorkerProcess& worker, Cases& cases, int process);
  Result<Next> take(WorkerProcess::Said said, WorkerProcess& worker, Cases& cases, int process,
                    const std::string& kind);
  Result<Next> take_result(EncodedResult result, const EncodedResult* baseline, WorkerProcess& worker,
                           Cases& cases, int process);
  void greet(const Hello& hello, const std::string& kind);
  Result<Next> lost(WorkerProcess& worker, Cases& cases, int process, const Ending& ending);
  Result<Next> give_up(Cases& cases, int process, const Ending& ending);
  Status finish(Cases& cases, EncodedResult result, const EncodedResult* baseline = nullptr);
  Status hand_over(EncodedResult result, const EncodedResult* baseline = nullptr);
  [[nodiscard]] Seconds deadline(const Cases& cases) const;
  [[nodiscard]] std::string device_of(const std::string& kind) const;
  void report_progress();

  const Plan& plan_;
  const RunOptions& options_;
  EndingWorkers& ending_;
  RunReport report_;
  std::vector<std::string> kinds_;               // in the order of the plan
  std::map<std::string, std::string> hopeless_;  // by case id: why it is not tried again
  std::set<std::string> opened_;                 // kinds whose device was seen
  const PlannedCase* current_ = nullptr;         // that the worker has begun
  bool greeted_ = false;                         // by the worker at hand
  bool beside_ = false;                          // it opened its device while another one ended
  Progress progress_;
  std::size_t measured_ = 0;  // by workers, in this run
  Clock::time_point begin_ = Clock::now();
};

Run::Run(const Plan& plan, const RunOptions& options, EndingWorkers& ending)
    : plan_(plan), options_(options), ending_(ending) {
  for (const PlannedCase& planned : plan.cases) {
    if (planned.skip) continue;
    if (std::find(kinds_.begin(), kinds_.end(), planned.device) == kinds_.end())
      kinds_.push_back(planned.device);
    for (int process = 1; process <= planned.sampling.processes; ++process) {
      ++progress_.total;
      progress_.done += options.already.count({planned.id, process});
    }
  }
}

int Run::processes() const {
  int most = 0;
  for (const PlannedCase& planned : plan_.cases) most = std::max(most, planned.sampling.processes);
  return most;
}

Result<RunReport> Run::all() {
  const int last = processes();
  for (int process = 1; process <= last; ++process)
    for (const std::string& kind : kinds_) {
      if (options_.may_begin && !order(process, kind).empty() && !options_.may_begin()) {
        report_.ended = true;
        return report_;
      }
      const Status done = one_process(process, kind);
      if (!done) return fail(done.error());
      if (InterruptGuard::interrupted()) {
        report_.interrupted = true;
        return report_;
      }
    }
  return report_;
}

// The cases of one process in an order of its own (Fisher and Yates, so that every standard library
// gives the same), without those that a continued run has already.
Cases Run::order(int process, const std::string& kind) const {
  Cases cases;
  for (const PlannedCase& planned : plan_.cases)
    if (!planned.skip && planned.device == kind && process <= planned.sampling.processes &&
        !options_.already.contains({planned.id, process}))
      cases.push_back(&planned);
  std::seed_seq seeds{static_cast<std::uint32_t>(options_.order_seed),
                      static_cast<std::uint32_t>(options_.order_seed >> 32),
                      static_cast<std::uint32_t>(process)};
  std::mt19937_64 random(seeds);
  for (std::size_t left = cases.size(); left > 1; --left) std::swap(cases[left - 1], cases[random() % left]);
  return cases;
}

Status Run::one_process(int process, const std::string& kind) {
  Cases cases = order(process, kind);
  if (Status dropped = drop_hopeless(cases, process); !dropped) return dropped;
  bool fresh = true;  // no worker was started for these cases yet
  while (!cases.empty() && !InterruptGuard::interrupted()) {
    const std::size_t before = cases.size();
    progress_.process = process;
    current_ = nullptr;
    greeted_ = false;
    beside_ = !ending_.none();
    Result<WorkerProcess> worker =
        WorkerProcess::start(options_.worker_command, job_for(cases, process, kind), options_.worker_folder);
    if (!worker) return fail(worker.error());
    ending_.wait();
    worker->begin();
    const Result<Next> next = serve(*worker, cases, process, kind);
    if (!next) return fail(next.error());
    if (*next != Next::restart) return {};
    const bool idle = cases.size() == before;
    if (idle && !fresh) {
      const auto given_up = give_up(
          cases, process, {Outcome::failed, "two workers in a row ended before they measured anything"});
      return given_up ? Status{} : fail(given_up.error());
    }
    fresh = !idle;
  }
  return {};
}

// A case that failed is not tried again: it fails the run already, and a hang costs its whole timeout
// in each process. Later processes say so instead.
Status Run::drop_hopeless(Cases& cases, int process) {
  Cases hopeful;
  for (const PlannedCase* planned : cases) {
    const auto found = hopeless_.find(planned->id);
    if (found == hopeless_.end()) {
      hopeful.push_back(planned);
      continue;
    }
    EncodedResult result{{planned->id, process, Outcome::skipped, found->second, {}, {}, {}}};
    if (Status handed = hand_over(std::move(result)); !handed) return handed;
  }
  cases = std::move(hopeful);
  return {};
}

std::string Run::device_of(const std::string& kind) const {
  const auto found = options_.devices.find(kind);
  return found == options_.devices.end() ? kind : found->second;
}

Job Run::job_for(const Cases& cases, int process, const std::string& kind) const {
  Job job;
  job.device = device_of(kind);
  job.process = process;
  job.modules = plan_.modules;
  if (const auto uuid = options_.device_uuids.find(kind); uuid != options_.device_uuids.end())
    job.device_uuid = uuid->second;
  job.suite = plan_.suite.name;
  job.measure_ceilings = options_.measure_ceilings && !opened_.contains(kind);
  job.pair = options_.pair;
  for (const PlannedCase* planned : cases) job.cases.push_back(*planned);
  return job;
}

Seconds Run::deadline(const Cases& cases) const {
  if (current_ != nullptr) return current_->sampling.timeout * (options_.pair ? 2 : 1);
  if (!greeted_) return opening_deadline;
  Seconds longest = 0;
  for (const PlannedCase* planned : cases)
    longest = std::max({longest, planned->sampling.preheat, planned->sampling.preheat_most});
  return idle_deadline + longest;
}

// Reads one worker's messages until it has said all, or has to be replaced.
Result<Run::Next> Run::serve(WorkerProcess& worker, Cases& cases, int process, const std::string& kind) {
  Result<Next> next = Next::listen;
  while (next && *next == Next::listen) {
    WorkerProcess::Event event = worker.next(deadline(cases), [&] { report_progress(); });
    if (std::holds_alternative<WorkerProcess::Interrupted>(event))
      next = Next::stop;
    else if (std::holds_alternative<WorkerProcess::Closed>(event))
      next = closed(worker, cases, process);
    else if (std::holds_alternative<WorkerProcess::TimedOut>(event))
      next = timed_out(worker, cases, process);
    else if (const Error* error = std::get_if<Error>(&event))
      next = lost(worker, cases, process,
                  {Outcome::failed, "the worker cannot be understood: " + error->message});
    else
      next = take(std::get<WorkerProcess::Said>(std::move(event)), worker, cases, process, kind);
  }
  return next;
}

Result<Run::Next> Run::closed(WorkerProcess& worker, Cases& cases, int process) {
  const std::string how = worker.post_mortem();
  if (current_ != nullptr) return lost(worker, cases, process, {Outcome::failed, "crashed: " + how});
  if (greeted_) return Next::restart;  // it gave up a device that the case before had broken
  return lost(worker, cases, process, {Outcome::failed, "the worker ended before it was ready: " + how});
}

Result<Run::Next> Run::timed_out(WorkerProcess& worker, Cases& cases, int process) {
  std::string reason =
      current_ != nullptr
          ? fmt::format("did not end within {:g} s; raise `timeout`, or take fewer samples", deadline(cases))
          : fmt::format("the worker said nothing for {:g} s", deadline(cases));
  if (const std::string last = worker.printed(); !last.empty()) reason += "; it printed last: " + last;
  return lost(worker, cases, process, {Outcome::timed_out, std::move(reason)});
}

Result<Run::Next> Run::take(WorkerProcess::Said said, WorkerProcess& worker, Cases& cases, int process,
                            const std::string& kind) {
  if (const auto* hello = std::get_if<Hello>(&said.message)) {
    greet(*hello, kind);
  } else if (const auto* begin = std::get_if<Begin>(&said.message)) {
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const PlannedCase* planned) {
      return planned->id == begin->case_id;
    });
    if (found == cases.end())
      return lost(worker, cases, process, {Outcome::failed, "the worker began a case that it was not given"});
    current_ = *found;
    progress_.case_id = begin->case_id;
    report_progress();
  } else if (auto* result = std::get_if<ProcessResult>(&said.message)) {
    return take_result({std::move(*result), said.text(0)}, nullptr, worker, cases, process);
  } else if (auto* pair = std::get_if<PairResult>(&said.message)) {
    const EncodedResult baseline{std::move(pair->baseline), said.text(0)};
    return take_result({std::move(pair->current), said.text(1)}, &baseline, worker, cases, process);
  } else if (const auto* refusal = std::get_if<Refusal>(&said.message)) {
    worker.dismiss();
    // In exclusive mode, or with its memory taken, a device does not open before the other one is gone.
    if (beside_ && !greeted_) return Next::restart;
    // A device that never opened is not there; one that opened before and no longer does has failed.
    const Outcome outcome = opened_.contains(kind) ? Outcome::failed : Outcome::skipped;
    return give_up(cases, process, {outcome, refusal->reason});
  } else {
    ending_.add(std::move(worker));
    return give_up(cases, process, {Outcome::failed, "the worker left it out"});  // there should be none
  }
  return Next::listen;
}

void Run::greet(const Hello& hello, const std::string& kind) {
  greeted_ = true;
  if (opened_.insert(kind).second && options_.on_machine) options_.on_machine(kind, hello.machine);
}

Result<Run::Next> Run::take_result(EncodedResult result, const EncodedResult* baseline, WorkerProcess& worker,
                                   Cases& cases, int process) {
  if (options_.pair.has_value() != (baseline != nullptr))
    return lost(worker, cases, process, {Outcome::failed, "the worker measured another number of builds"});
  if (current_ == nullptr || result.result.case_id != current_->id || result.result.process != process)
    return lost(worker, cases, process, {Outcome::failed, "the worker sent a result of another case"});
  ++measured_;
  const Status finished = finish(cases, std::move(result), baseline);
  if (!finished) return fail(finished.error());
  return Next::listen;
}

// The worker at hand is of no more use. The case that it was in gets the blame; without one, all do.
Result<Run::Next> Run::lost(WorkerProcess& worker, Cases& cases, int process, const Ending& ending) {
  worker.kill();
  if (current_ == nullptr) return give_up(cases, process, ending);
  ++measured_;
  const Status finished = finish(cases, {{current_->id, process, ending.outcome, ending.reason, {}, {}, {}}});
  if (!finished) return fail(finished.error());
  return Next::restart;
}

Result<Run::Next> Run::give_up(Cases& cases, int process, const Ending& ending) {
  while (!cases.empty()) {
    current_ = cases.front();
    const Status finished =
        finish(cases, {{current_->id, process, ending.outcome, ending.reason, {}, {}, {}}});
    if (!finished) return fail(finished.error());
  }
  return Next::finished;
}

// The current case is over, in this process at least. Of two builds, one that ends ends the pair.
Status Run::finish(Cases& cases, EncodedResult result, const EncodedResult* baseline) {
  std::erase(cases, std::exchange(current_, nullptr));
  for (const EncodedResult* side : {&std::as_const(result), baseline}) {
    if (side == nullptr || side->result.outcome == Outcome::measured) continue;
    const ProcessResult& one = side->result;
    hopeless_.insert({one.case_id, one.outcome == Outcome::skipped
                                       ? one.reason
                                       : fmt::format("not tried again after process {}: {}", one.process,
                                                     name_of(one.outcome))});
  }
  return hand_over(std::move(result), baseline);
}

// What befell the process befell both builds in it.
Status Run::hand_over(EncodedResult result, const EncodedResult* baseline) {
  progress_.case_id = result.result.case_id;
  progress_.process = result.result.process;
  if (options_.pair)
    if (Status taken = options_.on_baseline(baseline != nullptr ? *baseline : result); !taken) return taken;
  if (Status taken = options_.on_result(std::move(result)); !taken) return taken;
  ++progress_.done;
  report_progress();
  return {};
}

void Run::report_progress() {
  if (!options_.on_progress) return;
  progress_.elapsed = std::chrono::duration<double>(Clock::now() - begin_).count();
  const auto remaining = static_cast<double>(progress_.total - progress_.done);
  progress_.left = measured_ == 0 ? 0 : progress_.elapsed / static_cast<double>(measured_) * remaining;
  options_.on_progress(progress_);
}

// The kinds of both, those of the first in its order.
std::vector<std::string> kinds_of(const Run& one, const Run& other) {
  std::vector<std::string> kinds = one.kinds();
  for (const std::string& kind : other.kinds())
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  return kinds;
}

}  // namespace

Result<RunReport> run_in_turns(const Turn& baseline, const Turn& current, std::uint64_t seed) {
  if (!baseline.options.on_result || !current.options.on_result)
    return fail(ErrorKind::internal, "a run needs somewhere to put its results");
  const InterruptGuard guard;
  EndingWorkers ending;  // of either
  Run before(baseline.plan, baseline.options, ending), after(current.plan, current.options, ending);
  const int last = std::max(before.processes(), after.processes());
  for (int process = 1; process <= last; ++process)
    for (const std::string& kind : kinds_of(before, after)) {
      std::array<Run*, 2> order{&before, &after};
      if (stats::current_first(process, seed)) std::swap(order[0], order[1]);
      for (Run* one : order) {
        if (const Status done = one->one_process(process, kind); !done) return fail(done.error());
        if (InterruptGuard::interrupted()) return RunReport{.interrupted = true};
      }
    }
  return RunReport{};
}

Result<RunReport> run_one_by_one(const Plan& plan, const RunOptions& options) {
  EndingWorkers own;
  EndingWorkers& ending = options.ending ? *options.ending : own;
  Result<RunReport> report = Run(plan, options, ending).all();
  ending.wait();
  return report;
}

Result<RunReport> run_plan(const Plan& plan, const RunOptions& options) {
  if (!options.on_result || (options.pair && !options.on_baseline))
    return fail(ErrorKind::internal, "a run needs somewhere to put its results");
  const InterruptGuard guard;
  if (!options.side_by_side.empty()) return run_side_by_side(plan, options);
  return run_one_by_one(plan, options);
}

}  // namespace harness
