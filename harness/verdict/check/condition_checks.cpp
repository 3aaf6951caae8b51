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

std::optional<double> shared_share(const SideConditions& side) {
  if (side.shared_known == 0) return std::nullopt;
  return share(side.shared, side.shared_known);
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

// The least differences of the sides' mean loads that count.
constexpr double notable_others = 0.05;  // of the CPUs
constexpr double notable_stolen = 0.01;  // likewise
constexpr double notable_queue = 0.5;    // threads without a CPU
constexpr double notable_held = 0.01;    // CPUs
// Beside others on so many of the CPUs it is luck who shares a core with the work, on either side.
constexpr double crowd = 0.25;
// Up to this share of the time, threads that wait for a CPU do not matter.
constexpr double tolerable_stalls = 0.02;
// The same work may use twice the CPU time beside others, which share its core, caches and memory.
constexpr double most_crowding = 0.6931471805599453;  // log 2

bool is_higher(const std::optional<double>& quiet, const std::optional<double>& busy, double notable) {
  return busy.value_or(0) - quiet.value_or(0) > notable;
}

// Threads that would be queued beside one that works.
std::optional<double> without_cpu(const HostLoad& load) {
  if (!load.queue) return std::nullopt;
  return std::max(*load.queue - load.cpus.value_or(1) + 1, 0.0);
}

// How the host was busier on the side `busy`.
struct Busier {
  bool crowded = false;  // others took more of the CPUs, or many: the work may have used more CPU time
  bool waited = false;   // others took more of the CPUs, and the work may have waited for one
};
Busier busier(const HostLoad& quiet, const HostLoad& busy) {
  const int cpus = busy.cpus.value_or(1);
  const bool stolen = is_higher(quiet.stolen, busy.stolen, notable_stolen * cpus);
  const bool others = is_higher(quiet.others, busy.others, notable_others * cpus) ||
                      is_higher(without_cpu(quiet), without_cpu(busy), notable_queue);
  // Stalls alone prove nothing, because a program with more threads than CPUs causes them itself. But where
  // there are none, nobody waited.
  const bool stalls = !busy.stalled || *busy.stalled > tolerable_stalls;
  return {stolen || others || busy.others.value_or(0) > crowd * cpus,
          is_higher(quiet.held, busy.held, notable_held) || stolen || (others && stalls)};
}

// Whether a load explains that a time grew: by waiting, by more CPU time, or by both.
bool explains(const Busier& load, const TimeChange& change) {
  if (!load.crowded && !load.waited) return false;
  if (!change.cpu) return true;
  const auto grew = [&](double part) { return part > std::max(change.margin, change.time / 2); };
  if (!load.waited && grew(change.time - *change.cpu)) return false;
  return load.crowded ? *change.cpu <= most_crowding : !grew(*change.cpu);
}

// Whether the load of the baseline may hide that the current side is slower.
bool may_hide(const Busier& load, const TimeChange& change) {
  const double cpu = change.cpu.value_or(change.time), waiting = change.time - change.cpu.value_or(0);
  return (load.waited && waiting < -change.margin) || (load.crowded && cpu < -change.margin);
}

// "baseline_others", ... where they are known.
void add_loads(Figures& figures, const std::string& side, const HostLoad& load) {
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) figures.emplace_back(side + "_" + name, *value);
  };
  add("others", load.others);
  add("stolen", load.stolen);
  add("queue", load.queue);
  add("held", load.held);
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
  const auto others_before = shared_share(baseline), others_after = shared_share(current);
  if (std::abs(others_before.value_or(0) - others_after.value_or(0)) <= tolerable_shared_share) return {};
  Reason reason{ReasonCode::contaminated, {}};
  if (others_before) reason.figures.emplace_back("baseline", *others_before);
  if (others_after) reason.figures.emplace_back("current", *others_after);
  return reason;
}

LoadDoubts load_doubts(const SideConditions& baseline, const SideConditions& current,
                       const TimeChange& change) {
  LoadDoubts doubts;
  const auto doubt = [&](const char* side, const Busier& load) {
    Reason reason{ReasonCode::waited,
                  {{"side", side}, {"waited", load.waited}, {"change", std::expm1(change.time)}}};
    if (change.cpu) reason.figures.emplace_back("cpu", std::expm1(*change.cpu));
    add_loads(reason.figures, "baseline", baseline.load);
    add_loads(reason.figures, "current", current.load);
    return reason;
  };
  const Busier now = busier(baseline.load, current.load), before = busier(current.load, baseline.load);
  if (explains(now, change)) doubts.if_worse = doubt("current", now);
  if (may_hide(before, change)) doubts.if_passes = doubt("baseline", before);
  return doubts;
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
                      {"baseline_known", baseline.shared_known},
                      {"current", current.shared},
                      {"current_known", current.shared_known}}});
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
                     {{"most", side.most_others}, {"shared", side.shared}, {"known", side.shared_known}}});
}

}  // namespace harness
