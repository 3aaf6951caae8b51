#include "harness/cli/farm/campaign_tasks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

namespace harness {
namespace {

// The time of so many processes of each side. 0: unknown.
Seconds seconds_of(const CampaignSuite& suite, const PlannedCase& planned, int processes) {
  const auto known = suite.seconds.find(planned.id);
  return known == suite.seconds.end() ? 0 : known->second * processes;
}

// A case to measure.
struct Piece {
  std::size_t suite = 0;
  int place = 0;
  std::size_t point = 0;  // the same number: variants of one point, which share inputs and right answers
  const CaseWork* work = nullptr;
  int gpus = 1;
  int processes = 0;
  int results = 0;
  double size = 0;  // seconds, then by set_sizes(); 0: unknown
  Seconds seconds = size;
};
using Pieces = std::span<const Piece>;

double size_of(Pieces pieces) {
  double size = 0;
  for (const Piece& one : pieces) size += one.size;
  return size;
}

// Divides all by the mean of those that are known, and returns it. The others get 1. 0: none is known.
Seconds set_sizes(std::span<Piece> pieces) {
  const auto known =
      std::count_if(pieces.begin(), pieces.end(), [](const Piece& one) { return one.size > 0; });
  const double mean = known > 0 ? size_of(pieces) / static_cast<double>(known) : 1;
  for (Piece& one : pieces) one.size = one.size > 0 ? one.size / mean : 1;
  return known > 0 ? mean : 0;
}

constexpr int usual_block = 24;
constexpr Seconds start_of_process = 0.5;  // on a GPU

int block_of(const Campaign& campaign) {
  return campaign.block > 0 ? campaign.block : usual_block;
}

// The least size of a task, in cases of mean time. A task starts processes of its own, which takes as long
// as measuring one or two cases: so it may have four, or a third of a small block, even at the end. Where
// times are known, it may take twice as long as these starts, but no more than an element's share of all and
// than it was told.
double least_task(const Campaign& campaign, Pieces pieces, Seconds mean) {
  constexpr int least_cases = 4, least_share_of_block = 3;
  const double least = std::clamp(block_of(campaign) / least_share_of_block, 1, least_cases);
  if (mean <= 0 || campaign.block > 0) return least;
  int processes = 0;
  for (const Piece& one : pieces) processes = std::max(processes, one.processes);
  const double share = size_of(pieces) / campaign.elements;
  return std::max(least, std::min(share, 2 * start_of_process * processes / mean));
}

// In the order of turn_of().
std::vector<Piece> pieces_of(const Campaign& campaign, const CampaignWork& work) {
  std::vector<Piece> pieces;
  std::size_t point = 0;
  for (const auto& [suite, cases] : work) {
    const CampaignSuite& one = campaign.suites.at(suite);
    std::string before;
    for (const auto& [place, how] : cases) {
      const PlannedCase& planned = one.current().plan.cases.at(place);
      if (const std::string now = point_of(planned); now != before || place == cases.begin()->first)
        before = now, ++point;
      const int processes = how.processes > 0 ? how.processes : planned.sampling.processes;
      pieces.push_back({suite, static_cast<int>(place), point, &how, gpus_of(campaign, planned), processes,
                        processes * static_cast<int>(one.sides.size()), seconds_of(one, planned, processes)});
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& one, const Piece& other) {
    return turn_of(one.gpus) < turn_of(other.gpus);
  });
  return pieces;
}

// The first pieces, as far as `alike` holds between one and the next.
template <class Alike>
Pieces first_of(Pieces pieces, Alike alike) {
  const auto end = std::adjacent_find(pieces.begin(), pieces.end(), std::not_fn(alike));
  return end == pieces.end() ? pieces : pieces.first(static_cast<std::size_t>(end - pieces.begin()) + 1);
}

// Neighbours in a plan that are measured alike may be a task together.
bool are_neighbours(const Piece& one, const Piece& next) {
  return one.suite == next.suite && one.gpus == next.gpus && one.place + 1 == next.place &&
         *one.work == *next.work;
}

Pieces first_point(Pieces pieces) {
  return first_of(pieces, [](const Piece& one, const Piece& next) { return one.point == next.point; });
}

// How much a task may be.
struct TaskLimit {
  std::size_t cases = 1;
  double size = std::numeric_limits<double>::infinity();
  Seconds seconds = size;

  [[nodiscard]] bool allows(Pieces pieces) const {
    constexpr double rounding = 1e-9;
    Seconds all = 0;
    for (const Piece& one : pieces) all += one.seconds;
    return pieces.size() <= cases && size_of(pieces) <= size + rounding && all <= seconds;
  }
};

constexpr int least_tasks_of_element = 4;  // in its time, so that little of it is lost at the end

// The limit when tasks of the size `left` are still to be cut.
TaskLimit limit_of(const Campaign& campaign, double left, double least) {
  TaskLimit limit{static_cast<std::size_t>(block_of(campaign))};
  if (campaign.time > 0) limit.seconds = campaign.time / least_tasks_of_element;
  if (campaign.elements < 2) return limit;
  const double most = std::max(1.0 * block_of(campaign), least);
  limit.cases = static_cast<std::size_t>(std::ceil(most));
  limit.size = std::clamp(left / (2 * campaign.elements), least, most);
  return limit;
}

// The first pieces of neighbours that are a task: whole points, or a part of a point that is too large.
Pieces first_task(Pieces neighbours, const TaskLimit& limit) {
  std::size_t count = first_point(neighbours).size();
  if (!limit.allows(neighbours.first(count))) {
    while (count > 1 && !limit.allows(neighbours.first(count))) --count;
    return neighbours.first(count);
  }
  while (count < neighbours.size()) {
    const std::size_t more = count + first_point(neighbours.subspan(count)).size();
    if (!limit.allows(neighbours.first(more))) break;
    count = more;
  }
  return neighbours.first(count);
}

FarmTask task_of(Pieces pieces) {
  const Piece& first = pieces.front();
  FarmTask task{.suite = static_cast<int>(first.suite), .first = first.place};
  task.cases = static_cast<int>(pieces.size());
  task.processes_before = first.work->processes_before;
  task.processes = first.work->processes;
  task.avoids = first.work->avoids;
  task.gpus = first.gpus;
  for (const Piece& one : pieces) task.results += one.results;
  return task;
}

// Neighbours that are not in a task yet.
struct Waiting {
  double size = 0;  // of the first point; 0 where the order of the plans counts
  Pieces pieces;

