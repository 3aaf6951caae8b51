#include "harness/measure/case/sample_case.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "harness/measure/case/audit_case.h"
#include "harness/measure/case/prepare_case.h"
#include "harness/measure/rules/stop_rule.h"
#include "harness/measure/worker/preheat.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

// Two builds take twice as long for as many samples.
Seconds budget_of_placement(const CaseParts& parts) {
  return parts.planned.sampling.max_time * static_cast<double>(parts.subjects.size()) / parts.placements();
}

// If any build uses other streams, all use plain ones, so that all are timed alike.
Scope begin_placement(CaseParts& parts) {
  parts.subjects.begin_step(CaseStep::change_placement);
  const bool alone = std::all_of(parts.subjects.begin(), parts.subjects.end(),
                                 [](const Subject& one) { return one.over || one.calls.keeps_to_stream; });
  Result<Scope> begun = parts.device.timer().begin_placement(alone ? StreamUse::given_only : StreamUse::any);
  if (begun) return std::move(*begun);
  parts.subjects.break_all(begun.error());
  return Scope();
}

// The device idled while the host filled inputs, checked results or took memory. Tells its clock, GHz.
double heat_again(CaseParts& parts) {
  const Sampling& sampling = parts.planned.sampling;
  const bool heats = sampling.preheat > 0 && sampling.power == PowerMode::sustained;
  if (!heats || parts.subjects.first_in() == nullptr) {
    const double clock = parts.device.sensors().clock_ghz();
    parts.carried.warmth.worked(parts.device.timer().now(), clock);
    return clock;
  }
  parts.subjects.begin_step(CaseStep::preheat);
  const auto phase = parts.phases.run("preheat");
  const Result<Preheated> busy = reheat(parts.device, sampling, parts.carried.warmth);
  if (busy) return busy->clock_ghz;
  parts.subjects.break_all(busy.error());
  return 0;
}

// The first call is not gated: code that loads lazily behind a closed gate would wait for ever. The last call
// is made exactly as a sample is, so that the flush and the gate are warm too. Before it the device is asked
// for its conditions, because it is at work then and the question disturbs nothing that is timed.
Since<Conditions> warm_up(CaseParts& parts) {
  const Sampling& sampling = parts.planned.sampling;
  Timer& timer = parts.device.timer();
  const auto phase = parts.phases.run("warm_up");
  const Seconds end = timer.now() + budget_of_placement(parts) / 2;
  const int calls = std::max(1, sampling.warmup);
  bool last = false;
  Since<Conditions> conditions;
  for (int i = 0; !last && parts.subjects.first_in() != nullptr; ++i) {
    last = i + 1 >= calls || (i > 0 && timer.now() >= end);
    if (last) conditions = parts.device.sensors().watch_conditions();
    parts.subjects.each([&](Subject& one) -> Step {
      const TimingOptions options{.cache = last ? sampling.cache : CacheMode::hot,
                                  .gated = one.calls.gated && i > 0,
                                  .gate_deadline = sampling.gate_deadline};
      const auto call = [&](sdk::Stream stream) { one.kernel->run(stream); };
      const Result<Timing> timing = last && i > 0 ? parts.sampler.rehearse(one) : timer.time(call, options);
      if (!timing) return parts.subjects.broken(timing.error());
      return {};
    });
  }
  return conditions;
}

// The samples of the placement at hand; empty when no subject is in any more.
std::vector<const std::vector<double>*> samples_at_hand(Subjects& subjects) {
  std::vector<const std::vector<double>*> all;
  for (const Subject& one : subjects)
    if (!one.over) all.push_back(&one.placement.samples);
  return all;
}

void record_batches(CaseParts& parts, int placement) {
  if (parts.planned.sampling.timing != TimingMode::batch) return;
  parts.subjects.begin_step(CaseStep::record_batches, placement);
  const auto phase = parts.phases.run("record");
  parts.subjects.each([&](Subject& one) -> Step {
    if (const Status recorded = parts.sampler.record(one); !recorded)
      return parts.subjects.refused(recorded.error());
    return {};
  });
}

// The subjects whose audits are due after so many samples.
std::vector<Subject*> due_for_audit(CaseParts& parts, std::size_t taken, bool last) {
  const Seconds sampling = parts.device.timer().now() - parts.sampling_began;
  std::vector<Subject*> all;
  for (Subject& one : parts.subjects)
    if (!one.over && one.audit->due(taken, last, sampling)) all.push_back(&one);
  return all;
}

void audit_subjects(CaseParts& parts, const std::vector<Subject*>& audited, int placement) {
  if (parts.carried.inputs.is_making()) {  // probably those of this audit
    const auto wait = parts.phases.run("inputs");
    parts.carried.inputs.settle();
  }
  const auto phase = parts.phases.run("audit");
  parts.subjects.begin_step(CaseStep::audit, placement);
  parts.subjects.each([&](Subject& one) -> Step {
    if (std::find(audited.begin(), audited.end(), &one) == audited.end()) return {};
    const Seconds begin = parts.device.timer().now();
    const Step done = audit(parts, one, placement);
    one.audit->audited(parts.device.timer().now() - begin);
    return done;
  });
  make_next_inputs(parts);
  parts.subjects.begin_step(CaseStep::sample, placement);
}

