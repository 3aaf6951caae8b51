#include "harness/verdict/check/condition_checks.h"

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"

namespace harness {
namespace {

// The least differences between the sides' means that are reported.
constexpr double notable_degrees = 8;      // kelvin
constexpr double notable_power = 0.10;     // of the baseline's
constexpr double notable_sm_clock = 0.01;  // likewise

double share(std::size_t count, std::size_t of) {
  return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
}

double share_throttled(const SideConditions& side) {
  return share(side.throttled, side.known);
}

double shared_share(const SideConditions& side) {
  return share(side.shared, side.known);
}

bool only_power_cap(const SideConditions& side) {
  return std::all_of(side.reasons.begin(), side.reasons.end(),
                     [](const auto& reason) { return reason.first == "power_cap"; });
}

// "power_cap, thermal": of both sides, the reasons that occur.
std::string reasons_of(const SideConditions& baseline, const SideConditions& current) {
  std::vector<std::string> names;
  for (const SideConditions* side : {&baseline, &current})
    for (const auto& [reason, count] : side->reasons)
      if (std::find(names.begin(), names.end(), reason) == names.end()) names.push_back(reason);
  return join(names, ", ");
}

// Both sides ran into the power limit alike.
bool same_power_cap(const SideConditions& baseline, const SideConditions& current, double tolerable) {
  return only_power_cap(baseline) && only_power_cap(current) &&
         std::abs(share_throttled(baseline) - share_throttled(current)) <= tolerable;
}

void note_shift(std::vector<Diagnostic>& notes, DiagnosticCode code, const std::optional<double>& before,
                const std::optional<double>& after, double notable, bool moved) {
  if (!before || !after || std::abs(*after - *before) < notable) return;
  notes.push_back({code, {{"baseline", *before}, {"current", *after}, {"moved", moved}}});
}

}  // namespace

std::optional<Reason> condition_doubt(const SideConditions& baseline, const SideConditions& current,
                                      double throttled_share) {
  const double before = share_throttled(baseline), after = share_throttled(current);
  if (std::max(before, after) > throttled_share && !same_power_cap(baseline, current, throttled_share))
    return Reason{ReasonCode::throttled,
                  {{"reasons", reasons_of(baseline, current)},
                   {"baseline", before},
                   {"current", after},
                   {"tolerated", throttled_share}}};
  const double others_before = shared_share(baseline), others_after = shared_share(current);
  if (std::abs(others_before - others_after) > tolerable_shared_share)
    return Reason{ReasonCode::contaminated, {{"baseline", others_before}, {"current", others_after}}};
  return {};
}

void note_conditions(std::vector<Diagnostic>& notes, const ComparisonRow& row, const SideConditions& baseline,
                     const SideConditions& current) {
  if (baseline.throttled + current.throttled > 0)
    notes.push_back({DiagnosticCode::throttled,
                     {{"reasons", reasons_of(baseline, current)},
                      {"baseline", baseline.throttled},
                      {"baseline_known", baseline.known},
                      {"current", current.throttled},
                      {"current_known", current.known},
                      {"alike", same_power_cap(baseline, current, row.throttled_share)},
                      {"power_cap", only_power_cap(baseline) && only_power_cap(current)}}});
  if (baseline.shared + current.shared > 0)
    notes.push_back({DiagnosticCode::shared_device,
                     {{"most", std::max(baseline.most_others, current.most_others)},
                      {"baseline", baseline.shared},
                      {"baseline_known", baseline.known},
                      {"current", current.shared},
                      {"current_known", current.known}}});
  const bool moved = row.ratio > 0 && std::abs(std::log(row.ratio)) > std::log1p(row.margin);
  note_shift(notes, DiagnosticCode::temperature, baseline.temperature_c, current.temperature_c,
             notable_degrees, moved);
  if (!moved) return;
  note_shift(notes, DiagnosticCode::power, baseline.power_w, current.power_w,
             notable_power * baseline.power_w.value_or(0), moved);
  // Where the device's own clock was read, the cycles are compared instead (diagnose.cpp).
  note_shift(notes, DiagnosticCode::driver_clock, baseline.sm_clock_mhz, current.sm_clock_mhz,
             notable_sm_clock * baseline.sm_clock_mhz.value_or(0), moved);
}

void note_conditions(std::vector<Diagnostic>& notes, const SideConditions& side, double throttled_share) {
  if (side.throttled > 0)
    notes.push_back({DiagnosticCode::throttled_run,
                     {{"reasons", reasons_of(side, {})},
                      {"throttled", side.throttled},
                      {"known", side.known},
                      {"samples", side.throttled_samples},
                      {"tolerated", throttled_share},
                      {"beyond", share_throttled(side) > throttled_share},
                      {"power_cap", only_power_cap(side)}}});
  if (side.shared > 0)
    notes.push_back({DiagnosticCode::shared_run,
                     {{"most", side.most_others}, {"shared", side.shared}, {"known", side.known}}});
}

}  // namespace harness