  // Whether the other one comes first.
  bool operator<(const Waiting& other) const {
    return size != other.size ? size < other.size : pieces.data() > other.pieces.data();
  }
};

// Adds the tasks of one turn. With a mean time and without a budget the largest point comes first, instead of
// the first one of the plans.
void add_tasks(const Campaign& campaign, Pieces pieces, Seconds mean, std::vector<FarmTask>& tasks) {
  const bool by_size = mean > 0 && campaign.budget <= 0;
  const double least = least_task(campaign, pieces, mean);
  double left = size_of(pieces);
  std::priority_queue<Waiting> waiting;
  const auto wait = [&](Pieces rest) {
    if (!rest.empty()) waiting.push({by_size ? size_of(first_point(rest)) : 0, rest});
  };
  while (!pieces.empty()) {
    const Pieces neighbours = first_of(pieces, are_neighbours);
    wait(neighbours);
    pieces = pieces.subspan(neighbours.size());
  }
  while (!waiting.empty()) {
    const Pieces next = waiting.top().pieces;
    waiting.pop();
    const Pieces task = first_task(next, limit_of(campaign, left, least));
    tasks.push_back(task_of(task));
    left -= size_of(task);
    wait(next.subspan(task.size()));
  }
}

}  // namespace

void order_cases(const Campaign& campaign, CampaignSuite& suite) {
  const std::vector<PlannedCase>& cases = suite.current().plan.cases;
  struct Point {
    std::size_t first = 0;
    Seconds seconds = 0;
  };
  std::map<std::string, Point> points;
  for (std::size_t i = 0; i < cases.size(); ++i)
    points.try_emplace(point_of(cases[i]), Point{i}).first->second.seconds +=
        seconds_of(suite, cases[i], cases[i].sampling.processes);
  using Key = std::tuple<int, Seconds, std::size_t, Seconds>;
  std::vector<Key> keys;
  for (const PlannedCase& one : cases) {
    const int turn = turn_of(gpus_of(campaign, one));
    const Point& point = points.at(point_of(one));
    keys.push_back(campaign.budget > 0 ? Key(turn, 0., std::size_t{0}, 0.)
                                       : Key(turn, -point.seconds, point.first,
                                             -seconds_of(suite, one, one.sampling.processes)));
  }
  std::vector<std::size_t> order(cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t one, std::size_t other) { return keys[one] < keys[other]; });
  for (CampaignSide& side : suite.sides) {
    std::vector<PlannedCase> ordered;
    ordered.reserve(order.size());
    for (const std::size_t place : order) ordered.push_back(std::move(side.plan.cases.at(place)));
    side.plan.cases = std::move(ordered);
  }
}

Seconds expected_time(const Campaign& campaign) {
  Seconds all = 0;
  for (const CampaignSuite& suite : campaign.suites)
    for (const PlannedCase& one : suite.current().plan.cases)
      all += seconds_of(suite, one, one.sampling.processes);
  return all;
}

NextTask next_task_after(int cases, Seconds process) {
  constexpr double growth = 2;
  constexpr Seconds least_process = start_of_process / 2, most_process = 2 * start_of_process;
  const auto that_take = [&](Seconds wanted) {
    return static_cast<int>(cases * std::min(growth, wanted / std::max(process, 1e-6)));
  };
  return {that_take(least_process), that_take(most_process)};
}

std::vector<FarmTask> tasks_of(const Campaign& campaign, const CampaignWork& work) {
  std::vector<Piece> pieces = pieces_of(campaign, work);
  std::vector<FarmTask> tasks;
  for (std::span<Piece> rest = pieces; !rest.empty();) {
    const auto of_turn =
        first_of(rest, [](const Piece& one, const Piece& next) { return one.gpus == next.gpus; }).size();
    const Seconds mean = set_sizes(rest.first(of_turn));
    add_tasks(campaign, rest.first(of_turn), mean, tasks);
    rest = rest.subspan(of_turn);
  }
  return tasks;
}

std::vector<FarmTask> tasks_of(const Campaign& campaign) {
  CampaignWork work;
  bool looks = false;
  for (std::size_t suite = 0; suite < campaign.suites.size(); ++suite) {
    std::map<std::size_t, CaseWork>& all = work[suite];
    for (const PlannedCase& one : campaign.suites[suite].current().plan.cases) {
      all.emplace(all.size(), CaseWork{});
      looks |= one.gate.looks.size() > 1;
    }
  }
  std::vector<FarmTask> tasks = tasks_of(campaign, work);
  if (!tasks.empty() && campaign.is_judged() && (campaign.confirm || looks))
    tasks.push_back({.kind = TaskKind::judge});
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].number = static_cast<int>(i) + 1;
  return tasks;
}

}  // namespace harness
