#include "harness/measure/energy/measure_energy.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/measure/case/microseconds.h"
#include "harness/measure/energy/energy_fit.h"
#include "harness/model/known_metrics.h"
#include "harness/stats/estimate/estimator.h"

namespace harness {
namespace {

// The counter of an H200 makes a step in 77 to 100 ms.
constexpr Seconds warm_up_of_energy = 0.5;  // the clock and the counter's steps settle
constexpr Seconds energy_window = 2;
constexpr Seconds longest_energy_window = 10;
constexpr double calls_in_energy_window = 50;  // of long calls, up to the longest window
constexpr Seconds idle_window = 0.6;
constexpr Seconds least_round = 2e-3;
constexpr double most_in_round = 4096;  // queued at once
constexpr double longest_round = 0.2;   // of the window
constexpr double most_idle = 1e-3;      // of the window, where the power of idling is not known

bool asks_for(const CaseParts& parts, const BuiltInMetric& metric) {
  const std::vector<std::string>& metrics = parts.planned.metrics;
  return std::find(metrics.begin(), metrics.end(), metric.name) != metrics.end();
}

// A note for each of the two metrics that the case asks for.
void miss_both(const CaseParts& parts, Subject& subject, NoteCode why, const Figures& figures = {}) {
  for (const BuiltInMetric& metric : {energy_metric, sustained_time_metric}) {
    if (!asks_for(parts, metric)) continue;
    Note& note = subject.result.notes.emplace_back(missing(metric, why));
    note.figures.insert(note.figures.end(), figures.begin(), figures.end());
  }
}

Seconds median_time_of(const Subject& subject) {
  std::vector<double> all;
  for (const Placement& one : subject.samples.placements)
    all.insert(all.end(), one.samples.begin(), one.samples.end());
  return all.empty() ? 0 : from_microseconds(stats::median(all));
}

// Once a process: it drifts with the temperature, and is subtracted for short pauses alone.
void measure_idle_power(CaseParts& parts) {
  if (parts.carried.idle_watts) return;
  const Since<EnergyLog> watch = parts.device.sensors().watch_energy();
  parts.device.timer().idle(idle_window);
  if (const std::optional<EnergyLog> log = watch()) parts.carried.idle_watts = power_of_idling(*log);
}

// A watch over calls that followed each other.
struct SeenRounds {
  std::vector<EndedCalls> progress;
  std::optional<EnergyLog> log;
  std::optional<int> other_processes;  // not known
};

Seconds window_of(Seconds call) {
  return std::clamp(calls_in_energy_window * call, energy_window, longest_energy_window);
}

Result<SeenRounds> watch_calls(CaseParts& parts, Subject& subject, Seconds call) {
  const int at_once = parts.sampler.calls_at_once(subject);
  const double times = std::clamp(std::ceil(least_round / (call * at_once)), 1.0, most_in_round);
  const Round round{[&](sdk::Stream stream) {
                      for (int i = 0; i < static_cast<int>(times); ++i)
                        parts.sampler.queue_next(subject, stream);
                    },
                    static_cast<int>(times) * at_once};
  const std::optional<int> before = parts.device.sensors().other_processes();
  const Since<EnergyLog> watch = parts.device.sensors().watch_energy();
  Result<std::vector<EndedCalls>> progress =
      parts.device.timer().work_through(round, warm_up_of_energy + window_of(call));
  if (!progress) return fail(progress.error());
  SeenRounds seen{std::move(*progress), watch(), std::nullopt};
  const std::optional<int> after = parts.device.sensors().other_processes();
  if (before && after) seen.other_processes = std::max(*before, *after);
  return seen;
}

void note_window(const CaseParts& parts, Subject& subject, const EnergyOfCalls& found,
                 const SteadyCalls& steady, Seconds reading) {
  Note note{NoteCode::energy_window,
            {{"calls", steady.calls},
             {"seconds", steady.span},
             {"steps", found.steps},
             {"interval", found.interval},
             {"reading", reading},
             {"open", found.open},
             {"watts", found.watts},
             {"idle", steady.idle / steady.span}}};
  if (parts.carried.idle_watts) note.figures.emplace_back("idle_watts", *parts.carried.idle_watts);
  subject.result.notes.push_back(std::move(note));
}

// Samples flush the cache before each call, and the calls of the window find what the calls before have left.
bool finds_another_cache(const CaseParts& parts) {
  return parts.planned.sampling.cache == CacheMode::cold && !rotates(parts.planned.sampling);
}

// Only samples of the boost clock, on the same cache, tell what a call takes without a limit.
void note_power(const CaseParts& parts, Subject& subject, double watts, Seconds boost, Seconds sustained) {
  const std::optional<double> cap = parts.device.sensors().power_cap();
  if (!cap || !(*cap > 0)) return;
  Note note{NoteCode::power_and_cap, {{"watts", watts}, {"cap", *cap}}};
  if (parts.planned.sampling.power == PowerMode::boost && !finds_another_cache(parts))
    note.figures.insert(note.figures.end(), {{"boost", boost}, {"sustained", sustained}});
  subject.result.notes.push_back(std::move(note));
}

void find_energy(CaseParts& parts, Subject& subject, const SeenRounds& seen, const SteadyCalls& steady,
                 Seconds boost) {
  const bool wanted = asks_for(parts, energy_metric);
  const auto miss = [&](NoteCode why, const Figures& figures = {}) {
    if (!wanted) return;
    Note& note = subject.result.notes.emplace_back(missing(energy_metric, why));
    note.figures.insert(note.figures.end(), figures.begin(), figures.end());
  };
  if (!seen.log || seen.log->fell_silent) return miss(NoteCode::metric_without_counter);
  if (seen.log->went_back) return miss(NoteCode::energy_went_back);
  const Seconds from = seen.progress.front().at + warm_up_of_energy;
  const double idle = steady.idle / steady.span;
  if (!parts.carried.idle_watts && idle > most_idle)
    return miss(NoteCode::idle_power_unknown, {{"idle", idle}, {"seconds", idle_window}});
  const tl::expected<EnergyOfCalls, Note> found =
      energy_of_calls(*seen.log, seen.progress, from, parts.carried.idle_watts.value_or(0));
  if (!found) return miss(found.error().code, found.error().figures);
  if (wanted) subject.energy.joules = found->joules;
  note_window(parts, subject, *found, steady, seen.log->reading);
  note_power(parts, subject, found->watts, boost, steady.call());
}

Step measure_energy_of(CaseParts& parts, Subject& subject) {
  if (parts.planned.gpus > 1) {
    miss_both(parts, subject, NoteCode::metric_of_one_gpu, {{"gpus", parts.planned.gpus}});
    return {};
  }
  const bool counts = parts.device.sensors().watch_energy()().has_value();
  if (!counts && !asks_for(parts, sustained_time_metric)) {
    miss_both(parts, subject, NoteCode::metric_without_counter);
    return {};
  }
  const Seconds boost = median_time_of(subject);
  const Seconds longest = longest_round * window_of(boost);
  if (boost * parts.sampler.calls_at_once(subject) > longest) {
    miss_both(parts, subject, NoteCode::metric_of_long_calls, {{"seconds", boost}, {"most", longest}});
    return {};
  }
  if (counts) measure_idle_power(parts);
  const Result<SeenRounds> seen = watch_calls(parts, subject, boost);
  if (!seen) return parts.subjects.refused(seen.error());
  const std::optional<SteadyCalls> steady =
      seen->progress.empty() ? std::nullopt
                             : steady_calls(seen->progress, seen->progress.front().at + warm_up_of_energy);
  if (!steady) {
    miss_both(parts, subject, NoteCode::metric_untold);
    return {};
  }
  if (!seen->other_processes) {
    miss_both(parts, subject, NoteCode::metric_beside_unknown);
    return {};
  }
  if (*seen->other_processes > 0) {
    miss_both(parts, subject, NoteCode::metric_beside_others, {{"processes", *seen->other_processes}});
    return {};
  }
  if (finds_another_cache(parts)) subject.result.notes.push_back({NoteCode::energy_unflushed, {}});
  if (asks_for(parts, sustained_time_metric)) subject.energy.call = steady->call();
  find_energy(parts, subject, *seen, *steady, boost);
  return {};
}

// The first of two builds finds a cooler device. So each is first in every other process of a case.
Subjects::Order order_of(const CaseParts& parts) {
  int sum = parts.process;
  for (const char one : parts.planned.id) sum += static_cast<unsigned char>(one);
  return sum % 2 == 0 ? Subjects::Order::forwards : Subjects::Order::backwards;
}

}  // namespace

void measure_energy(CaseParts& parts) {
  if (!asks_for(parts, energy_metric) && !asks_for(parts, sustained_time_metric)) return;
  parts.enter(-1);
  parts.subjects.begin_step(CaseStep::measure_energy);
  parts.carried.inputs.settle();  // no thread of the host competes with the one that queues
  const auto phase = parts.phases.run("energy");
  parts.subjects.each([&](Subject& one) { return measure_energy_of(parts, one); }, order_of(parts));
  parts.carried.warmth.worked(parts.device.timer().now());
}

}  // namespace harness
