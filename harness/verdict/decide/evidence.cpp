#include "harness/verdict/decide/evidence.h"

#include <algorithm>
#include <cmath>

#include "harness/verdict/check/condition_checks.h"

namespace harness {

int sign_of(const ComparisonRow& row) {
  return row.direction == Direction::lower_is_better ? 1 : -1;
}

double effect_margin(const ComparisonRow& row) {
  return row.in_unit ? row.in_unit->margin : std::log1p(row.margin);
}

double share_of(const ComparisonRow& row, double effect) {
  if (!row.in_unit) return std::expm1(effect);
  return row.baseline.center == 0 ? 0 : effect / std::abs(row.baseline.center);
}

namespace {

// Current over baseline; 0 where that is no ratio.
double ratio_of(const ComparisonRow& row, double effect) {
  if (!row.in_unit) return std::exp(effect);
  return row.baseline.center > 0 ? std::max(1 + effect / row.baseline.center, 0.0) : 0;
}

// The bounds of current - baseline, or of the log of their ratio.
Interval interval_of(const ComparisonRow& row, const stats::Bounds& bounds) {
  const bool mirrored = sign_of(row) < 0;
  return {mirrored ? -bounds.hi : bounds.lo, mirrored ? -bounds.lo : bounds.hi};
}

}  // namespace

double share_of_margin(const ComparisonRow& row, const LoosenedGate& gate) {
  const double center = std::abs(row.baseline.center);
  return gate.unit.empty() ? gate.margin : center > 0 ? gate.margin / center : 0;
}

double effect_margin_of(const ComparisonRow& row, const LoosenedGate& gate) {
  if (!row.in_unit) return std::log1p(share_of_margin(row, gate));
  return gate.unit.empty() ? gate.margin * std::abs(row.baseline.center) : gate.margin;
}

Estimate estimate_of(const ComparisonRow& row, const LookEvidence& look) {
  const Interval bounds = interval_of(row, look.bounds);
  Estimate estimate{
      ratio_of(row, sign_of(row) * look.effect.difference), {}, look.p_worse, look.current.processes};
  if (!row.in_unit || row.baseline.center > 0)
    estimate.interval = Interval{ratio_of(row, bounds.lo), ratio_of(row, bounds.hi)};
  return estimate;
}

void show_effect(ComparisonRow& row, double effect, const std::optional<stats::Bounds>& bounds) {
  row.ratio = ratio_of(row, sign_of(row) * effect);
  if (row.in_unit) row.in_unit->difference = sign_of(row) * effect;
  if (!bounds) return;
  const Interval both = interval_of(row, *bounds);
  if (row.in_unit) row.in_unit->interval = both;
  if (!row.in_unit || row.baseline.center > 0)
    row.interval = Interval{ratio_of(row, both.lo), ratio_of(row, both.hi)};
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
    case Verdict::not_worse: return ReasonCode::not_worse;
    default: return ReasonCode::undecided;
  }
}

namespace {

// With a smaller chance than this, a variance is not like the others.
constexpr double improbable = 0.05;

void test_look(const ComparisonRow& row, LookEvidence& look,
               const std::optional<stats::VariancePrior>& prior) {
  look.effect = stats::test_of(look.contrast);
  if (prior) {
    const double own = look.contrast.variance() / look.contrast.scale();
    const double freedom = look.contrast.degrees_of_freedom();
    const bool noisier = prior->tail(own, freedom) < improbable;
    if (!noisier) {
      look.effect = stats::test_of(look.contrast, *prior);
      look.usual_freedom = prior->degrees_of_freedom;
    }
    const double used = look.effect.standard_error * look.effect.standard_error - look.contrast.known;
    look.moderation = Moderation{std::sqrt(own),
                                 freedom,
                                 std::sqrt(prior->variance),
                                 prior->degrees_of_freedom,
                                 std::sqrt(std::max(used, 0.0) / look.contrast.scale()),
                                 noisier};
  }
  look.bounds = look.effect.interval(1 - 2 * alpha_to_pass(row));
  look.bounds.lo -= look.half_tick;
  look.bounds.hi += look.half_tick;
  look.p_worse = look.effect.p_above(effect_margin(row) + look.half_tick);
  look.p_better = look.effect.p_below(-effect_margin(row) - look.half_tick);
  look.p_passes = look.effect.p_below(effect_margin(row) - look.half_tick);
}

}  // namespace

