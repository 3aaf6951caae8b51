#include "harness/verdict/check/condition_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"

namespace harness {
namespace {

// Differences between the sides' means that are worth a word.
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

std::string advice_for(const SideConditions& baseline, const SideConditions& current) {
  if (only_power_cap(baseline) && only_power_cap(current))
    return "if the code draws more power now, that is the finding; lock the clock below the cap (nvidia-smi "
           "-lgc) to compare the code alone";
  return "let the device cool, look at its fans and neighbours, and measure again";
}

void note_shift(std::vector<std::string>& notes, const std::optional<double>& before,
                const std::optional<double>& after, double notable, const char* what, const char* unit,
                const char* advice) {
  if (!before || !after || std::abs(*after - *before) < notable) return;
  notes.push_back(fmt::format("{} went from {:.0f} to {:.0f} {}: {}", what, *before, *after, unit, advice));
}

}  // namespace

ConditionDoubt condition_doubt(const SideConditions& baseline, const SideConditions& current,
                               double throttled_share) {
  const double before = share_throttled(baseline), after = share_throttled(current);
  if (std::max(before, after) > throttled_share && !same_power_cap(baseline, current, throttled_share))
    return {Remedy::cool_device,
            fmt::format("the device held its clock down ({}) in {:.0f} % of the "
                        "baseline's placements and {:.0f} % of the "
                        "current side's, more than the {:.0f} % that a verdict bears",
                        reasons_of(baseline, current), before * 100, after * 100, throttled_share * 100)};
  const double others_before = shared_share(baseline), others_after = shared_share(current);
  if (std::abs(others_before - others_after) > tolerable_shared_share)
    return {
        Remedy::free_device,
        fmt::format(
            "contaminated: other processes used the device during {:.0f} % of the baseline's placements and "
            "{:.0f} % of the current side's",
            others_before * 100, others_after * 100)};
  return {};
}

void note_conditions(std::vector<std::string>& notes, const ComparisonRow& row,
                     const SideConditions& baseline, const SideConditions& current) {
  if (baseline.throttled + current.throttled > 0)
    notes.push_back(fmt::format(
        "throttled: the device held its clock down ({}) in {} of {} placements of the baseline and {} of {} "
        "of the current side: {}",
        reasons_of(baseline, current), baseline.throttled, baseline.known, current.throttled, current.known,
        same_power_cap(baseline, current, row.throttled_share)
            ? "the power limit is part of what this case costs; lock the clock below it to compare the code "
              "alone"
            : advice_for(baseline, current)));
  if (baseline.shared + current.shared > 0)
    notes.push_back(fmt::format(
        "contaminated: up to {} other process{} used the device in {} of {} placements of the baseline and "
        "{} of {} of the current side: find out who (nvidia-smi; top on a CPU), and measure again without",
        std::max(baseline.most_others, current.most_others),
        std::max(baseline.most_others, current.most_others) == 1 ? "" : "es", baseline.shared, baseline.known,
        current.shared, current.known));
  const bool moved = row.ratio > 0 && std::abs(std::log(row.ratio)) > std::log1p(row.margin);
  note_shift(
      notes, baseline.temperature_c, current.temperature_c, notable_degrees, "the temperature", "C",
      moved ? "a warmer chip leaks and throttles more, so measure both sides equally warm before blaming "
              "the code"
            : "the verdict stands, but the machine was in another state");
  if (!moved) return;
  note_shift(notes, baseline.power_w, current.power_w, notable_power * baseline.power_w.value_or(0),
             "the power drawn", "W",
             "more work a second draws more; the same work at less power points to clocks or limits");
  // Where the device's own clock was read, the cycles are compared instead (diagnose.cpp).
  note_shift(notes, baseline.sm_clock_mhz, current.sm_clock_mhz,
             notable_sm_clock * baseline.sm_clock_mhz.value_or(0), "the driver's SM clock", "MHz",
             "compare it with the change of the time before blaming the code");
}

void note_conditions(std::vector<std::string>& notes, const SideConditions& side, double throttled_share) {
  if (side.throttled > 0)
    notes.push_back(
        fmt::format("throttled: the device held its clock down ({}) in {} of {} placements, {} samples: {}",
                    reasons_of(side, {}), side.throttled, side.known, side.throttled_samples,
                    share_throttled(side) > throttled_share
                        ? fmt::format("more than the {:g} % that a verdict bears{}", throttled_share * 100,
                                      only_power_cap(side) ? ", unless the other side does likewise" : "")
                        : "few enough for a verdict"));
  if (side.shared > 0)
    notes.push_back(fmt::format(
        "contaminated: up to {} other process{} used the device in {} of {} placements: find out who "
        "(nvidia-smi; top on a CPU), and measure again without",
        side.most_others, side.most_others == 1 ? "" : "es", side.shared, side.known));
}

}  // namespace harness
