// One case in one process, step by step; worker.h says what comes out. Every step is done for each subject
// that is still in: one build, or the two of an A/B run.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>

#include "harness/base/text.h"
#include "harness/measure/case/allocation.h"
#include "harness/measure/case/inputs.h"
#include "harness/measure/case/look.h"
#include "harness/measure/case/sampler.h"
#include "harness/measure/case/stop_rule.h"
#include "harness/measure/case/subject.h"
#include "harness/measure/case/verify.h"
#include "harness/measure/schedule/carried.h"
#include "harness/measure/worker/phases.h"
#include "harness/measure/worker/preheat.h"
#include "harness/measure/worker/worker.h"

namespace harness {
namespace {

class CaseRun {
 public:
  CaseRun(Device& device, const PlannedCase& planned, int process, Carried& carried)
      : device_(device),
        planned_(planned),
        sampling_(planned.sampling),
        process_(process),
        carried_(carried),
        phases_(device),
        allocation_(device, input_seed(planned.id, planned.params, planned.sampling.seed, process),
                    rotates(planned.sampling) ? 0 : kept_bytes_on(device)),
        sampler_(device, planned, input_seed(planned.id, planned.params, planned.sampling.seed, process)) {}

  void add(const Catalog& catalog, std::string side = {}) {
    Subject& subject = subjects_.emplace_back();
    subject.side = std::move(side);
    subject.catalog = &catalog;
    subject.result.case_id = planned_.id;
    subject.result.process = subject.samples.process = subject.launches.process = process_;
  }

  // The results, in the order of add().
  std::vector<ProcessResult> run();

 private:
  using Doing = std::function<Step(Subject&)>;

  void steps();
  void each(const Doing& step);
  void end(Subject& subject, const Ending& ending);
  void check_problems();
  Step construct(Subject& subject);
  void fill_inputs();
  void place(bool padded);
  Step first_call(Subject& subject);
  tl::expected<Finding, Ending> check(Subject& subject);
  Step check_before(Subject& subject);
  Scope begin_placement();
  void break_all(const Error& error);
  void measure_placement(int index);
  double heat_again();
  Since<Conditions> warm_up();
  Stop sample(bool turned);
  Step look_at_kernels(Subject& subject);
  Step check_after(Subject& subject);

  // What cannot be done, or an error of the device.
  [[nodiscard]] tl::unexpected<Ending> refused(const Error& error) const {
    if (error.kind != ErrorKind::usage) return broken(error);
    return ended(Outcome::failed, error.message + (error.advice.empty() ? "" : "; " + error.advice));
  }

  // An error of the device, with what was being done.
  [[nodiscard]] tl::unexpected<Ending> broken(const Error& error) const {
    return tl::unexpected<Ending>(Ending{Outcome::failed,
                                         fmt::format("{}, while {}{}{}", error.message, doing_,
                                                     error.advice.empty() ? "" : "; ", error.advice),
                                         true});
  }
  void enter(int placement) { device_.profiler().enter({planned_.id, process_, placement}); }
  static Work call_of(Subject& subject) {
    return [&subject](sdk::Stream stream) { subject.kernel->run(stream); };
  }
  [[nodiscard]] int placements() const { return std::max(1, sampling_.placements); }
  [[nodiscard]] std::vector<const std::vector<double>*> samples_at_hand() const;
  // Two builds take twice as long for as many samples.
  [[nodiscard]] Seconds placement_budget() const {
    return sampling_.max_time * static_cast<double>(subjects_.size()) / placements();
  }
  [[nodiscard]] Subject* first_in() {
    const auto found =
        std::find_if(subjects_.begin(), subjects_.end(), [](const Subject& one) { return !one.over; });
    return found == subjects_.end() ? nullptr : &*found;
  }

