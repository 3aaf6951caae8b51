#include "harness/measure/schedule/worker_session.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "harness/base/text.h"
#include "harness/measure/rules/floor.h"
#include "harness/measure/schedule/interrupt.h"

namespace harness {
namespace {

constexpr Seconds opening_deadline = 120;  // for a worker to open its device and measure its ceilings
constexpr Seconds idle_deadline = 60;      // between two cases, without preheating

Figures with_printed(Figures figures, const std::string& printed) {
  if (!printed.empty()) figures.emplace_back("printed", printed);
  return figures;
}

Figures figures_of(const WorkerEnd& end) {
  const Figure how =
      end.exit.signal != 0 ? Figure("signal", end.exit.signal) : Figure("status", end.exit.code);
  return with_printed({how}, end.printed);
}

}  // namespace

Seconds longest_silence(const std::vector<const PlannedCase*>& open) {
  Seconds preheating = 0, full_power = 0;
  for (const PlannedCase* planned : open) {
    preheating = std::max({preheating, planned->sampling.preheat, planned->sampling.preheat_most});
    full_power = std::max(full_power, planned->sampling.full_power);
  }
  return idle_deadline + preheating + full_power;
}

void Experience::learn(const ProcessResult& result) {
  if (result.outcome == Outcome::measured || result.outcome == Outcome::looked_at) return;
  const bool skipped = result.outcome == Outcome::skipped && result.reason;
  hopeless.insert({result.case_id, skipped ? *result.reason
                                           : Cause{CauseCode::not_tried_again,
                                                   {{"process", result.process},
                                                    {"outcome", std::string(name_of(result.outcome))}}}});
}

Result<bool> WorkerSession::greet() {
  only_greets_ = true;
  const Result<End> end = run();
  if (!end) return fail(end.error());
  return *end != End::stop && experience_.opened.contains(task_.kind);
}

Result<WorkerSession::End> WorkerSession::run() {
  overlapped_ = !ending_.none();
  const Job job = this->job();
  silence_ = longest_silence({open_.begin(), open_.end()});
  sent_.clear();
  for (const PlannedCase& planned : job.cases) sent_.emplace(planned.id, planned);
  Result<WorkerProcess> started =
      WorkerProcess::start(context_.options.worker_command, job, context_.options.worker_folder);
  if (!started) return fail(started.error());
  worker_.emplace(std::move(*started));
  ending_.wait();
  worker_->begin();
  while (true) {
    WorkerProcess::Event event = worker_->next(deadline(), [this] { context_.journal.show_progress(); });
    const Result<Next> next = std::visit([this](auto& one) { return take(one); }, event);
    if (!next) return fail(next.error());
    if (*next) return **next;
  }
}

Job WorkerSession::job() const {
  Job job;
  job.device = task_.device;
  job.process = task_.process;
  job.device_uuid = task_.device_uuid;
  job.modules = context_.plan.modules;
  job.suite = context_.plan.suite.name;
  job.peers = task_.peers;
  job.measure_ceilings = !only_greets_ && context_.options.measure_ceilings && !context_.options.look &&
                         (!experience_.opened.contains(task_.kind) || link_unknown());
  job.look = context_.options.look;
  job.counters = context_.options.counters;
  job.audit_draw = task_.audited ? 0 : context_.decisions.audit_draw();
  job.pair = context_.options.pair;
  if (only_greets_) return job;
  for (const PlannedCase* planned : open_) job.cases.push_back(context_.decisions.decided(*planned));
  return job;
}

// Only a worker that owns several GPUs can measure their link.
bool WorkerSession::link_unknown() const {
  if (task_.peers.empty()) return false;
  const auto known = experience_.ceilings.find(task_.kind);
  return known == experience_.ceilings.end() || !known->second.contains(link_ceiling);
}

Seconds WorkerSession::deadline() const {
  if (current_ != nullptr) return current_->sampling.timeout * (context_.options.pair ? 2 : 1);
  return greeted_ ? silence_ : opening_deadline;
}

Result<WorkerSession::Next> WorkerSession::take(const WorkerProcess::Interrupted&) {
  return End::stop;
}

Result<WorkerSession::Next> WorkerSession::take(const WorkerProcess::Closed&) {
  const WorkerEnd end = worker_->post_mortem();
  if (InterruptGuard::interrupted_with(end.exit.signal)) return End::stop;
  if (current_ != nullptr) return lost(Outcome::failed, {CauseCode::crashed, figures_of(end)});
  if (greeted_) return End::restart;  // it gave up a device that the case before had broken
  return lost(Outcome::failed, {CauseCode::worker_ended, figures_of(end)});
}

Result<WorkerSession::Next> WorkerSession::take(const WorkerProcess::TimedOut&) {
  const CauseCode code = current_ != nullptr ? CauseCode::timed_out : CauseCode::worker_silent;
  return lost(Outcome::timed_out, {code, with_printed({{"limit", deadline()}}, worker_->printed())});
}

Result<WorkerSession::Next> WorkerSession::take(const WorkerProcess::Forged&) {
  return lost(Outcome::failed, {CauseCode::worker_forged});
}

Result<WorkerSession::Next> WorkerSession::take(const Error& error) {
  return lost(Outcome::failed, {CauseCode::worker_unintelligible, {{"problem", printable(error.message)}}});
}

Result<WorkerSession::Next> WorkerSession::take(WorkerProcess::Said& said) {
  return std::visit([&](auto& message) { return hear(message, said); }, said.message);
}

Result<WorkerSession::Next> WorkerSession::hear(const Hello& hello, const WorkerProcess::Said&) {
  greeted_ = true;
  const bool found_link = link_unknown() && hello.machine.ceilings.contains(link_ceiling);
  if (experience_.opened.emplace(task_.kind, hello.machine.device_uuid).second || found_link)
    context_.journal.found_machine(task_.kind, hello.machine);
  if (!hello.machine.ceilings.empty()) experience_.ceilings[task_.kind] = hello.machine.ceilings;
  if (!only_greets_) return Next();
  worker_->dismiss();
  return End::finished;
}

Result<WorkerSession::Next> WorkerSession::hear(const Begin& begin, const WorkerProcess::Said&) {
  const auto found = std::find_if(open_.begin(), open_.end(),
                                  [&](const PlannedCase* one) { return one->id == begin.case_id; });
  if (found == open_.end()) return out_of_protocol("begin");
  current_ = *found;
  ++begun_;
  context_.journal.began_case(begin.case_id, task_.process);
  return Next();
}

Result<WorkerSession::Next> WorkerSession::hear(ProcessResult& result, const WorkerProcess::Said& said) {
  if (context_.options.pair) return out_of_protocol("result");
  return take_result({std::move(result), said.text(0)}, nullptr);
}

Result<WorkerSession::Next> WorkerSession::hear(PairResult& pair, const WorkerProcess::Said& said) {
  if (!context_.options.pair) return out_of_protocol("pair");
  const EncodedResult baseline{std::move(pair.baseline), said.text(0)};
  return take_result({std::move(pair.current), said.text(1)}, &baseline);
}

Result<WorkerSession::Next> WorkerSession::hear(const Refusal& refusal, const WorkerProcess::Said&) {
  worker_->dismiss();
  // In exclusive mode, or with its memory taken, a device does not open before the other worker is gone.
  if (overlapped_ && !greeted_) return End::restart;
  // A device that never opened is not there; one that opened before and no longer does has failed. Likewise
  // several together, whose link is known then.
  const bool opened_before = experience_.opened.contains(task_.kind) && !link_unknown();
  const Outcome outcome = opened_before ? Outcome::failed : Outcome::skipped;
  return finished(give_up(outcome, {CauseCode::device_refused, {{"problem", printable(refusal.reason)}}}));
}

// No case should be open any more.
Result<WorkerSession::Next> WorkerSession::hear(const Done&, const WorkerProcess::Said&) {
  ending_.add(std::move(*worker_));
  if (disagreed_) return End::restart;
  return finished(
      give_up(Outcome::failed, {CauseCode::worker_out_of_protocol, {{"message", std::string("done")}}}));
}

Result<WorkerSession::Next> WorkerSession::take_result(EncodedResult result, const EncodedResult* baseline) {
  const ProcessResult& one = result.result;
  if (current_ == nullptr || one.case_id != current_->id || one.process != task_.process)
    return out_of_protocol(baseline != nullptr ? "pair" : "result");
  if (!context_.decisions.agree(sent_.at(one.case_id), one)) {
    disagreed_ = true;
    current_ = nullptr;
    return Next();
  }
  check_floor(result);
  std::optional<EncodedResult> other;
  if (baseline != nullptr) check_floor(other.emplace(*baseline));
  if (is_suspect(result.result) || (other && is_suspect(other->result))) {
    experience_.suspects.push_back(current_);
    forget(std::exchange(current_, nullptr));
    return Next();
  }
  const Status kept = finish_current(std::move(result), other ? &*other : nullptr, true);
  if (!kept) return fail(kept.error());
  return Next();
}

// A case that was measured before may have replaced the clock of the worker.
bool WorkerSession::is_suspect(const ProcessResult& result) const {
  return begun_ > 1 && result.outcome == Outcome::incorrect && result.reason &&
         (result.reason->code == CauseCode::clock_differs ||
          result.reason->code == CauseCode::faster_than_possible);
}

// A result below the floor is replaced, because no code of a case can have it measured.
void WorkerSession::check_floor(EncodedResult& result) const {
  const auto ceilings = experience_.ceilings.find(task_.kind);
  if (ceilings == experience_.ceilings.end()) return;
  std::optional<Cause> cause = below_floor(*current_, ceilings->second, result.result);
  if (!cause) return;
  EncodedResult judged = ended(*current_, Outcome::incorrect, *cause);
  judged.result.verification = result.result.verification;
  judged.result.phases = result.result.phases;
  result = std::move(judged);
}

Result<WorkerSession::Next> WorkerSession::out_of_protocol(const char* message) {
  return lost(Outcome::failed, {CauseCode::worker_out_of_protocol, {{"message", message}}});
}

// The worker is unusable. Its current case failed; without a current case, all cases failed.
Result<WorkerSession::Next> WorkerSession::lost(Outcome outcome, const Cause& cause) {
  worker_->kill();
  if (current_ == nullptr) return finished(give_up(outcome, cause));
  if (const Status kept = finish_current(ended(*current_, outcome, cause), nullptr, true); !kept)
    return fail(kept.error());
  return End::restart;
}

Result<WorkerSession::Next> WorkerSession::finished(const Status& given_up) {
  if (!given_up) return fail(given_up.error());
  return End::finished;
}

Status WorkerSession::give_up(Outcome outcome, const Cause& cause) {
  while (!open_.empty()) {
    current_ = open_.front();
    if (Status kept = finish_current(ended(*current_, outcome, cause), nullptr, false); !kept) return kept;
  }
  return {};
}

// Most often it is the first.
void WorkerSession::forget(const PlannedCase* over) {
  open_.erase(std::find(open_.begin(), open_.end(), over));
}

// The current case is over, in this process at least. Where one of two builds ends, the pair ends.
Status WorkerSession::finish_current(EncodedResult result, const EncodedResult* baseline, bool measured) {
  forget(std::exchange(current_, nullptr));
  for (const EncodedResult* one : {&std::as_const(result), baseline})
    if (one != nullptr) experience_.learn(one->result);
  return context_.journal.add(std::move(result), baseline, measured);
}

EncodedResult WorkerSession::ended(const PlannedCase& planned, Outcome outcome, const Cause& cause) const {
  EncodedResult ended;
  ended.result.case_id = planned.id;
  ended.result.process = task_.process;
  ended.result.outcome = outcome;
  ended.result.reason = cause;
  ended.result.device_uuid = task_.device_uuid;
  return ended;
}

}  // namespace harness
