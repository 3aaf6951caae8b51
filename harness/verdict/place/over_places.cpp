#include "harness/verdict/place/over_places.h"

#include <algorithm>
#include <cmath>

#include "harness/model/known_metrics.h"
#include "harness/stats/hypothesis/welch.h"
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
  return PlaceReading{log_ratios(old, now), before.moments.mean, after.moments};
}

bool has_place(const ComparisonRow& row) {
  return decides(row) && !row.exact && !row.in_unit && !row.proven && row.p &&
         is_time_of_device(row.metric) && std::abs(row.ratio - 1) < most_by_place;
}

}  // namespace

bool can_be_of_place(const ComparisonRow& row) {
  const bool changed = (row.verdict == Verdict::regressed && row.reason.code == ReasonCode::worse) ||
                       row.verdict == Verdict::improved;
  return changed && has_place(row);
}

bool can_be_hidden_by_place(const ComparisonRow& row) {
  const bool passes = row.verdict == Verdict::unchanged || row.verdict == Verdict::not_worse;
  const ReasonCode why = row.reason.code;
  const bool open =
      row.verdict == Verdict::inconclusive &&
      (why == ReasonCode::undecided || why == ReasonCode::corrected || why == ReasonCode::not_confirmed);
  return (passes || open) && has_place(row);
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
  return PlacesEffect{{over.mean, std::sqrt(variance), freedom}, std::sqrt(over.variance), within / freedom};
}

int best_place(const std::vector<PlaceReading>& places, int sign, double alpha) {
  const stats::Moments& lies = places[shift_to_same_place].current;
  double best = 0, variance = 0;
  int found = shift_to_same_place;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double change = sign * (places[i].current.mean - lies.mean);
    if (change < best) found = static_cast<int>(i);
    best = std::min(best, change);
    variance += places[i].current.variance / static_cast<double>(places.size());
  }
  const double freedom = static_cast<double>(places.size() * (lies.count - 1));
  const stats::TTest test{best, std::sqrt(2 * variance / static_cast<double>(lies.count)), freedom};
  const double others = static_cast<double>(places.size()) - 1;
  return test.p_below(0) * others < alpha ? found : shift_to_same_place;
}

namespace {

// The test of as_compiled - others. `part`: of the variance between the processes of a place, which the
// others take.
stats::TTest less(const stats::Moments& as_compiled, double others, double part, const PlacesEffect& effect) {
  const double own = as_compiled.variance / static_cast<double>(as_compiled.count);
  const double theirs = part * effect.within, variance = own + theirs;
  const auto count = static_cast<std::size_t>(effect.test.degrees_of_freedom) + 1;
  return {as_compiled.mean - others, std::sqrt(variance),
          variance > 0 ? stats::satterthwaite(own / variance, as_compiled.count, theirs / variance, count)
                       : static_cast<double>(as_compiled.count - 1)};
}

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
                                           const Series& current, const std::vector<double>& as_compiled,
                                           const LookEvidence& look) {
  const stats::Moments own = stats::moments(as_compiled);
  if (look.doubt || !stats::usable(own)) return std::nullopt;
  SideReader reader(false);
  std::vector<PlaceReading> places;
  for (int shift = 0; shift < code_places; ++shift) {
    std::optional<PlaceReading> place = read_place(baseline, current, shift, reader);
    if (!place) return std::nullopt;
    places.push_back(std::move(*place));
  }
  const std::optional<PlacesEffect> effect = effect_over_places(places);
  if (!effect) return std::nullopt;
  const int sign = sign_of(row);
  const std::size_t processes = places.front().ratios.size();
  PlacesEvidence found;
  found.as_compiled = own.mean;
  found.at_same_place = stats::moments(places[shift_to_same_place].ratios).mean;
  const double of_a_place = 1 / static_cast<double>(processes);
  found.test = effect->test;
  found.unshown = less(own, found.at_same_place, of_a_place, *effect);
  found.rest = less(own, found.at_same_place - effect->test.difference,
                    of_a_place * (1 - 1 / static_cast<double>(code_places)), *effect);
  for (stats::TTest* test : {&found.test, &found.unshown, &found.rest}) test->difference *= sign;
  found.half_tick = look.half_tick;
  found.sd = effect->sd;
  found.processes = static_cast<int>(processes);
  const auto [lowest, highest] = std::minmax_element(
      places.begin(), places.end(),
      [](const PlaceReading& a, const PlaceReading& b) { return a.baseline < b.baseline; });
  found.lowest_log = lowest->baseline;
  found.highest_log = highest->baseline;
  found.best_shift = best_place(places, sign, alpha_to_pass(row));
  found.best_log = places[static_cast<std::size_t>(found.best_shift)].current.mean -
                   places[shift_to_same_place].current.mean;
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
  places.best = row.current.center * std::exp(evidence.best_log);
  return places;
}

