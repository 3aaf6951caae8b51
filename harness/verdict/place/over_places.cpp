#include "harness/verdict/place/over_places.h"

#include <algorithm>
#include <cmath>

#include "harness/model/known_metrics.h"
#include "harness/verdict/read/pairs.h"

namespace harness {
namespace {

Series at_place(const Series& series, int shift) {
  Series part{series.metric, series.unit, series.direction, {}};
  for (const ProcessSamples& process : series.processes)
    if (is_shifted(process.process) && shift_of(process.process) == shift) part.processes.push_back(process);
  return part;
}

// By the processes that both sides have. std::nullopt where a side has others.
std::optional<PlaceReading> read_place(const Series& baseline, const Series& current, int shift,
                                       SideReader& reader) {
  const Series old = at_place(baseline, shift), now = at_place(current, shift);
  const SideReading before = reader.read(old), after = reader.read(now);
  if (before.numbers != after.numbers || before.numbers.size() != old.processes.size() ||
      after.numbers.size() != now.processes.size() || before.numbers.empty())
    return std::nullopt;
  return PlaceReading{log_ratios(old, now), before.moments.mean, after.moments.mean};
}

}  // namespace

bool can_be_of_place(const ComparisonRow& row) {
  const bool changed = (row.verdict == Verdict::regressed && row.reason.code == ReasonCode::worse) ||
                       row.verdict == Verdict::improved;
  return changed && decides(row) && !row.exact && !row.in_unit && !row.proven && row.p &&
         is_time_of_device(row.metric) && std::abs(row.ratio - 1) < most_by_place;
}

std::optional<PlacesEffect> effect_over_places(const std::vector<PlaceReading>& places) {
  if (places.size() != code_places) return std::nullopt;
  const std::size_t processes = places.front().ratios.size();
  if (processes < 2) return std::nullopt;
  std::vector<double> means;
  double within = 0;  // sum of squares around the means of the places
  for (const PlaceReading& place : places) {
    if (place.ratios.size() != processes) return std::nullopt;
    const stats::Moments moments = stats::moments(place.ratios);
    means.push_back(moments.mean);
    within += moments.variance * static_cast<double>(processes - 1);
  }
  const stats::Moments over = stats::moments(means);
  const double count = static_cast<double>(places.size());
  const double freedom = count * static_cast<double>(processes - 1);
  const double share_measured = count / code_places;
  const double variance = (1 - share_measured) * over.variance / count +
                          within / freedom / (count * static_cast<double>(processes));
  if (!std::isfinite(over.mean) || !std::isfinite(variance)) return std::nullopt;
  return PlacesEffect{{over.mean, std::sqrt(variance), freedom}, std::sqrt(over.variance)};
}

namespace {

// Whether the gate on slow calls may fail, which no place explains. Without correction for other rows: it
// only keeps a row from passing.
bool has_slow_calls(const ComparisonRow& row, const LookEvidence& look) {
  return look.slow_calls && (look.slow_calls->open || look.slow_calls->p < row.alpha);
}

bool has_slow_calls(const ComparisonRow& row, const Evidence& evidence) {
  return evidence.places->slow_calls || evidence.p_slow < row.alpha ||
         std::any_of(evidence.looks.begin(), evidence.looks.end(),
                     [&](const LookEvidence& look) { return has_slow_calls(row, look); }) ||
         (evidence.fresh && has_slow_calls(row, *evidence.fresh)) ||
         (evidence.pooled && has_slow_calls(row, *evidence.pooled));
}

}  // namespace

std::optional<PlacesEvidence> weigh_places(const ComparisonRow& row, const Series& baseline,
                                           const Series& current, const LookEvidence& look) {
  if (look.doubt) return std::nullopt;
  SideReader reader(false);
  std::vector<PlaceReading> places;
  for (int shift = 0; shift < code_places; ++shift) {
    std::optional<PlaceReading> place = read_place(baseline, current, shift, reader);
    if (!place) return std::nullopt;
    places.push_back(std::move(*place));
  }
  std::optional<PlacesEffect> effect = effect_over_places(places);
  if (!effect) return std::nullopt;
  const int sign = sign_of(row);
  effect->test.difference *= sign;
  PlacesEvidence found{effect->test, look.half_tick, effect->sd,
                       static_cast<int>(places.front().ratios.size())};
  const auto [lowest, highest] = std::minmax_element(
      places.begin(), places.end(),
      [](const PlaceReading& a, const PlaceReading& b) { return a.baseline < b.baseline; });
  found.lowest_log = lowest->baseline;
  found.highest_log = highest->baseline;
  const auto best = std::min_element(
      places.begin(), places.end(),
      [&](const PlaceReading& a, const PlaceReading& b) { return sign * a.current < sign * b.current; });
  found.best_shift = static_cast<int>(best - places.begin());
  found.best_log = best->current;
  found.slow_calls = has_slow_calls(row, look);
  return found;
}

namespace {

OverPlaces told(const ComparisonRow& row, const PlacesEvidence& evidence, const stats::Bounds& bounds,
                double p_passes) {
  const double margin = effect_margin(row);
  const int sign = sign_of(row);
  const double low = sign > 0 ? bounds.lo : -bounds.hi, high = sign > 0 ? bounds.hi : -bounds.lo;
  OverPlaces places;
  places.ratio = std::exp(sign * evidence.test.difference);
  places.interval = Interval{std::exp(low), std::exp(high)};
  places.p = evidence.test.p_above(margin + evidence.half_tick);
  places.p_passes = p_passes;
  places.places = code_places;
  places.processes = evidence.processes;
  places.sd = evidence.sd;
  places.lowest = std::exp(evidence.lowest_log) / row.baseline.center;
  places.highest = std::exp(evidence.highest_log) / row.baseline.center;
  places.best_shift = evidence.best_shift;
  places.best = std::exp(evidence.best_log);
  return places;
}

// At a lucky place slower code is faster as it was compiled.
void settle_improved(ComparisonRow& row, bool passes, bool better) {
  if (better) return;
  const bool worse = *row.over_places->p < alpha_to_pass(row);
  row.verdict = passes ? Verdict::moved : worse ? Verdict::regressed : Verdict::inconclusive;
  row.reason = {passes  ? ReasonCode::moved
                : worse ? ReasonCode::worse_over_places
                        : ReasonCode::open_over_places};
}

}  // namespace

void settle_places(std::vector<ComparisonRow>& rows, const std::vector<Evidence>& evidence) {
  for (const Evidence& one : evidence) {
    ComparisonRow& row = rows[one.row];
    if (!one.places || !can_be_of_place(row)) continue;
    const PlacesEvidence& places = *one.places;
    const double margin = effect_margin(row);
    stats::Bounds bounds = places.test.interval(1 - 2 * alpha_to_pass(row));
    bounds.lo -= places.half_tick;
    bounds.hi += places.half_tick;
    const double p_passes = places.test.p_below(margin - places.half_tick);
    row.over_places = told(row, places, bounds, p_passes);
    const bool passes = p_passes < alpha_to_pass(row) && !has_slow_calls(row, one);
    const bool better = places.test.p_below(-margin - places.half_tick) < alpha_to_pass(row);
    if (row.verdict == Verdict::improved) {
      settle_improved(row, passes, better);
    } else if (passes) {
      row.verdict = Verdict::moved;
      row.reason = {ReasonCode::moved};
    }
  }
}

}  // namespace harness
