#include "harness/measure/schedule/schedule.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>

#include "harness/model/device_kinds.h"
#include "harness/stats/series/turns.h"

namespace harness {
namespace {

constexpr std::size_t most_looks_at_once = 4;
constexpr std::size_t least_of_look = 16;      // cases of a worker, which takes half a second to start
constexpr std::ptrdiff_t most_of_look = 1000;  // likewise; it holds all of them in memory

// The devices of a case: their kind and number.
struct Kind {
  std::string name;
  int gpus = 1;

  bool operator==(const Kind&) const = default;
};

// Adds the kinds of cases that can run, in the order of the plan.
void add_kinds(std::vector<Kind>& kinds, const Plan& plan) {
  for (const PlannedCase& planned : plan.cases) {
    const Kind kind{planned.device, planned.gpus};
    if (!planned.skip && std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
}

std::vector<Kind> kinds_of(const Plan& plan) {
  std::vector<Kind> kinds;
  add_kinds(kinds, plan);
  return kinds;
}

int processes_of(const Plan& plan) {
  int most = 0;
  for (const PlannedCase& planned : plan.cases) most = std::max(most, planned.sampling.processes);
  return most;
}

// Fisher and Yates, so that every standard library gives the same.
template <class Element>
void shuffle(std::vector<Element>& elements, std::mt19937_64& random) {
  for (std::size_t left = elements.size(); left > 1; --left)
    std::swap(elements[left - 1], elements[random() % left]);
}

// Each process has an order of its own, of points and of each point's variants. The variants of a point stay
// together, because they share inputs and right answers, which take longer to make than some cases to
// measure.
void shuffle(std::vector<const PlannedCase*>& cases, std::uint64_t seed, int process) {
  std::seed_seq seeds{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(process)};
  std::mt19937_64 random(seeds);
  std::vector<std::vector<const PlannedCase*>> points;
  std::unordered_map<std::string, std::size_t> numbers;
  for (const PlannedCase* one : cases) {
    const auto [found, added] = numbers.try_emplace(point_of(*one), points.size());
    if (added) points.emplace_back();
    points[found->second].push_back(one);
  }
  shuffle(points, random);
  cases.clear();
  for (std::vector<const PlannedCase*>& point : points) {
    shuffle(point, random);
    cases.insert(cases.end(), point.begin(), point.end());
  }
}

// A lane being filled with the tasks of one plan.
class LaneOfPlan {
 public:
  LaneOfPlan(Lane& lane, const Plan& plan, const RunOptions& options, std::size_t turn = 0)
      : lane_(lane), plan_(plan), options_(options), turn_(turn) {}

  void add(int process, const Kind& kind) {
    const auto found = options_.devices.find(kind.name);
    add(process, kind, {found == options_.devices.end() ? kind.name : found->second, ""});
  }

  void add(int process, const Kind& kind, const SideDevice& device) {
    const int number = process == look_process ? look_process : options_.processes_before + process;
    Task task{turn_, number, kind.name, device.name, device.uuid, {}};
    if (const auto known = options_.peers.find(kind.name); known != options_.peers.end())
      for (const std::string& peer : known->second)
        if (task.peers.size() + 1 < static_cast<std::size_t>(kind.gpus)) task.peers.push_back(peer);
    for (const PlannedCase& planned : plan_.cases)
      if (!planned.skip && Kind{planned.device, planned.gpus} == kind &&
          process <= planned.sampling.processes && (number != look_process || can_be_looked_at(planned)) &&
          !options_.already.contains({planned.id, number}))
        task.cases.push_back(&planned);
    if (task.cases.empty()) return;
    if (number != look_process) shuffle(task.cases, options_.order_seed, number);
    lane_.push_back(std::move(task));
  }

 private:
  Lane& lane_;
  const Plan& plan_;
  const RunOptions& options_;
  std::size_t turn_;
};

bool same_point(const PlannedCase& one, const PlannedCase& other) {
  return one.workload == other.workload && one.params == other.params;
}

// A part of a look as a lane: one worker after the other, because each holds all cases of its task.
Lane in_pieces_of(const Task& part) {
  Lane lane;
  for (auto first = part.cases.begin(); first != part.cases.end();) {
    auto last = first + std::min<std::ptrdiff_t>(most_of_look, part.cases.end() - first);
    while (last != part.cases.end() && same_point(**(last - 1), **last)) ++last;
    Task piece = part;
    piece.cases.assign(first, last);
    lane.push_back(std::move(piece));
    first = last;
  }
  return lane;
}

// Parts of a look for parallel workers, because nothing is timed. The variants of a point stay together,
// because they share inputs. A worker takes a minimum of cases.
Stage in_parts_of(const Task& task) {
  const std::size_t cases = task.cases.size();
  // Two programs at once may need more memory than there is.
  const bool programs = std::any_of(task.cases.begin(), task.cases.end(),
                                    [](const PlannedCase* one) { return one->program.has_value(); });
  const std::size_t parts = is_gpu_kind(task.kind) && !programs
                                ? std::clamp<std::size_t>(cases / least_of_look, 1, most_looks_at_once)
                                : 1;
  Stage stage;
  std::size_t begin = 0;
  for (std::size_t part = 1; part <= parts; ++part) {
    std::size_t end = std::max(begin, cases * part / parts);
    while (end > 0 && end < cases && same_point(*task.cases[end - 1], *task.cases[end])) ++end;
    if (end == begin) continue;
    Task some = task;
    some.cases.assign(task.cases.begin() + static_cast<std::ptrdiff_t>(begin),
                      task.cases.begin() + static_cast<std::ptrdiff_t>(end));
    stage.push_back(in_pieces_of(some));
    begin = end;
  }
  return stage;
}

// `turn`: as in Task.
void add_look(Schedule& schedule, const Plan& plan, const RunOptions& options, std::size_t turn) {
  Lane lane;
  for (const Kind& kind : kinds_of(plan)) {
    const auto several = options.side_by_side.find(kind.name);
    if (several == options.side_by_side.end() || kind.gpus > 1)
      LaneOfPlan(lane, plan, options, turn).add(look_process, kind);
    else
      LaneOfPlan(lane, plan, options, turn).add(look_process, kind, several->second.front());
  }
  for (const Task& task : lane) schedule.push_back(in_parts_of(task));
}

}  // namespace

bool can_be_looked_at(const PlannedCase& planned) {
  return !planned.program || ((planned.is_traced() || planned.is_observed()) && !planned.is_benchmark());
}

Schedule schedule_of(const Plan& plan, const RunOptions& options) {
  Schedule schedule;
  if (options.look) {
    add_look(schedule, plan, options, 0);
    return schedule;
  }
  Lane alone;
  Stage together;
  for (const auto& [kind, devices] : options.side_by_side)
    together.resize(std::max(together.size(), devices.size()));
  for (const Kind& kind : kinds_of(plan))
    for (int process = 1; process <= processes_of(plan); ++process) {
      const auto several = options.side_by_side.find(kind.name);
      if (several == options.side_by_side.end() || kind.gpus > 1) {
        LaneOfPlan(alone, plan, options).add(process, kind);
        continue;
      }
      const std::size_t index = static_cast<std::size_t>(process - 1) % several->second.size();
      LaneOfPlan(together[index], plan, options).add(process, kind, several->second[index]);
    }
  if (!alone.empty()) schedule.push_back({std::move(alone)});
  std::erase_if(together, [](const Lane& lane) { return lane.empty(); });
  if (!together.empty()) schedule.push_back(std::move(together));
  return schedule;
}

Schedule schedule_in_turns(const Turn& baseline, const Turn& current, std::uint64_t seed) {
  Schedule looks;
  if (baseline.options.look) add_look(looks, baseline.plan, baseline.options, 0);
  if (current.options.look) add_look(looks, current.plan, current.options, 1);
  if (baseline.options.look || current.options.look) return looks;
  Lane lane;
  std::array both{LaneOfPlan(lane, baseline.plan, baseline.options, 0),
                  LaneOfPlan(lane, current.plan, current.options, 1)};
  std::vector<Kind> kinds = kinds_of(baseline.plan);
  add_kinds(kinds, current.plan);
  const int last = std::max(processes_of(baseline.plan), processes_of(current.plan));
  for (const Kind& kind : kinds)
    for (int process = 1; process <= last; ++process) {
      const std::size_t first = stats::current_first(process, seed) ? 1 : 0;
      both[first].add(process, kind);
      both[1 - first].add(process, kind);
    }
  return {{std::move(lane)}};
}

}  // namespace harness
