#include "harness/verdict/check/settled.h"

namespace harness {
namespace {

Reason not_measured(ReasonCode code, Outcome outcome) {
  return {code, {{"outcome", std::string(name_of(outcome))}}};
}

}  // namespace

std::optional<Settled> settled_without_samples(const CaseRecord* before, const CaseRecord& after) {
  if (before == nullptr && after.reason == Cause{CauseCode::only_one_build})
    return Settled{Verdict::missing, {ReasonCode::unpaired_case}};
  if (after.outcome == Outcome::skipped) {
    if (before != nullptr && before->outcome == Outcome::measured)
      return Settled{Verdict::missing, {ReasonCode::skipped_now}, after.reason};
    return Settled{Verdict::skipped, {ReasonCode::skipped}, after.reason};
  }
  if (after.outcome != Outcome::measured)
    return Settled{Verdict::failed, not_measured(ReasonCode::not_measured, after.outcome), after.reason};
  if (before == nullptr) return Settled{Verdict::missing, {ReasonCode::new_case}};
  if (before->outcome != Outcome::measured)
    return Settled{Verdict::missing, not_measured(ReasonCode::baseline_not_measured, before->outcome),
                   before->reason};
  if (after.series.empty() && before->series.empty())
    return Settled{Verdict::missing, {ReasonCode::no_samples, {{"side", "both"}}}};
  return std::nullopt;
}

}  // namespace harness
