#include "harness/measure/case/prepare_case.h"

#include <algorithm>
#include <exception>
#include <optional>

#include "harness/base/text.h"
#include "harness/measure/case/identify.h"
#include "harness/model/known_metrics.h"

namespace harness {
namespace {

Step construct(CaseParts& parts, Subject& subject) {
  parts.subjects.begin_step(CaseStep::describe);
  subject.problem = subject.workload->problem(parts.planned.params);
  subject.reported.emplace(subject.workload->metrics());
  parts.subjects.begin_step(CaseStep::construct);
  load(*subject.variant, parts.phases, parts.planned.params, parts.device.traits());
  for (const auto& collector : subject.collectors) collector->before_construction(parts.device);
  {
    const auto phase = parts.phases.run("construct");
    const Scope followed = parts.device.profiler().follow();
    subject.kernel = subject.variant->make(parts.planned.params, subject.problem, parts.device.traits());
  }
  if (!subject.kernel) return ended(Outcome::failed, {CauseCode::no_kernel});
  subject.problem.tolerance = subject.kernel->tolerance().value_or(subject.problem.tolerance);
  subject.result.multiplies = subject.kernel->multiplies();
  for (const auto& collector : subject.collectors) collector->after_construction(parts.device);
  subject.calls.gated = !subject.kernel->synchronises() && !parts.device.timer().gate_obstacle();
  return {};
}

// Ends a baseline whose problem differs under the same case name.
void check_problems(Subjects& subjects) {
  const sdk::Problem& current = subjects.last().problem;
  if (subjects.last().over) return;
  subjects.each([&](Subject& one) -> Step {
    if (same_tensors(one.problem, current)) return {};
    return ended(Outcome::skipped, {CauseCode::other_tensors});
  });
}

// By the last subject that is in: the current build's inputs and right answers hold for both.
void fill_inputs(CaseParts& parts) {
  parts.subjects.begin_step(CaseStep::fill_inputs);
  const PlannedCase& planned = parts.planned;
  const auto fill = [&](Subject& one) -> Step {
    if (parts.inputs) return {};
    const auto phase = parts.phases.run("inputs");
    parts.inputs = parts.carried.inputs.get(
        *one.workload, planned.params, one.problem,
        input_seed(planned.workload, planned.params, planned.sampling.seed, parts.process),
        parts.purpose == Purpose::measure ? InputCache::Answers::all : InputCache::Answers::few);
    return {};
  };
  parts.subjects.each(fill, Subjects::Order::backwards);
}

Step first_call(CaseParts& parts, Subject& subject) {
  Timer& timer = parts.device.timer();
  if (&subject != parts.subjects.first_in())  // so that the other build's outputs cannot pass
    if (const Status ready = parts.allocation.write_afresh(subject.problem, *parts.inputs); !ready)
      return parts.subjects.broken(ready.error());
  parts.subjects.begin_step(CaseStep::first_call);
  const auto phase = parts.phases.run("first_call");
  const Result<Seconds> elapsed = timer.time_first_call([&](sdk::Stream stream) {
    const Scope followed = parts.device.profiler().follow();
    subject.kernel->run(stream);
  });
  if (!elapsed) return parts.subjects.broken(elapsed.error());
  if (const Status done = timer.synchronize(); !done) return parts.subjects.broken(done.error());
  for (const auto& collector : subject.collectors) collector->after_first_call(*elapsed);
  return {};
}

Step first_check(CaseParts& parts, Subject& subject) {
  parts.subjects.begin_step(CaseStep::first_check);
  const auto phase = parts.phases.run("verify");
  const auto call_again = [&]() -> Status {
    parts.device.timer().queue([&](sdk::Stream stream) { subject.kernel->run(stream); });
    return {};
  };
  const tl::expected<Finding, Ending> finding = parts.check_twice(subject, call_again);
  if (!finding) return tl::unexpected<Ending>(finding.error());
  subject.result.verification =
      Verification{finding->error, 0, subject.problem.tolerance.relative, finding->elements};
  if (finding->wrong) return ended(Outcome::incorrect, *finding->wrong);
  return {};
}

// Whether a subject's calls are timed in batches where the plan leaves it open.
Step choose_timing(CaseParts& parts, Subject& subject, TimingMode& chosen) {
  std::optional<Error> obstacle;
  const Result<TimingMode> its = parts.sampler.choose_timing(subject, obstacle);
  if (!its) return parts.subjects.broken(its.error());
  if (*its == TimingMode::events) chosen = TimingMode::events;
  if (obstacle)
    subject.result.notes.push_back({NoteCode::not_recorded, {{"problem", printable(obstacle->message)}}});
  return {};
}

// All subjects are timed in one way: in batches where every one takes them.
void settle_timing(CaseParts& parts) {
  TimingMode& timing = parts.planned.sampling.timing;
  parts.subjects.begin_step(CaseStep::choose_timing);
  if (timing == TimingMode::automatic) {
    TimingMode chosen = TimingMode::batch;
    parts.subjects.each([&](Subject& one) { return choose_timing(parts, one, chosen); });
    timing = chosen;
  }
  parts.subjects.each([&](Subject& one) -> Step {
    one.result.timing = timing;
    return {};
  });
}

constexpr std::size_t cases_ahead = 16;  // of one point there may be many variants

// Whether the host may work while the case is sampled: timed calls wait behind a gate until they are
// launched.
bool may_work_ahead(const CaseParts& parts) {
  if (!parts.carried.works_ahead || parts.subjects.size() != 1 || parts.carried.inputs.is_making())
    return false;
  const Subject& only = *parts.subjects.begin();
  const std::vector<std::string>& metrics = parts.planned.metrics;
  return !only.over && only.calls.gated &&
         std::find(metrics.begin(), metrics.end(), launch_time_metric.name) == metrics.end();
}

}  // namespace

void prepare_case(CaseParts& parts) {
  Subjects& subjects = parts.subjects;
  subjects.each([&](Subject& one) { return find(one, parts.planned, parts.device.traits()); });
  parts.enter(-1);
  subjects.each([&](Subject& one) { return construct(parts, one); });
  check_problems(subjects);
  fill_inputs(parts);
  parts.place(false);
  subjects.each([&](Subject& one) -> Step {
    if (Step done = first_call(parts, one); !done) return done;
    if (Step checked = first_check(parts, one); !checked) return checked;
    if (Step identified = identify(parts, one); !identified) return identified;
    return count_own_memory(parts, one);
  });
  if (parts.purpose != Purpose::measure) return;
  subjects.begin_step(CaseStep::find_streams);
  subjects.each([&](Subject& one) -> Step {
    if (const Status seen = look_at_streams(one, parts.device); !seen) return subjects.broken(seen.error());
    return {};
  });
  settle_timing(parts);
}

void make_inputs_of_audit(CaseParts& parts) {
  if (!may_work_ahead(parts)) return;
  const Subject& only = *parts.subjects.begin();
  if (!only.audit->is_chosen()) return;
  const PlannedCase& planned = parts.planned;
  parts.carried.inputs.make_ahead(
      *only.workload, planned.params, only.problem,
      input_seed(planned.workload, planned.params, only.audit->next_inputs().seed, parts.process),
      InputCache::Answers::few);
}

void make_next_inputs(CaseParts& parts) {
  if (!may_work_ahead(parts)) return;
  const Catalog& catalog = *parts.subjects.begin()->catalog;
  const auto next = parts.carried.next.first(std::min(cases_ahead, parts.carried.next.size()));
  for (const PlannedCase& planned : next) {
    const sdk::Workload* const workload = catalog.workload(planned.workload);
    const sdk::Variant* const variant = catalog.variant(planned.workload, planned.variant);
    if (workload == nullptr || variant == nullptr || variant->make == nullptr || planned.program) continue;
    try {
      const PlannedCase own = as_workload_sees(planned, catalog);
      if (parts.carried.inputs.make_ahead(
              *workload, own.params, workload->problem(own.params),
              input_seed(own.workload, own.params, own.sampling.seed, parts.process)))
        return;
    } catch (const std::exception&) {  // its own turn will tell
    }
  }
}

}  // namespace harness
