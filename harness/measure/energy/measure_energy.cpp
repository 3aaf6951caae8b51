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
  int other_processes = 0;
};

Result<SeenRounds> watch_calls(CaseParts& parts, Subject& subject, Seconds call) {
  const int at_once = parts.sampler.calls_at_once(subject);
  const double times = std::clamp(std::ceil(least_round / (call * at_once)), 1.0, most_in_round);
  const Round round{[&](sdk::Stream stream) {
                      for (int i = 0; i < static_cast<int>(times); ++i)
                        parts.sampler.queue_next(subject, stream);
                    },
                    static_cast<int>(times) * at_once};
  const Seconds window = std::clamp(calls_in_energy_window * call, energy_window, longest_energy_window);
  const Since<Conditions> conditions = parts.device.sensors().watch_conditions();
  const Since<EnergyLog> watch = parts.device.sensors().watch_energy();
  Result<std::vector<EndedCalls>> progress =
      parts.device.timer().work_through(round, warm_up_of_energy + window);
  if (!progress) return fail(progress.error());
  SeenRounds seen{std::move(*progress), watch(), 0};
  if (const std::optional<Conditions> around = conditions()) seen.other_processes = around->other_processes;
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

// Only samples of the boost clock tell what a call takes without a limit.
void note_prediction(const CaseParts& parts, Subject& subject, double joules, Seconds boost,
                     Seconds measured) {
  const std::optional<double> cap = parts.device.sensors().power_cap();
  if (parts.planned.sampling.power != PowerMode::boost || !cap || !(*cap > 0)) return;
  subject.result.notes.push_back({NoteCode::sustained_by_cap,
                                  {{"predicted", sustained_time_by(boost, joules, *cap)},
                                   {"measured", measured},
                                   {"boost", boost},
                                   {"cap", *cap}}});
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
  const std::optional<EnergyOfCalls> found =
      energy_of_calls(*seen.log, seen.progress, from, parts.carried.idle_watts.value_or(0));
  if (!found) return miss(NoteCode::energy_stands, {{"seconds", steady.span}, {"needs", least_steps}});
  if (wanted) subject.energy.joules = found->joules;
  note_window(parts, subject, *found, steady, seen.log->reading);
  note_prediction(parts, subject, found->joules, boost, steady.call());
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
  if (counts) measure_idle_power(parts);
  const Seconds boost = median_time_of(subject);
  const Result<SeenRounds> seen = watch_calls(parts, subject, boost);
  if (!seen) return parts.subjects.refused(seen.error());
  if (seen->other_processes > 0) {
    miss_both(parts, subject, NoteCode::metric_beside_others, {{"processes", seen->other_processes}});
    return {};
  }
  const std::optional<SteadyCalls> steady =
      seen->progress.empty() ? std::nullopt
                             : steady_calls(seen->progress, seen->progress.front().at + warm_up_of_energy);
  if (!steady) {
    miss_both(parts, subject, NoteCode::metric_untold);
    return {};
  }
  if (asks_for(parts, sustained_time_metric)) subject.energy.call = steady->call();
  find_energy(parts, subject, *seen, *steady, boost);
  return {};
}

}  // namespace

void measure_energy(CaseParts& parts) {
  if (!asks_for(parts, energy_metric) && !asks_for(parts, sustained_time_metric)) return;
  parts.enter(-1);
  parts.subjects.begin_step(CaseStep::measure_energy);
  parts.carried.inputs.settle();  // no thread of the host competes with the one that queues
  const auto phase = parts.phases.run("energy");
  parts.subjects.each([&](Subject& one) { return measure_energy_of(parts, one); });
  parts.carried.warmth.worked(parts.device.timer().now());
}

}  // namespace harness
