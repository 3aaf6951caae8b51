#include "harness/verdict/check/settled.h"

namespace harness {
namespace {

Reason not_measured(ReasonCode code, Outcome outcome) {
  return {code, {{"outcome", std::string(name_of(outcome))}}};
}

}  // namespace

std::optional<Settled> settled_without_samples(const CaseRecord* before, const CaseRecord& after, bool proven,
                                               bool had_device) {
  const auto has_something = [](const CaseRecord& record) {
    return record.outcome == Outcome::measured || record.outcome == Outcome::looked_at;
  };
  if (before == nullptr && after.reason == Cause{CauseCode::only_one_build})
    return Settled{Verdict::missing, {ReasonCode::unpaired_case}};
  if (after.outcome == Outcome::skipped) {
    const bool chosen = after.reason && after.reason->code == CauseCode::left_out;  // by the user
    // By a budget, a filter or --set: it stays open. By a choice of the device: nothing is asked of it here.
    if (chosen && before != nullptr && after.reason->text("device").empty())
      return Settled{Verdict::inconclusive, {ReasonCode::left_out}, after.reason};
    if (before != nullptr && has_something(*before) && !chosen)
      return Settled{Verdict::missing, {ReasonCode::skipped_now}, after.reason};
    return Settled{Verdict::skipped, {ReasonCode::skipped}, after.reason};
  }
  if (!has_something(after))
    return Settled{Verdict::failed, not_measured(ReasonCode::not_measured, after.outcome), after.reason};
  if (before == nullptr) return Settled{Verdict::missing, {ReasonCode::new_case}};
  // The baseline is of another kind of device as a whole: no case of this kind can be compared.
  const bool was_skipped = before->outcome == Outcome::skipped && !had_device;
  if (!has_something(*before))
    return Settled{was_skipped ? Verdict::skipped : Verdict::missing,
                   not_measured(ReasonCode::baseline_not_measured, before->outcome), before->reason};
  if (proven) return std::nullopt;
  if (after.outcome == Outcome::looked_at) return Settled{Verdict::missing, {ReasonCode::unproven}};
  if (before->outcome == Outcome::looked_at)
    return Settled{Verdict::missing, not_measured(ReasonCode::baseline_not_measured, before->outcome)};
  if (after.series.empty() && before->series.empty())
    return Settled{Verdict::missing, {ReasonCode::no_samples, {{"side", "both"}}}};
  return std::nullopt;
}

}  // namespace harness
