#include "harness/measure/case/measure_case.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/case/case_parts.h"
#include "harness/measure/case/look.h"
#include "harness/measure/case/prepare_case.h"
#include "harness/measure/case/sample_case.h"
#include "harness/measure/energy/measure_energy.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/model/proof_reach.h"

namespace harness {
namespace {

void add_subject(CaseParts& parts, const Catalog& catalog, bool alone, std::string side = {}) {
  Subject& subject = parts.subjects.add(std::move(side));
  subject.catalog = &catalog;
  if (parts.purpose == Purpose::measure) subject.collectors = collectors_for({parts.planned, alone});
  subject.result.case_id = parts.planned.id;
  subject.result.process = subject.samples.process = parts.process;
}

// One call on freshly poisoned outputs, made as samples are, and its check.
tl::expected<Finding, Ending> call_and_check(CaseParts& parts, Subject& subject) {
  const auto phase = parts.phases.run("verify");
  if (parts.stated)  // samples found others
    if (const Status ready = parts.allocation.write_inputs(subject.problem, *parts.inputs); !ready)
      return parts.subjects.broken(ready.error());
  if (const Status ready = parts.allocation.write_afresh(subject.problem, *parts.inputs); !ready)
    return parts.subjects.broken(ready.error());
  const auto call = [&] { return parts.sampler.call(subject); };
  if (const Status called = call(); !called) return parts.subjects.broken(called.error());
  if (const Status done = parts.device.timer().synchronize(); !done)
    return parts.subjects.broken(done.error());
  return parts.check_twice(subject, call);
}

// Asks the workload and the variant for their metrics of the outputs that were checked last.
Step report_metrics(CaseParts& parts, Subject& subject) {
  parts.subjects.begin_step(CaseStep::report_metrics);
  const auto phase = parts.phases.run("report");
  if (subject.reported->tells_times()) parts.carried.inputs.settle();
  subject.kernel->report(*subject.reported);  // may train a model
  parts.carried.inputs.settle();
  subject.workload->report(parts.planned.params, parts.inputs->inputs, parts.carried.outputs.tensors(),
                           *subject.reported);
  return {};
}

Step last_check(CaseParts& parts, Subject& subject) {
  parts.subjects.begin_step(CaseStep::last_check);
  const tl::expected<Finding, Ending> finding = call_and_check(parts, subject);
  if (!finding) return tl::unexpected<Ending>(finding.error());
  subject.result.verification->after = finding->error;
  if (finding->wrong) {
    Cause wrong = *finding->wrong;
    wrong.figures.emplace_back("after_timing", 1);
    return ended(Outcome::incorrect, std::move(wrong));
  }
  return report_metrics(parts, subject);
}

// Kernels are looked at, and counted, on the inputs of timed calls.
Step write_timed_inputs(CaseParts& parts, Subject& subject) {
  if (!parts.stated) return {};
  if (const Status ready = parts.allocation.write_inputs(subject.problem, *parts.timed); !ready)
    return parts.subjects.broken(ready.error());
  return {};
}

// The calls of a batch are looked at as they follow each other there: with their code in the cache, and their
// data not.
Step look_at_kernels(CaseParts& parts, Subject& subject) {
  const auto phase = parts.phases.run("look");
  if (Step ready = write_timed_inputs(parts, subject); !ready) return ready;
  const auto call = [&](sdk::Stream stream) { parts.sampler.run_next(subject, stream); };
  const Status alive =
      look_into(parts.device, call, parts.sampler.pattern(), parts.planned.metrics, subject.result);
  if (!alive) return parts.subjects.broken(alive.error());
  return {};
}

void check_and_look(CaseParts& parts) {
  parts.enter(-1);
  parts.subjects.each([&](Subject& one) { return last_check(parts, one); });
  // In the first process identify() saw the kernels, unless it could not.
  const auto is_looked_at = [&](const Subject& one) {
    return !one.over && (times_kernels(parts.planned, parts.process) ||
                         (parts.process == 1 && one.result.kernels.empty()));
  };
  if (std::none_of(parts.subjects.begin(), parts.subjects.end(), is_looked_at)) return;
  // No batch may exist when a profiler attaches or detaches: older graphs have crashed programs at the
  // detach.
  for (Subject& one : parts.subjects) one.calls.batches.clear();
  parts.subjects.begin_step(CaseStep::look_at_kernels);
  parts.enter(-1);
  parts.subjects.each([&](Subject& one) { return is_looked_at(one) ? look_at_kernels(parts, one) : Step(); });
}

// All phases, and what none of them was for.
std::vector<Phase> take_phases(CaseParts& parts) {
  constexpr Seconds least = 1e-6;  // sums of durations are rounded
  std::vector<Phase> phases = parts.phases.take();
  Seconds other = parts.device.timer().now() - parts.began;
  for (const Phase& one : phases) other -= one.duration;
  if (other > least) phases.push_back({"other", other});
  return phases;
}

// The results, in the order of the subjects.
std::vector<ProcessResult> results_of(CaseParts& parts) {
  std::vector<ProcessResult> results;
  const std::vector<Phase> phases = take_phases(parts);
  for (Subject& subject : parts.subjects) {
    if (!subject.over) {
      if (const int cramped = parts.allocation.cramped(); cramped > 0)
        subject.result.notes.push_back(
            {NoteCode::cramped_placements, {{"placements", cramped}, {"of", parts.placements()}}});
      conclude(subject, parts.planned, parts.device,
               parts.allocation.tensor_bytes() + subject.kernel->workspace_bytes());
    }
    subject.result.phases = phases;
    results.push_back(std::move(subject.result));
  }
  return results;
}

// All builds have been identified by now, because a report may train a model. With several of them the
// outputs at hand are another build's.
Step tell_gated_metrics(CaseParts& parts, Subject& subject) {
  const std::vector<std::string> gated = gated_beyond_reach(parts.planned);
  const auto& identity = subject.result.identity;
  if (!identity || identity->digest.empty() || !subject.reported->may_repeat(gated)) return {};
  if (parts.subjects.size() > 1) {
    const tl::expected<Finding, Ending> finding = call_and_check(parts, subject);
    if (!finding) return tl::unexpected<Ending>(finding.error());
    if (finding->wrong) return ended(Outcome::incorrect, *finding->wrong);
  }
  if (Step told = report_metrics(parts, subject); !told) return told;
  subject.reported->add_to(subject.result, gated);
  return {};
}

Step read_counters_of(CaseParts& parts, Subject& subject) {
  const auto phase = parts.phases.run("look");
  if (Step ready = write_timed_inputs(parts, subject); !ready) return ready;
  const auto call = [&](sdk::Stream stream) { subject.kernel->run(stream); };
  const Status alive =
      read_counters(parts.device, call, parts.planned.sampling.cache, parts.planned.metrics, subject.result);
  if (!alive) return parts.subjects.broken(alive.error());
  return {};
}

std::vector<ProcessResult> looked_at(CaseParts& parts) {
  if (parts.purpose == Purpose::counters) parts.subjects.begin_step(CaseStep::look_at_kernels);
  parts.subjects.each([&](Subject& one) {
    return parts.purpose == Purpose::counters ? read_counters_of(parts, one) : tell_gated_metrics(parts, one);
  });
  std::vector<ProcessResult> results;
  const std::vector<Phase> phases = take_phases(parts);
  for (Subject& subject : parts.subjects) {
    if (!subject.over) subject.result.outcome = Outcome::looked_at;
    subject.result.phases = phases;
    results.push_back(std::move(subject.result));
  }
  return results;
}

std::vector<ProcessResult> measure(CaseParts& parts) {
  prepare_case(parts);
  if (parts.purpose != Purpose::measure) return looked_at(parts);
  sample_case(parts);
  if (parts.subjects.first_in() != nullptr) measure_energy(parts);
  if (parts.subjects.first_in() != nullptr) check_and_look(parts);
  parts.subjects.begin_step(CaseStep::measure_control);
  parts.subjects.each(
      [&](Subject& one) { return compare_with_nothing(one, parts.planned.sampling, parts.device); });
  return results_of(parts);
}

ProcessResult one_build(Device& device, const Catalog& catalog, const PlannedCase& planned, int process,
                        Purpose purpose, Carried& carried) {
  const PlannedCase own = as_workload_sees(planned, catalog);
  CaseParts parts(device, own, process, purpose, carried);
  add_subject(parts, catalog, true);
  return std::move(measure(parts).front());
}

PairResult two_builds(Device& device, const Catalog& baseline, const Catalog& current,
                      const PlannedCase& planned, int process, Purpose purpose, Carried& carried) {
  const PlannedCase own = as_workload_sees(planned, current);
  CaseParts parts(device, own, process, purpose, carried);
  add_subject(parts, baseline, false, baseline_side);
  add_subject(parts, current, false, current_side);
  std::vector<ProcessResult> results = measure(parts);
  return {std::move(results[0]), std::move(results[1])};
}

}  // namespace

ProcessResult measure_case(Device& device, const Catalog& catalog, const PlannedCase& planned, int process,
                           Carried& carried) {
  return one_build(device, catalog, planned, process, Purpose::measure, carried);
}

ProcessResult measure_case(Device& device, const Catalog& catalog, const PlannedCase& planned, int process) {
  Carried carried;
  return measure_case(device, catalog, planned, process, carried);
}

ProcessResult look_at_case(Device& device, const Catalog& catalog, const PlannedCase& planned, int process,
                           Carried& carried) {
  return one_build(device, catalog, planned, process, Purpose::look, carried);
}

ProcessResult counters_of_case(Device& device, const Catalog& catalog, const PlannedCase& planned,
                               int process, Carried& carried) {
  return one_build(device, catalog, planned, process, Purpose::counters, carried);
}

PairResult measure_pair(Device& device, const Catalog& baseline, const Catalog& current,
                        const PlannedCase& planned, int process, Carried& carried) {
  return two_builds(device, baseline, current, planned, process, Purpose::measure, carried);
}

ProcessResult measure_alone(Device& device, const Catalog& catalog, const std::string& side,
                            const PlannedCase& planned, int process, Carried& carried) {
  const PlannedCase own = as_workload_sees(planned, catalog);
  CaseParts parts(device, own, process, Purpose::measure, carried);
  add_subject(parts, catalog, false, side);
  return std::move(measure(parts).front());
}

PairResult look_at_pair(Device& device, const Catalog& baseline, const Catalog& current,
                        const PlannedCase& planned, int process, Carried& carried) {
  return two_builds(device, baseline, current, planned, process, Purpose::look, carried);
}

PairResult counters_of_pair(Device& device, const Catalog& baseline, const Catalog& current,
                            const PlannedCase& planned, int process, Carried& carried) {
  return two_builds(device, baseline, current, planned, process, Purpose::counters, carried);
}

}  // namespace harness
