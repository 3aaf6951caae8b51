#include "harness/verdict/decide/evidence.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/hypothesis/paired.h"
#include "harness/verdict/check/condition_checks.h"

namespace harness {

int sign_of(const ComparisonRow& row) {
  return row.direction == Direction::lower_is_better ? 1 : -1;
}

double log_margin(const ComparisonRow& row) {
  return std::log1p(row.margin);
}

int processes_of(const LookEvidence& look) {
  return look.differences ? static_cast<int>(look.differences->count)
                          : std::min(look.baseline.processes, look.current.processes);
}

int least_processes(const Policy& policy) {
  return std::max(policy.min_processes, 2);
}

ReasonCode reason_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::regressed: return ReasonCode::worse;
    case Verdict::improved: return ReasonCode::better;
    case Verdict::unchanged: return ReasonCode::within;
    default: return ReasonCode::undecided;
  }
}

bool is_worse(const Evidence& evidence, double margin, double alpha) {
  if (evidence.looks.empty()) return false;
  const LookEvidence& look = evidence.looks[evidence.shown];
  return look.counts() && look.effect.p_above(std::log1p(margin)) < alpha;
}

std::optional<LookEvidence> weigh(const ComparisonRow& row, int number, const SideReading& baseline,
                                  const SideReading& current, const Design& design, const Policy& policy) {
  LookEvidence look;
  const double known = design.known_variance_per_side;
  if (design.ratios) look.differences = stats::moments(*design.ratios);
  auto test = look.differences ? stats::one_sample(*look.differences, 2 * known)
                               : stats::welch(baseline.moments, current.moments, known, known);
  if (!test) return std::nullopt;
  look.number = number;
  look.baseline = side_of(baseline);
  look.current = side_of(current);
  look.enough_processes = processes_of(look) >= least_processes(policy);
  if (std::max(forced_share(baseline), forced_share(current)) > tolerable_forced_share)
    look.doubt = Reason{ReasonCode::forced_gates, {{"tolerated", tolerable_forced_share}}};
  else
    look.doubt = condition_doubt(baseline.conditions, current.conditions, row.throttled_share);
  test->difference *= sign_of(row);
  look.effect = *test;
  look.bounds = test->interval(1 - 2 * alpha_of_look(row));
  look.p_worse = test->p_above(log_margin(row));
  look.p_better = test->p_below(-log_margin(row));
  return look;
}

}  // namespace harness
