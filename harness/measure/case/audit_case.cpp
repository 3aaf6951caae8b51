#include "harness/measure/case/audit_case.h"

#include "harness/measure/case/microseconds.h"
#include "harness/stats/estimate/estimator.h"

namespace harness {
namespace {

constexpr Seconds settling = 2e-3;

struct AuditInputs {
  std::shared_ptr<const CaseInputs> inputs;
  bool unseen = true;
};

AuditInputs inputs_of_audit(CaseParts& parts, const Subject& subject, Audit& audit) {
  const Audit::Inputs next = audit.next_inputs();
  const Seconds begin = parts.device.timer().now();
  const PlannedCase& planned = parts.planned;
  auto inputs = parts.carried.inputs.get(
      *subject.workload, planned.params, subject.problem,
      input_seed(planned.workload, planned.params, next.seed, parts.process), InputCache::Answers::few);
  if (next.unseen) audit.made_inputs(parts.device.timer().now() - begin);
  return {std::move(inputs), next.unseen};
}

Status prepare_outputs(const Subject& subject, Allocation& set, const Audit::Outputs& outputs) {
  if (outputs.hold == EarlierOutputs::results) return {};
  return set.poison_outputs(subject.problem, outputs.byte);
}

// `otherwise`: before the first sample.
Seconds median_sample(const Subject& subject, Seconds otherwise) {
  const std::vector<double>& samples = subject.placement.samples;
  return samples.empty() ? otherwise : from_microseconds(stats::median(samples));
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
        index_(audit.draw(parts.sampler.sets_in_use(subject))),
        set_(parts.sampler.set(index_, parts.allocation)) {}

  Step run() {
    Audit::Times times;
    const AuditInputs other = inputs_of_audit(parts_, subject_, audit_);
    if (Step done = call(*parts_.inputs, {}, times.usual); !done) return done;
    times.sample = median_sample(subject_, times.usual);
    const bool settles = audit_.next_settles();
    if (settles) parts_.device.timer().idle(settling);
    const Audit::Outputs outputs = settles ? audit_.next_pattern() : audit_.next_outputs();
    if (Step done = call(*other.inputs, outputs, times.unseen); !done) return done;
    if (Step checked = check(*other.inputs, outputs); !checked) return checked;
    if (Step checked = check_batch(*other.inputs); !checked) return checked;
    if (other.unseen && !settles) audit_.timed(times);
    return call_for_clock();
  }

 private:
  Step call(const CaseInputs& inputs, const Audit::Outputs& outputs, Seconds& elapsed) {
    Status ready = set_.write_inputs(subject_.problem, inputs);
    if (ready) ready = prepare_outputs(subject_, set_, outputs);
    if (!ready) return parts_.subjects.broken(ready.error());
    const Result<Timing> timing = parts_.sampler.audit(subject_, index_);
    if (!timing) return parts_.subjects.refused(timing.error());
    elapsed = timing->elapsed;
    return {};
  }

  Step call_for_clock() {
    if (const Status ready = set_.write_inputs(subject_.problem, *parts_.inputs); !ready)
      return parts_.subjects.broken(ready.error());
    const Result<Timing> timing = parts_.sampler.audit_clock(subject_, index_);
    if (!timing) return parts_.subjects.refused(timing.error());
    if (timing->passed) audit_.clocked({timing->elapsed, *timing->passed});
    return {};
  }

  Step check(const CaseInputs& inputs, const Audit::Outputs& outputs) {
    const unsigned char unwritten = outputs.hold == EarlierOutputs::pattern ? outputs.byte : poison;
    const tl::expected<Finding, Ending> finding = parts_.check(subject_, set_, inputs, unwritten);
    if (!finding) return tl::unexpected<Ending>(finding.error());
    if (finding->wrong) return wrong_in_audit(*finding->wrong, placement_);
    return {};
  }

  // The whole batches of a sample, with the result of the last call on this set.
  Step check_batch(const CaseInputs& inputs) {
    if (subject_.calls.batches.empty()) return {};
    const Audit::Outputs outputs = audit_.next_poison();
    if (const Status ready = prepare_outputs(subject_, set_, outputs); !ready)
      return parts_.subjects.broken(ready.error());
    if (const Status made = parts_.sampler.audit_batches(subject_); !made)
      return parts_.subjects.refused(made.error());
    return check(inputs, outputs);
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
  for (int i = 0; i < audit.audits_in_placement() || audit.suspects(); ++i)
    if (Step done = AuditedSet(parts, subject, audit, placement).run(); !done) return done;
  if (const auto times = audit.slower_when_audited())
    return ended(Outcome::incorrect, {CauseCode::slower_when_audited,
                                      {{"unseen", times->unseen},
                                       {"usual", times->usual},
                                       {"sample", times->sample},
                                       {"placement", placement}}});
  if (const auto call = audit.clock_differs())
    return ended(Outcome::incorrect,
                 {CauseCode::clock_differs,
                  {{"timed", call->timed}, {"passed", call->passed}, {"placement", placement}}});
  return {};
}

}  // namespace harness
