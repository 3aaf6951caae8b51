// WorkerSession: one worker process, until it has measured its cases or must be replaced. The caller starts
// another one for the remaining cases. One thread uses it.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/measure/schedule/decisions.h"
#include "harness/measure/schedule/run_journal.h"
#include "harness/measure/schedule/schedule.h"

#include "harness/measure/schedule/worker_process.h"

namespace harness {

// The plan that a task is of.
struct TaskContext {
  const Plan& plan;
  const RunOptions& options;
  RunJournal& journal;
  Decisions& decisions;
};

// Things that the workers of one plan on one device have shown so far.
// The benchmarks that the output of a program named so far, and in which processes.
struct SeenBenchmarks {
  std::set<int> processes = {};
  std::set<std::string> cases = {};
};

struct Experience {
  std::map<std::string, SeenBenchmarks> benchmarks = {};  // by program
  std::map<std::string, Cause> hopeless = {};             // by case id: why it is not tried again
  std::map<std::string, std::string> opened = {};         // by kind: UUID of the device that was seen
  std::map<std::string, std::map<std::string, double>> ceilings = {};  // likewise: of that device, if known
  // Cases of the task at hand whose times were incorrect in a worker that had measured others.
  std::vector<const PlannedCase*> suspects = {};

  // A case that failed is hopeless.
  void learn(const ProcessResult& result);
};

// How long a worker may say nothing between its hello and the next of these cases. It preheats for the
// longest of them, and may work at full power first.
Seconds longest_silence(const std::vector<const PlannedCase*>& open);

// In the order to measure them, so that the first one goes first.
using OpenCases = std::deque<const PlannedCase*>;

class WorkerSession {
 public:
  enum class End {
    finished,  // nothing is left to measure
    restart,   // the cases that are left need another worker
    stop,      // the user wants to stop
  };

  // `open`: the cases to measure; the session removes finished ones. `ending`: workers that must have ended
  // before this one measures; it joins them after its last message.
  WorkerSession(const Task& task, TaskContext context, Experience& experience, OpenCases& open,
                EndingWorkers& ending)
      : task_(task), context_(context), experience_(experience), open_(open), ending_(ending) {}

  // An Error when no worker can be started or the journal fails.
  Result<End> run();

  // Starts a worker only to learn which machine this is. False: it has no such device, and the open cases are
  // over; or the user wants to stop.
  Result<bool> greet();

  // Gives all open cases this end.
  Status give_up(Outcome outcome, const Cause& cause);

 private:
  using Next = std::optional<End>;  // none: listen on

  [[nodiscard]] Job job() const;
  [[nodiscard]] bool link_unknown() const;
  [[nodiscard]] Seconds deadline() const;
  Result<Next> take(const WorkerProcess::Closed&);
  Result<Next> take(const WorkerProcess::TimedOut&);
  Result<Next> take(const WorkerProcess::Interrupted&);
  Result<Next> take(const WorkerProcess::Forged&);
  Result<Next> take(const Error& error);
  Result<Next> take(WorkerProcess::Said& said);
  Result<Next> hear(const Hello& hello, const WorkerProcess::Said&);
  Result<Next> hear(const Begin& begin, const WorkerProcess::Said&);
  Result<Next> hear(ProcessResult& result, const WorkerProcess::Said& said);
  Result<Next> hear(PairResult& pair, const WorkerProcess::Said& said);
  Result<Next> hear(const Refusal& refusal, const WorkerProcess::Said&);
  Result<Next> hear(const Done&, const WorkerProcess::Said&);
  Result<Next> take_result(EncodedResult result, const EncodedResult* baseline);
  Result<Next> out_of_protocol(const char* message);
  Result<Next> lost(Outcome outcome, const Cause& cause);
  Result<Next> finished(const Status& given_up);
  void check_floor(EncodedResult& result) const;
  [[nodiscard]] bool is_suspect(const ProcessResult& result) const;
  void forget(const PlannedCase* over);
  Status finish_current(EncodedResult result, const EncodedResult* baseline, bool measured);
  [[nodiscard]] EncodedResult ended(const PlannedCase& planned, Outcome outcome, const Cause& cause) const;

  const Task& task_;
  TaskContext context_;
  Experience& experience_;
  OpenCases& open_;
  Seconds silence_ = 0;  // the longest that the worker may need between two cases
  EndingWorkers& ending_;
  std::optional<WorkerProcess> worker_;
  std::map<std::string, PlannedCase> sent_;  // to the worker, by id: with what was decided by then
  const PlannedCase* current_ = nullptr;     // that the worker has begun
  int begun_ = 0;                            // cases, by the worker
  bool greeted_ = false;
  bool overlapped_ = false;  // it opened its device while another worker ended
  bool only_greets_ = false;
  bool disagreed_ = false;  // a case is measured again, as another process measured it
};

}  // namespace harness