// The places say this of a row, at alpha_to_pass().
struct Findings {
  bool shown = false;   // the copies show the change, where the code lies as compiled
  bool denied = false;  // they show another one
  bool passes = false;  // d and r are not worse than the margin
  bool worse = false;   // both are
  bool better = false;  // d is better than the margin
};

Findings findings_of(const ComparisonRow& row, const PlacesEvidence& places) {
  const double margin = effect_margin(row), alpha = alpha_to_pass(row);
  const double inside = margin - places.half_tick, beyond = margin + places.half_tick;
  const bool shown = places.unshown.p_outside(inside) < alpha;
  return {shown, !shown && places.unshown.p_differs() < alpha,
          places.test.p_below(inside) < alpha && places.rest.p_below(inside) < alpha,
          places.test.p_above(beyond) < alpha && places.rest.p_above(beyond) < alpha,
          places.test.p_below(-beyond) < alpha};
}

// The row stays as it was.
void tell_unshown(ComparisonRow& row, const PlacesEvidence& places) {
  row.reason.figures.emplace_back("as_compiled", std::expm1(places.as_compiled));
  row.reason.figures.emplace_back("at_same_place", std::expm1(places.at_same_place));
}

// At a lucky place slower code is faster as it was compiled.
void settle_improved(ComparisonRow& row, const Findings& found, bool passes, const PlacesEvidence& places) {
  if (found.better) return;
  if (found.denied) return tell_unshown(row, places);
  passes &= found.shown;
  const bool worse = found.shown && found.worse;
  row.verdict = passes ? Verdict::moved : worse ? Verdict::regressed : Verdict::inconclusive;
  row.reason = {passes  ? ReasonCode::moved
                : worse ? ReasonCode::worse_over_places
                        : ReasonCode::open_over_places};
}

void settle_regressed(ComparisonRow& row, const Findings& found, bool passes, const PlacesEvidence& places) {
  if (found.shown && passes) {
    row.verdict = Verdict::moved;
    row.reason = {ReasonCode::moved};
  } else if (*row.over_places->p_passes < alpha_to_pass(row) && !(found.shown && found.passes)) {
    tell_unshown(row, places);
  }
}

// Nobody called the row slower where its code lies, so d and r are held to the level of the gate, for all
// rows that are asked so together (Bonferroni). Each of them has to be worse, so u can make no row red by
// itself, and stays at alpha_to_pass().
void settle_hidden(ComparisonRow& row, const Findings& found, const PlacesEvidence& places,
                   std::size_t together) {
  const double alpha = std::min(alpha_to_pass(row), row.alpha) / static_cast<double>(together);
  const double beyond = effect_margin(row) + places.half_tick;
  if (!found.shown || places.test.p_above(beyond) >= alpha || places.rest.p_above(beyond) >= alpha) return;
  row.verdict = Verdict::regressed;
  row.reason = {ReasonCode::worse_over_places};
  row.processes_needed.reset();
  row.look.next.reset();
}

}  // namespace

void settle_places(std::vector<ComparisonRow>& rows, const std::vector<Evidence>& evidence) {
  const auto hidden = std::count_if(evidence.begin(), evidence.end(), [&](const Evidence& one) {
    return one.places && can_be_hidden_by_place(rows[one.row]);
  });
  for (const Evidence& one : evidence) {
    ComparisonRow& row = rows[one.row];
    const bool called = can_be_of_place(row);
    if (!one.places || (!called && !can_be_hidden_by_place(row))) continue;
    const PlacesEvidence& places = *one.places;
    stats::Bounds bounds = places.test.interval(1 - 2 * alpha_to_pass(row));
    bounds.lo -= places.half_tick;
    bounds.hi += places.half_tick;
    row.over_places = told(row, places, bounds, places.test.p_below(effect_margin(row) - places.half_tick));
    const Findings found = findings_of(row, places);
    const bool passes = found.passes && !has_slow_calls(row, one);
    if (!called)
      settle_hidden(row, found, places, static_cast<std::size_t>(hidden));
    else if (row.verdict == Verdict::improved)
      settle_improved(row, found, passes, places);
    else
      settle_regressed(row, found, passes, places);
  }
}

}  // namespace harness