bool is_worse(const ComparisonRow& row, const Evidence& evidence, const LoosenedGate& gate) {
  if (evidence.looks.empty()) return false;
  const LookEvidence& look = evidence.looks[evidence.shown];
  return look.counts() && look.effect.p_above(effect_margin_of(row, gate)) < gate.alpha;
}

namespace {

// Half a step of the side's clock, where that is coarser than the margin: a change of so much may not show.
double half_tick(const SideReading& reading, double margin) {
  const double center = std::exp(reading.moments.mean);
  return reading.step > margin * center ? std::log1p(reading.step / (2 * center)) : 0;
}

}  // namespace

std::optional<LookEvidence> weigh(const ComparisonRow& row, int number, const SideReading& baseline,
                                  const SideReading& current, const Design& design, const Policy& policy) {
  LookEvidence look;
  if (design.ratios) {
    look.differences = stats::moments(*design.ratios);
    if (!stats::usable(*look.differences)) return std::nullopt;
    look.contrast = stats::contrast(
        stats::estimate_of(*look.differences, 2 * (design.session_variance + design.device_variance)));
  } else {
    if (!stats::usable(baseline.moments) || !stats::usable(current.moments)) return std::nullopt;
    // A baseline of several sessions tells how much they differ. The current side is one more.
    const double sessions = session_variance_of(baseline, design.session_variance);
    look.contrast = design.by_session
                        ? stats::contrast(estimate_of_sessions(baseline, design.session_variance),
                                          estimate_of_sessions(current, design.session_variance))
                        : stats::contrast(estimate_of(baseline, sessions), estimate_of(current, sessions));
    look.contrast.known += 2 * design.device_variance;
  }
  if (!std::isfinite(look.contrast.variance() + look.contrast.known)) return std::nullopt;
  look.contrast.difference *= sign_of(row);
  look.number = number;
  look.baseline = side_of(baseline);
  look.current = side_of(current);
  look.enough_processes = processes_of(look) >= least_processes(policy);
  if (std::max(forced_share(baseline), forced_share(current)) > tolerable_forced_share)
    look.doubt = Reason{ReasonCode::forced_gates, {{"tolerated", tolerable_forced_share}}};
  else
    look.doubt = condition_doubt(baseline.conditions, current.conditions, row.throttled_share);
  look.half_tick = std::max(half_tick(baseline, row.margin), half_tick(current, row.margin));
  if (!design.in_turn) {
    const double change = look.contrast.difference;
    look.load = load_doubts(baseline.conditions, current.conditions,
                            {change, design.cpu_time ? change : design.cpu_change, effect_margin(row)});
  }
  look.slow_calls = judge_slow_calls(baseline, current, effect_margin(row), look.contrast.known);
  return look;
}

double level_of(const LookEvidence& look) {
  return (std::log(look.baseline.center) + std::log(look.current.center)) / 2;
}

void test_looks(const std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence,
                const UsualSpreads& usual) {
  for (Evidence& one : evidence) {
    if (one.looks.empty()) continue;
    // The usual variance is that at the level of the first look: later processes must not change its result.
    const auto prior = one.history ? one.history : usual.at(one.kind, level_of(one.looks.front()));
    for (LookEvidence& look : one.looks) test_look(rows[one.row], look, prior);
    for (Rare<LookEvidence>* again : {&one.fresh, &one.pooled})
      if (*again) test_look(rows[one.row], **again, prior);
  }
}

}  // namespace harness
