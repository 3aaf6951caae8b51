#include "harness/measure/energy/energy_fit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

namespace harness {
namespace {

constexpr std::size_t least_steps_of_idling = 3;
constexpr double least_seen = 0.8;  // of the time, between the first step and the last
constexpr double most_bent = 0.02;  // between the slopes of both halves, unless the steps leave more open

// Calls that had ended, and pauses that had passed, at a time within the rounds.
struct Reached {
  double calls;
  Seconds idle;
};

// A pause is in front of the round after it.
Reached place_at(const std::vector<EndedCalls>& progress, Seconds at) {
  const auto next = std::lower_bound(std::next(progress.begin()), std::prev(progress.end()), at,
                                     [](const EndedCalls& one, Seconds time) { return one.at < time; });
  const EndedCalls& before = *std::prev(next);
  const Seconds pause = next->idle - before.idle;
  const Seconds since = at - before.at, round = next->at - before.at - pause;
  const double share = round > 0 ? std::clamp((since - pause) / round, 0.0, 1.0) : 1;
  return {static_cast<double>(before.calls) + share * static_cast<double>(next->calls - before.calls),
          before.idle + std::clamp(since, 0.0, pause)};
}

struct AtStep {
  double calls;
  double joules;
  double open;  // calls, to either side
};

Seconds middle_of(const EnergyStep& step) {
  return (step.after + step.before) / 2;
}

struct EnergySlope {
  double value;
  double open;  // a share
};

std::optional<EnergySlope> slope_of(std::span<const AtStep> points) {
  double calls = 0, joules = 0;
  for (const AtStep& one : points) calls += one.calls, joules += one.joules;
  calls /= static_cast<double>(points.size());
  joules /= static_cast<double>(points.size());
  double squares = 0, products = 0, open = 0;
  for (const AtStep& one : points) {
    squares += (one.calls - calls) * (one.calls - calls);
    products += (one.calls - calls) * (one.joules - joules);
    open += std::abs(one.calls - calls) * one.open;
  }
  if (!(squares > 0) || !(products > 0)) return std::nullopt;
  return EnergySlope{products / squares, open / squares};
}

// Slopes in both halves that cannot be one line's.
std::optional<Note> bent(std::span<const AtStep> points) {
  const std::size_t half = points.size() / 2;
  const auto first = slope_of(points.first(half)), second = slope_of(points.last(points.size() - half));
  const double early = first ? first->value : 0, late = second ? second->value : 0;
  const double allowed = first && second ? std::max(most_bent, first->open + second->open) : 0;
  if (std::abs(early - late) <= allowed * (early + late) / 2) return std::nullopt;
  return Note{NoteCode::energy_bent, {{"first", early}, {"second", late}}};
}

}  // namespace

std::optional<SteadyCalls> steady_calls(const std::vector<EndedCalls>& progress, Seconds from) {
  const auto first =
      std::find_if(progress.begin(), progress.end(), [&](const EndedCalls& one) { return one.at >= from; });
  if (first == progress.end() || std::next(first) == progress.end()) return std::nullopt;
  const EndedCalls& last = progress.back();
  return SteadyCalls{last.calls - first->calls, last.at - first->at, last.idle - first->idle};
}

tl::expected<EnergyOfCalls, Note> energy_of_calls(const EnergyLog& log,
                                                  const std::vector<EndedCalls>& progress, Seconds from,
                                                  double idle_watts) {
  const std::optional<SteadyCalls> steady = steady_calls(progress, from);
  const auto stands = [&] {
    return tl::unexpected<Note>(
        {NoteCode::energy_stands, {{"seconds", steady ? steady->span : 0}, {"needs", least_steps}}});
  };
  if (!steady) return stands();
  const double rate = static_cast<double>(steady->calls) / steady->span;
  std::vector<AtStep> points;
  Seconds first = 0, last = 0;
  for (const EnergyStep& step : log.steps) {
    if (step.after < from || step.before > progress.back().at) continue;
    const Seconds at = middle_of(step);
    const Reached place = place_at(progress, at);
    const Seconds within = (step.before - step.after) / 2;
    points.push_back({place.calls, step.joules - idle_watts * place.idle, within * rate + 0.5});
    if (points.size() == 1) first = at;
    last = at;
  }
  if (points.size() < least_steps) return stands();
  if (last - first < least_seen * steady->span)
    return tl::unexpected<Note>({NoteCode::energy_unseen, {{"seconds", last - first}, {"of", steady->span}}});
  const std::optional<EnergySlope> slope = slope_of(points);
  if (!slope) return stands();
  if (std::optional<Note> why = bent(points)) return tl::unexpected<Note>(std::move(*why));
  return EnergyOfCalls{.joules = slope->value,
                       .open = slope->open,
                       .watts = slope->value / steady->call(),
                       .steps = static_cast<int>(points.size()),
                       .interval = (last - first) / static_cast<double>(points.size() - 1)};
}

std::optional<double> power_of_idling(const EnergyLog& log) {
  if (log.steps.size() < least_steps_of_idling || log.went_back) return std::nullopt;
  const EnergyStep &first = log.steps.front(), &last = log.steps.back();
  return (last.joules - first.joules) / (middle_of(last) - middle_of(first));
}

}  // namespace harness
