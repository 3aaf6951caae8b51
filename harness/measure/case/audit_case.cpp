#include "harness/measure/case/audit_case.h"

#include <algorithm>

#include "harness/measure/case/microseconds.h"
#include "harness/stats/estimate/estimator.h"

namespace harness {
namespace {

constexpr Seconds settling = 4e-3;
// Calls of this length are the same after a pause, and cost too much to be made more often than needed.
constexpr Seconds long_call = 20e-3;

struct AuditInputs {
  std::shared_ptr<const CaseInputs> inputs;
  bool unseen = true;
};

// By the current build, as the usual inputs are.
AuditInputs inputs_of_audit(CaseParts& parts, Audit& audit) {
  const auto phase = parts.phases.run("audit_inputs");
  const Audit::Inputs next = audit.next_inputs();
  const Seconds begin = parts.device.timer().now();
  const PlannedCase& planned = parts.planned;
  const Subject& current = parts.subjects.last();
  auto inputs = parts.carried.inputs.get(
      *current.workload, planned.params, current.problem,
      input_seed(planned.workload, planned.params, next.seed, parts.process), InputCache::Answers::few);
  const Seconds waited = parts.device.timer().now() - begin;
  if (next.unseen) audit.made_inputs(std::max(waited, parts.carried.inputs.take_making_ahead(*inputs)));
  return {std::move(inputs), next.unseen};
}

// The median so far in this placement; 0 before the first.
Seconds median_sample(const Subject& subject) {
  const std::vector<double>& samples = subject.placement.samples;
  return samples.empty() ? 0 : from_microseconds(stats::median(samples));
}

tl::unexpected<Ending> wrong_in_audit(Cause wrong, int placement) {
  wrong.figures.emplace_back("audited", 1);
  wrong.figures.emplace_back("placement", placement);
  return ended(Outcome::incorrect, std::move(wrong));
}

// One audit on one set of buffers.
class AuditedSet {
 public:
  AuditedSet(CaseParts& parts, Subject& subject, Audit& audit, int placement)
      : parts_(parts),
        subject_(subject),
        audit_(audit),
        placement_(placement),
        index_(parts.sampler.set_to_audit(subject, audit.draw(most_input_sets))),
        set_(parts.sampler.set(index_, parts.allocation)) {}

  Step run() {
    const AuditInputs other = inputs_of_audit(parts_, audit_);
    const bool first_finds_results = audit_.first_finds_results();
    Audit::Times times;
    times.usual = times.repeated = median_sample(subject_);
    const bool short_call = times.usual < long_call || audit_.suspects();
    if (short_call)
      if (Step done = call_as_usual(times); !done) return done;
    if (Step done = call_on(*other.inputs, first_finds_results, times.unseen); !done) return done;
    if (other.unseen) audit_.timed(times);
    if (Step done = call_after_pause(!first_finds_results); !done) return done;
    if (Step done = check_batches(*other.inputs); !done) return done;
    return short_call ? call_as_before() : Step{};
  }

 private:
  Step written(const CaseInputs& inputs) {
    if (const Status ready = set_.write_inputs(subject_.problem, inputs); !ready)
      return parts_.subjects.broken(ready.error());
    return {};
  }

  Step call(Seconds& elapsed) {
    const Result<Timing> timing = parts_.sampler.audit(subject_, index_);
    if (!timing) return parts_.subjects.refused(timing.error());
    elapsed = timing->elapsed;
    return {};
  }

  // On the usual inputs, written again. Where that takes long, a call follows that finds everything as
  // samples do, because the device may be slower now than it was in the samples. The clock is read around a
  // call that follows another one at once, as samples do.
  Step call_as_usual(Audit::Times& times) {
    if (Step done = written(*parts_.inputs); !done) return done;
    if (Step done = call(times.usual); !done) return done;
    if (times.repeated <= 0 || audit_.longer_than_repeated(times.usual, times.repeated))
      if (Step done = call(times.repeated); !done) return done;
    return call_with_clock(false);
  }