  Device& device_;
  const PlannedCase& planned_;
  const Sampling& sampling_;
  int process_;
  Carried& carried_;
  Phases phases_;
  std::shared_ptr<const CaseInputs> inputs_;
  Allocation allocation_;
  Sampler sampler_;
  std::deque<Subject> subjects_;         // after the buffers that kernels point into: destroyed first
  bool backwards_ = false;               // each() takes the subjects the other way round
  std::string doing_ = "looking it up";  // for reasons
};

std::vector<ProcessResult> CaseRun::run() {
  steps();
  doing_ = "measuring what the instrument reads of nothing";
  each([&](Subject& one) { return compare_with_nothing(one, sampling_, device_); });
  std::vector<ProcessResult> results;
  const std::vector<Phase> phases = phases_.take();
  for (Subject& subject : subjects_) {
    if (!subject.over) {
      const double workspace = static_cast<double>(subject.kernel->workspace_bytes());
      if (std::string note = allocation_.shortage(placements()); !note.empty())
        subject.result.notes.push_back(std::move(note));
      conclude(subject, planned_, device_, static_cast<double>(allocation_.tensor_bytes()) + workspace);
    }
    subject.result.phases = phases;
    results.push_back(std::move(subject.result));
  }
  return results;
}

// One that ends is out, and the others go on.
void CaseRun::each(const Doing& step) {
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    Subject& subject = subjects_[backwards_ ? subjects_.size() - 1 - i : i];
    if (subject.over) continue;
    if (subjects_.size() > 1) device_.profiler().turn(subject.side);
    try {
      if (const Step done = step(subject); !done) end(subject, done.error());
    } catch (const sdk::Unsupported& reason) {
      end(subject, {Outcome::skipped, reason.what()});
    } catch (const std::exception& problem) {
      end(subject, {Outcome::failed, fmt::format("threw `{}` while {}", problem.what(), doing_)});
    } catch (...) {
      end(subject,
          {Outcome::failed, fmt::format("threw something that is not a std::exception while {}", doing_)});
    }
  }
}

void CaseRun::end(Subject& subject, const Ending& ending) {
  subject.over = true;
  subject.result.outcome = ending.outcome;
  subject.result.reason = printable(ending.reason);
  if (!ending.device_lost) return;
  for (Subject& other : subjects_)
    if (!other.over)
      end(other, {Outcome::failed, fmt::format("the {} build, in the same process, lost the device: {}",
                                               subject.side, ending.reason)});
}

void CaseRun::steps() {
  each([&](Subject& one) { return find(one, planned_, device_.traits()); });
  enter(-1);
  const Since<std::size_t> peak_memory = device_.memory().watch_peak();
  each([&](Subject& one) { return construct(one); });
  check_problems();
  fill_inputs();
  place(false);
  each([&](Subject& one) -> Step {
    if (Step done = first_call(one); !done) return done;
    return check_before(one);
  });
  // Two builds in one process share the buffers, and what libraries took for the first serves the second.
  if (subjects_.size() == 1) subjects_.front().peak_memory = peak_memory();
  doing_ = "finding out which streams it uses";
  each([&](Subject& one) -> Step {
    if (const Status seen = look_at_streams(one, device_); !seen) return broken(seen.error());
    return {};
  });
  for (int index = 0; index < placements() && first_in() != nullptr; ++index) measure_placement(index);
  if (first_in() == nullptr) return;
  enter(-1);
  each([&](Subject& one) { return check_after(one); });
  // No batch is there any more when a profiler comes and goes: graphs from before it have crashed programs
  // whose profiler was detached from them.
  for (Subject& one : subjects_) one.batches.clear();
  doing_ = "looking at its kernels";
  enter(-1);
  each([&](Subject& one) { return look_at_kernels(one); });
}

// The baseline is out where the current build means another problem by the same name.
void CaseRun::check_problems() {
  const sdk::Problem& current = subjects_.back().problem;
  if (subjects_.back().over) return;
  each([&](Subject& one) -> Step {
    if (same_tensors(one.problem, current)) return {};
    return ended(Outcome::skipped, "its tensors are not those of the current build's case");
  });
}

Step CaseRun::construct(Subject& subject) {
  doing_ = "describing the problem";
  subject.problem = subject.workload->problem(planned_.params);
  subject.reported.emplace(subject.workload->metrics());
  doing_ = "constructing the kernel";
  {
    const auto phase = phases_.run("construct");
    subject.kernel = subject.variant->make(planned_.params, subject.problem, device_.traits());
  }
  if (!subject.kernel) return ended(Outcome::failed, "the variant made no kernel");
  subject.gated = !subject.kernel->synchronises() && device_.timer().gate_obstacle().empty();
  return {};
}

// Of the last subject that is in: the current build's idea of inputs and right answers holds for both.
void CaseRun::fill_inputs() {
  doing_ = "filling the inputs and computing the reference";
  backwards_ = true;
  each([&](Subject& one) -> Step {
    if (inputs_) return {};
    const auto phase = phases_.run("inputs");
    inputs_ = carried_.inputs.get(*one.workload, planned_.params, one.problem,
                                  input_seed(planned_.workload, planned_.params, sampling_.seed, process_));
    return {};
  });
  backwards_ = false;
}

void CaseRun::place(bool padded) {
  doing_ = "allocating and binding buffers";
  std::size_t workspace = 0;
  for (const Subject& one : subjects_)
    if (!one.over) workspace = std::max(workspace, one.kernel->workspace_bytes());
  std::optional<Status> placed;
  each([&](Subject& one) -> Step {
    const auto phase = phases_.run("allocate");
    one.batches.clear();  // of the buffers that go
    if (!placed) {
      placed = allocation_.place(one.problem, *inputs_, workspace, padded);
      if (*placed && padded)
        placed = sampler_.place(one.problem, *inputs_, workspace, allocation_.tensor_bytes() + workspace);
    }
    if (!*placed) return broken(placed->error());
    one.kernel->bind(allocation_.buffers());
    if (const Status bound = device_.timer().synchronize(); !bound) return broken(bound.error());
    if (!padded) return {};
    if (const Status bound = sampler_.bind(one); !bound) return broken(bound.error());
    return {};
  });
}

// One that may queue work elsewhere takes the others along: both are timed on the same streams.
Scope CaseRun::begin_placement() {
  doing_ = "changing the placement";
  const bool alone = std::all_of(subjects_.begin(), subjects_.end(),
                                 [](const Subject& one) { return one.over || one.keeps_to_stream; });
  Result<Scope> begun = device_.timer().begin_placement(alone ? StreamUse::given_only : StreamUse::any);
  if (begun) return std::move(*begun);
  break_all(begun.error());
  return Scope();
}

void CaseRun::break_all(const Error& error) {
  each([&](Subject&) -> Step { return broken(error); });
}

Step CaseRun::first_call(Subject& subject) {
  if (&subject != first_in())  // what the other left must not pass for its result
    if (const Status poisoned = allocation_.poison_outputs(subject.problem); !poisoned)
      return broken(poisoned.error());
  doing_ = "making the first call";
  const auto phase = phases_.run("first_call");
  const Result<Seconds> elapsed = device_.timer().time_first_call(call_of(subject));
  if (!elapsed) return broken(elapsed.error());
  if (const Status done = device_.timer().synchronize(); !done) return broken(done.error());
  subject.samples.first_call = to_microseconds(*elapsed);
  return {};
}

// Fetches the outputs as the last call left them and looks at them.
tl::expected<Finding, Ending> CaseRun::check(Subject& subject) {
  if (const Status got = allocation_.download_outputs(subject.problem, carried_.outputs); !got)
    return broken(got.error());
  return verify(*subject.workload, planned_.params, subject.problem, *inputs_, carried_.outputs);
}

Step CaseRun::check_before(Subject& subject) {
  doing_ = "checking the first result";
  const auto phase = phases_.run("verify");
  const tl::expected<Finding, Ending> finding = check(subject);
  if (!finding) return tl::unexpected<Ending>(finding.error());
  subject.result.verification =
      Verification{finding->error, 0, subject.problem.tolerance.relative, finding->elements};
  if (!finding->wrong.empty()) return ended(Outcome::incorrect, finding->wrong);
  return {};
}

void CaseRun::measure_placement(int index) {
  enter(-1);
  const Scope placement = begin_placement();
  place(true);
  const double clock_before = heat_again();
  doing_ = fmt::format("warming up in placement {}", index + 1);
  const Since<Conditions> conditions = warm_up();
  enter(index);
  doing_ = fmt::format("sampling in placement {}", index + 1);
  Placement surroundings;
  surroundings.started = device_.timer().unix_time();
  surroundings.stopped = sample(index % 2 == 1);
  carried_.warmth.worked(device_.timer().now());
  if (conditions) surroundings.conditions = conditions();
  const double clock_after = device_.sensors().clock_ghz();
  surroundings.clock_ghz = clock_before > 0 && clock_after > 0 ? (clock_before + clock_after) / 2
                                                               : std::max(clock_before, clock_after);
  for (Subject& one : subjects_)
    if (!one.over) close_placement(one, surroundings);
}

// The device idled while the host filled inputs, checked results or took memory. Tells its clock, GHz.
double CaseRun::heat_again() {
  if (!(sampling_.preheat > 0) || first_in() == nullptr) return device_.sensors().clock_ghz();
  doing_ = "preheating again";
  const auto phase = phases_.run("preheat");
  const Result<Preheated> busy = reheat(device_, sampling_, carried_.warmth);
  if (busy) return busy->clock_ghz;
  break_all(busy.error());
  return 0;
}

// The first call is not gated, because whatever loads lazily behind a closed gate would never end; the
// last is made exactly as a sample is, so that the flush and the gate are warm too. Before it the device
// is asked for its conditions: it is at work, and whatever the question disturbs is not timed.
Since<Conditions> CaseRun::warm_up() {
  const auto phase = phases_.run("warm_up");
  const Seconds end = device_.timer().now() + placement_budget() / 2;
  const int calls = std::max(1, sampling_.warmup);
  bool last = false;
  Since<Conditions> conditions;
  for (int i = 0; !last && first_in() != nullptr; ++i) {
    last = i + 1 >= calls || (i > 0 && device_.timer().now() >= end);
    if (last) conditions = device_.sensors().watch_conditions();
    each([&](Subject& one) -> Step {
      const TimingOptions options{.cache = last ? sampling_.cache : CacheMode::hot,
                                  .gated = one.gated && i > 0,
                                  .gate_deadline = sampling_.gate_deadline};
      if (const Result<Timing> timing = device_.timer().time(call_of(one), options); !timing)
        return broken(timing.error());
      return {};
    });
  }
  return conditions;
}

// One sample of each at a time, and the next time the other way round, so that neither drift nor what a call
// leaves behind for the next favours a build. `turned`: begin with the last. Tells why it stopped.
Stop CaseRun::sample(bool turned) {
  if (sampling_.timing == TimingMode::batch) {
    doing_ += ", recording batches";
    const auto phase = phases_.run("record");
    each([&](Subject& one) -> Step {
      if (const Status recorded = sampler_.record(one); !recorded) return refused(recorded.error());
      return {};
    });
  }
  const auto phase = phases_.run("sampling");
  const Seconds end = device_.timer().now() + placement_budget();
  StopRule rule(sampling_);
  Stop stop = Stop::unknown;
  for (std::size_t taken = 0; stop == Stop::unknown; ++taken) {
    backwards_ = turned == (taken % 2 == 0);
    each([&](Subject& one) -> Step {
      const Result<Timing> timing = sampler_.take(one);
      if (!timing) return refused(timing.error());
      return keep(one, *timing);
    });
    stop = rule.decide(samples_at_hand(), device_.timer().now() >= end);
  }
  backwards_ = false;
  return stop;
}

// Of the placement that is being measured; empty when nobody is in any more.
std::vector<const std::vector<double>*> CaseRun::samples_at_hand() const {
  std::vector<const std::vector<double>*> all;
  for (const Subject& one : subjects_)
    if (!one.over) all.push_back(&one.placement.samples);
  return all;
}

// Of a batch the calls are looked at as they follow each other there: with their code at hand, their data
// not.
Step CaseRun::look_at_kernels(Subject& subject) {
  const auto phase = phases_.run("look");
  if (const Status alive = look_into(
          device_, [&](sdk::Stream stream) { sampler_.run_next(subject, stream); }, sampler_.pattern(),
          planned_.metrics, subject.result);
      !alive)
    return broken(alive.error());
  return {};
}

Step CaseRun::check_after(Subject& subject) {
  doing_ = "checking the result after timing";
  const auto again = [&]() -> tl::expected<Finding, Ending> {
    const auto phase = phases_.run("verify");
    if (const Status poisoned = allocation_.poison_outputs(subject.problem); !poisoned)
      return broken(poisoned.error());
    if (const Status called = sampler_.call(subject); !called) return broken(called.error());
    if (const Status done = device_.timer().synchronize(); !done) return broken(done.error());
    return check(subject);
  };
  const tl::expected<Finding, Ending> finding = again();
  if (!finding) return tl::unexpected<Ending>(finding.error());
  subject.result.verification->after = finding->error;
  if (!finding->wrong.empty())
    return ended(Outcome::incorrect,
                 finding->wrong +
                     "; the first call was right, so the variant changes its inputs or carries "
                     "something over from call to call");
  doing_ = "reporting its metrics";
  subject.workload->report(planned_.params, inputs_->inputs, carried_.outputs, *subject.reported);
  subject.kernel->report(*subject.reported);
  return {};
}

}  // namespace

ProcessResult measure_case(Device& device, const Catalog& catalog, const PlannedCase& planned, int process,
                           Carried& carried) {
  const PlannedCase own = as_workload_sees(planned, catalog);
  CaseRun run(device, own, process, carried);
  run.add(catalog);
  return std::move(run.run().front());
}

ProcessResult measure_case(Device& device, const Catalog& catalog, const PlannedCase& planned, int process) {
  Carried carried;
  return measure_case(device, catalog, planned, process, carried);
}

PairResult measure_pair(Device& device, const Catalog& baseline, const Catalog& current,
                        const PlannedCase& planned, int process, Carried& carried) {
  const PlannedCase own = as_workload_sees(planned, current);
  CaseRun run(device, own, process, carried);
  run.add(baseline, baseline_side);
  run.add(current, current_side);
  std::vector<ProcessResult> results = run.run();
  return {std::move(results[0]), std::move(results[1])};
}

}  // namespace harness
