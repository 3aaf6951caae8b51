#include "harness/verdict/check/settled.h"

#include <fmt/format.h>

#include "harness/verdict/check/comparable.h"

namespace harness {
namespace {

std::string cause_text(const CaseRecord& record) {
  if (!record.reason) return "without a reason given";
  return record.reason->code == CauseCode::told ? record.reason->text("text")
                                                : std::string(name_of(record.reason->code));
}

std::string outcome_text(const CaseRecord& record) {
  const std::string_view name = record.outcome == Outcome::timed_out ? "timed out" : name_of(record.outcome);
  return !record.reason ? std::string(name) : fmt::format("{}: {}", name, cause_text(record));
}

}  // namespace

std::optional<Settled> settled_without_samples(const CaseRecord* before, const CaseRecord& after) {
  if (before == nullptr && after.reason == Cause{CauseCode::only_one_build})
    return Settled{Verdict::missing, "new: the baseline has no such case",
                   "nothing to compare with yet; `harness run` measures it"};
  if (after.outcome == Outcome::skipped) {
    const std::string reason = cause_text(after);
    if (before != nullptr && before->outcome == Outcome::measured)
      return Settled{Verdict::missing, "the baseline measured it, the current side skipped it: " + reason,
                     "measure it where the baseline was measured; a skip is no pass"};
    return Settled{Verdict::skipped, reason};
  }
  if (after.outcome != Outcome::measured) return Settled{Verdict::failed, outcome_text(after)};
  if (before == nullptr)
    return Settled{Verdict::missing, "new: the baseline has no such case",
                   "nothing to compare with yet; the next baseline will have it", Remedy::next_baseline};
  if (before->outcome != Outcome::measured)
    return Settled{Verdict::missing, fmt::format("the baseline was not measured ({})", outcome_text(*before)),
                   "measure the baseline again, or choose another one"};
  if (after.series.empty() && before->series.empty())
    return Settled{Verdict::missing, "neither side holds any samples"};
  return std::nullopt;
}

}  // namespace harness