  Step call_with_clock(bool paused) {
    const Result<Timing> timing = parts_.sampler.audit_clock(subject_, index_);
    if (!timing) return parts_.subjects.refused(timing.error());
    if (timing->passed) audit_.clocked({timing->elapsed, *timing->passed, paused});
    return {};
  }

  Step call_on(const CaseInputs& inputs, bool finds_results, Seconds& elapsed) {
    if (Step done = written(inputs); !done) return done;
    Checking how = checking();
    if (Step done = prepare_outputs(finds_results, how); !done) return done;
    if (Step done = call(elapsed); !done) return done;
    return check(inputs, how);
  }

  // On the usual inputs, after a pause in which work ends that the call before has left behind.
  Step call_after_pause(bool finds_results) {
    parts_.device.timer().idle(settling);
    if (Step done = written(*parts_.inputs); !done) return done;
    Checking how = checking();
    if (Step done = prepare_outputs(finds_results, how); !done) return done;
    if (Step done = call_with_clock(true); !done) return done;
    return check(*parts_.inputs, how);
  }

  // The whole batches of a sample, with the result of the last call on this set.
  Step check_batches(const CaseInputs& inputs) {
    // Tensors that are changed in place hold what the last of many calls left.
    const std::vector<sdk::TensorSpec>& tensors = subject_.problem.tensors;
    if (subject_.calls.batches.empty() ||
        std::any_of(tensors.begin(), tensors.end(),
                    [](const sdk::TensorSpec& one) { return one.role == sdk::Role::in_place; }))
      return {};
    if (Step done = written(inputs); !done) return done;
    Checking how = checking();
    if (Step done = prepare_outputs(false, how); !done) return done;
    if (Step done = call_batches(); !done) return done;
    if (Step done = check(inputs, how); !done) return done;
    return written(*parts_.inputs);
  }

  // The next sample finds what a sample leaves. On an H200 no other one shows that the device has idled.
  Step call_as_before() {
    if (!subject_.calls.batches.empty()) return call_batches();
    Seconds elapsed = 0;
    return call(elapsed);
  }

  Step call_batches() {
    if (const Status made = parts_.sampler.audit_batches(subject_); !made)
      return parts_.subjects.refused(made.error());
    return {};
  }

  Step prepare_outputs(bool find_results, Checking& how) {
    if (find_results) return {};
    how.unwritten = audit_.next_byte();
    if (const Status ready = set_.poison_outputs(subject_.problem, how.unwritten); !ready)
      return parts_.subjects.broken(ready.error());
    return {};
  }

  // Few elements are checked of other inputs, so their norm and their error vary.
  [[nodiscard]] Checking checking() const {
    return {.unwritten = poison, .allowance = audit_allowance, .usual = parts_.inputs.get()};
  }

  Step check(const CaseInputs& inputs, const Checking& how) {
    const auto phase = parts_.phases.run("audit_check");
    const tl::expected<Finding, Ending> finding = parts_.check(subject_, set_, inputs, how);
    if (!finding) return tl::unexpected<Ending>(finding.error());
    if (finding->wrong) return wrong_in_audit(*finding->wrong, placement_);
    return {};
  }

  CaseParts& parts_;
  Subject& subject_;
  Audit& audit_;
  int placement_;
  std::size_t index_;
  Allocation& set_;
};

}  // namespace

Step audit(CaseParts& parts, Subject& subject, int placement) {
  Audit& audit = *subject.audit;
  do {
    if (Step done = AuditedSet(parts, subject, audit, placement).run(); !done) return done;
  } while (audit.suspects());
  if (const auto times = audit.slower_when_audited())
    return ended(Outcome::incorrect, {CauseCode::slower_when_audited,
                                      {{"unseen", times->unseen},
                                       {"usual", times->usual},
                                       {"sample", times->repeated},
                                       {"placement", placement}}});
  if (const auto call = audit.clock_differs())
    return ended(Outcome::incorrect,
                 {CauseCode::clock_differs,
                  {{"timed", call->timed}, {"passed", call->passed}, {"placement", placement}}});
  return {};
}

}  // namespace harness