// One sample of each subject, then in reverse order, so that neither drift nor after-effects of a call favour
// a build. Every second placement begins with the last subject. Returns why it stopped.
Stop take_samples(CaseParts& parts, int placement) {
  parts.subjects.begin_step(CaseStep::sample, placement);
  std::optional<Phases::Running> phase(std::in_place, parts.phases, "sampling");
  const bool turned = placement % 2 == 0;
  Seconds end = parts.device.timer().now() + budget_of_placement(parts);
  StopRule rule(parts.planned.sampling);
  Stop stop = Stop::unknown;
  // Audits take no time from the samples.
  const auto audit_after = [&](std::size_t taken, bool last) {
    const std::vector<Subject*> audited = due_for_audit(parts, taken, last);
    if (audited.empty()) return;
    phase.reset();
    const Seconds begin = parts.device.timer().now();
    audit_subjects(parts, audited, placement);
    end += parts.device.timer().now() - begin;
    phase.emplace(parts.phases, "sampling");
  };
  for (std::size_t taken = 0; stop == Stop::unknown; ++taken) {
    audit_after(taken, false);
    const auto take = [&](Subject& one) -> Step {
      while (true) {
        const Result<Timing> timing = parts.sampler.take(one);
        if (!timing) return parts.subjects.refused(timing.error());
        const bool late = parts.device.timer().now() >= end;
        const Pacer::Judgement judged = parts.pacer.judge(*timing, late);
        if (judged != Pacer::Judgement::again) return keep(one, *timing, judged == Pacer::Judgement::slow);
      }
    };
    parts.subjects.each(take,
                        turned == (taken % 2 == 0) ? Subjects::Order::backwards : Subjects::Order::forwards);
    stop = rule.decide(samples_at_hand(parts.subjects), parts.device.timer().now() >= end);
    if (stop != Stop::unknown) audit_after(taken + 1, true);
  }
  return stop;
}

double mean_of_known(double before, double after) {
  return before > 0 && after > 0 ? (before + after) / 2 : std::max(before, after);
}

// `number`: from 1.
void measure_placement(CaseParts& parts, int number) {
  parts.enter(-1);
  const Scope placement = begin_placement(parts);
  parts.place(true);
  const double clock_before = heat_again(parts);
  for (Subject& one : parts.subjects) one.audit->begin_placement();
  parts.pacer.begin_placement(parts.carried.warmth.boost_ghz());
  parts.subjects.begin_step(CaseStep::warm_up, number);
  const Since<Conditions> conditions = warm_up(parts);
  parts.enter(number - 1);
  parts.subjects.begin_step(CaseStep::sample, number);
  Placement surroundings;
  surroundings.started = parts.device.timer().unix_time();
  record_batches(parts, number);
  surroundings.stopped = take_samples(parts, number);
  parts.carried.warmth.worked(parts.device.timer().now());
  surroundings.duty = parts.pacer.duty();
  if (conditions) surroundings.conditions = conditions();
  surroundings.clock_ghz = mean_of_known(clock_before, parts.device.sensors().clock_ghz());
  for (Subject& one : parts.subjects)
    if (!one.over) close_placement(one, surroundings);
}

// Placements copy inputs from the buffers before them.
void state_inputs(CaseParts& parts) {
  Subject* const first = parts.subjects.first_in();
  if (!parts.stated || first == nullptr) return;
  const auto phase = parts.phases.run("inputs");
  if (const Status ready = parts.allocation.write_inputs(first->problem, *parts.timed); !ready)
    parts.subjects.break_all(ready.error());
}

Audit::Limits audit_limits(const CaseParts& parts) {
  if (is_gpu_kind(parts.planned.device)) return Audit::on_gpu;
  std::size_t bytes = 0;
  if (parts.inputs)  // not where no variant can run
    for (const sdk::HostTensor& one : parts.inputs->inputs) bytes += one.data.size();
  return Audit::on_cpu_with(static_cast<int>(std::thread::hardware_concurrency()), bytes);
}

}  // namespace

void sample_case(CaseParts& parts) {
  parts.sampling_began = parts.device.timer().now();
  const PlannedCase& planned = parts.planned;
  const auto draw = static_cast<std::uint64_t>(parts.carried.audit_draw);
  const std::uint64_t of_case =
      draw == 0 ? 0 : std::max<std::uint64_t>(1, input_seed(planned.id, planned.params, draw, 1));
  const std::uint64_t seed = input_seed(planned.id, planned.params, 0, parts.process);
  const bool chosen = Audit::chosen(of_case, planned.sampling.processes, parts.process) ||
                      Audit::chosen_besides(parts.carried.nonce, seed);
  for (Subject& one : parts.subjects)
    one.audit.emplace(Audit::Case{.nonce = parts.carried.nonce,
                                  .seed = seed,
                                  .chosen = chosen,
                                  .placements = parts.placements(),
                                  .samples = planned.sampling.samples,
                                  .limits = audit_limits(parts),
                                  .preparation = parts.sampling_began - parts.began});
  make_inputs_of_audit(parts);
  make_next_inputs(parts);
  state_inputs(parts);
  for (int number = 1; number <= parts.placements() && parts.subjects.first_in() != nullptr; ++number)
    measure_placement(parts, number);
}

}  // namespace harness
