#include "harness/verdict/unit/judge_in_unit.h"

#include <algorithm>
#include <cmath>

#include "harness/verdict/check/diagnose.h"
#include "harness/verdict/unit/unit_values.h"

namespace harness {
namespace {

// Differences that vary less than this share of the values differ by rounding.
constexpr double rounding_share = 1e-12;

std::optional<LookEvidence> weigh(const ComparisonRow& row, int number, const UnitValues& baseline,
                                  const UnitValues& current, const Policy& policy) {
  LookEvidence look;
  if (const auto differences = differences_by_process(baseline, current)) {
    look.differences = stats::moments(*differences);
    if (!stats::usable(*look.differences)) return std::nullopt;
    look.contrast = stats::contrast(stats::estimate_of(*look.differences));
  } else {
    const stats::Moments before = stats::moments(baseline.values), after = stats::moments(current.values);
    if (!stats::usable(before) || !stats::usable(after)) return std::nullopt;
    look.contrast = stats::contrast(stats::estimate_of(before), stats::estimate_of(after));
  }
  look.contrast.difference *= sign_of(row);
  look.number = number;
  look.baseline = side_of(baseline);
  look.current = side_of(current);
  look.enough_processes = processes_of(look) >= least_processes(policy);
  return look;
}

double rounding_of(const LookEvidence& look) {
  return rounding_share * std::max(std::abs(look.baseline.center), std::abs(look.current.center));
}

bool varies(const LookEvidence& look) {
  return std::sqrt(look.contrast.variance()) > rounding_of(look);
}

// Compares a difference that does not vary as a number.
void judge_exactly(ComparisonRow& row, const LookEvidence& look, const Policy& policy) {
  row.exact = true;
  const double harm = look.contrast.difference;
  show_effect(row, harm, stats::Bounds{harm, harm});
  const int least = least_processes(policy);
  if (!look.enough_processes) {
    row.verdict = Verdict::inconclusive;
    row.processes_needed = least;
    row.reason = {ReasonCode::too_few_processes, {{"needed", least}}};
    return;
  }
  row.minimum_detectable = row.margin;
  const double margin = row.in_unit->margin + rounding_of(look);
  row.verdict = harm > margin ? Verdict::regressed : harm < -margin ? Verdict::improved : Verdict::unchanged;
  row.reason.code = reason_of(row.verdict);
}

bool cannot_be_used(ComparisonRow& row, const UnitValues& side, const char* name, Verdict verdict) {
  if (!side.unusable) return false;
  row.verdict = verdict;
  row.reason = {ReasonCode::unusable_sample,
                {{"side", name}, {"process", side.unusable->process}, {"value", side.unusable->value}}};
  return true;
}

}  // namespace

std::optional<Evidence> judge_in_unit(ComparisonRow& row, const Series& old, const Series& now,
                                      std::size_t reached, const Policy& policy) {
  const UnitValues baseline = read_unit_values(old), current = read_unit_values(now);
  row.baseline = side_of(baseline);
  row.current = side_of(current);
  if (row.baseline.center != 0) row.margin = row.in_unit->margin / std::abs(row.baseline.center);
  if (cannot_be_used(row, current, "current", Verdict::failed)) return std::nullopt;
  if (cannot_be_used(row, baseline, "baseline", Verdict::missing)) return std::nullopt;
  row.verdict = Verdict::inconclusive;
  const auto whole = weigh(row, 1, baseline, current, policy);
  if (!whole) {
    row.reason.code = ReasonCode::untestable;
    row.processes_needed = std::max(least_processes(policy), recommended_processes);
    return std::nullopt;
  }
  row.in_unit->by_process = whole->differences.has_value();
  if (!varies(*whole)) {
    judge_exactly(row, *whole, policy);
    tell_exact_look(row, reached, least_processes(policy));
    return std::nullopt;
  }
  show_effect(row, whole->contrast.difference, std::nullopt);
  Evidence evidence{0, {}, row.baseline.processes, {}};
  if (row.look.declared.empty()) evidence.looks.push_back(*whole);
  for (std::size_t i = 0; i < std::min(reached, row.look.declared.size()); ++i)
    if (auto look = weigh(row, static_cast<int>(i) + 1, baseline, read_unit_values(now, row.look.declared[i]),
                          policy))
      evidence.looks.push_back(std::move(*look));
  if (evidence.looks.empty() && !row.look.declared.empty()) await_first_look(row);
  return evidence;
}

std::optional<LookEvidence> weigh_again_in_unit(const ComparisonRow& row, const Series& old,
                                                const Series& now, const Policy& policy) {
  std::optional<LookEvidence> look = weigh(row, 1, read_unit_values(old), read_unit_values(now), policy);
  if (!look || !look->differences) return std::nullopt;
  return look;
}

}  // namespace harness
