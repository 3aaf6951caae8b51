#include "harness/cli/farm/campaign_tasks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <utility>

namespace harness {
namespace {

// A case to measure.
struct Piece {
  std::size_t suite = 0;
  int place = 0;
  const CaseWork* work = nullptr;
  int gpus = 1;
  int results = 0;
  double size = 1;  // its time, by the mean of all whose time is known
};

// Sets the sizes. A case whose time nobody knows counts as one of mean time.
void set_sizes(std::vector<Piece>& pieces, const std::vector<std::optional<Seconds>>& times) {
  Seconds all = 0;
  std::size_t known = 0;
  for (const std::optional<Seconds>& one : times)
    if (one) all += *one, ++known;
  if (!(all > 0)) return;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (times[i]) pieces[i].size = *times[i] / all * static_cast<double>(known);
}

std::vector<Piece> pieces_of(const Campaign& campaign, const CampaignWork& work) {
  std::vector<Piece> pieces;
  std::vector<std::optional<Seconds>> times;
  for (const auto& [suite, cases] : work) {
    const CampaignSuite& one = campaign.suites.at(suite);
    for (const auto& [place, how] : cases) {
      const PlannedCase& planned = one.current().plan.cases.at(place);
      const int processes = how.processes > 0 ? how.processes : planned.sampling.processes;
      pieces.push_back({suite, static_cast<int>(place), &how, gpus_of(campaign, planned),
                        processes * static_cast<int>(one.sides.size())});
      const auto known = one.seconds.find(planned.id);
      times.push_back(known == one.seconds.end() ? std::nullopt : std::optional(known->second * processes));
    }
  }
  set_sizes(pieces, times);
  return pieces;
}

// Neighbours in a plan that are measured alike: any number of them, one after the other, may be a task.
using Neighbours = std::span<const Piece>;

std::vector<Neighbours> neighbours_of(const std::vector<Piece>& pieces) {
  std::vector<Neighbours> all;
  for (std::size_t i = 0, first = 0; i < pieces.size(); ++i) {
    const Piece &one = pieces[i], *next = i + 1 < pieces.size() ? &pieces[i + 1] : nullptr;
    if (next != nullptr && next->suite == one.suite && next->gpus == one.gpus &&
        next->place == one.place + 1 && *next->work == *one.work)
      continue;
    all.emplace_back(&pieces[first], i + 1 - first);
    first = i + 1;
  }
  return all;
}

// A task starts processes of its own, which takes as long as measuring one or two cases. So the last tasks
// have no fewer than these, or a third of a small block.
constexpr int least_cases = 4;
constexpr int least_share_of_block = 3;

// Cuts tasks from neighbours of one number of GPUs.
class TaskCutter {
 public:
  TaskCutter(const Campaign& campaign, double left) : campaign_(campaign), left_(left) {}

  // Takes the pieces of a task away from the front.
  FarmTask cut(Neighbours& from) {
    const Piece& first = from.front();
    FarmTask task{.suite = static_cast<int>(first.suite), .first = first.place};
    task.processes_before = first.work->processes_before;
    task.processes = first.work->processes;
    task.avoids = first.work->avoids;
    task.gpus = first.gpus;
    const double most = largest();
    double size = 0;
    while (!from.empty() && task.cases < campaign_.block) {
      const Piece& piece = from.front();
      if (task.cases > 0 && size + piece.size > most) break;
      size += piece.size;
      task.results += piece.results;
      ++task.cases;
      from = from.subspan(1);
    }
    left_ -= size;
    return task;
  }

 private:
  // The largest size of a task when so much is left.
  [[nodiscard]] double largest() const {
    if (campaign_.elements < 2) return std::numeric_limits<double>::infinity();
    const int least = std::clamp(campaign_.block / least_share_of_block, 1, least_cases);
    return std::clamp(std::floor(left_ / (2 * campaign_.elements)), 1.0 * least, 1.0 * campaign_.block);
  }

  const Campaign& campaign_;
  double left_;
};

// Orders neighbours so that the last is the next to be cut.
class Later {
 public:
  explicit Later(const Campaign& campaign) : longest_first_(campaign.budget <= 0) {}

  bool operator()(const Neighbours& one, const Neighbours& other) const {
    if (longest_first_ && one.front().size != other.front().size)
      return one.front().size < other.front().size;
    return one.data() > other.data();
  }

 private:
  bool longest_first_;
};

}  // namespace

std::vector<FarmTask> tasks_of(const Campaign& campaign, const CampaignWork& work) {
  const std::vector<Piece> pieces = pieces_of(campaign, work);
  std::map<int, std::vector<Neighbours>> turns;
  for (const Neighbours& one : neighbours_of(pieces)) turns[turn_of(one.front().gpus)].push_back(one);
  std::vector<FarmTask> tasks;
  for (auto& [turn, all] : turns) {
    double left = 0;
    for (const Neighbours& one : all)
      for (const Piece& piece : one) left += piece.size;
    TaskCutter cutter(campaign, left);
    std::priority_queue<Neighbours, std::vector<Neighbours>, Later> waiting(Later(campaign), std::move(all));
    while (!waiting.empty()) {
      Neighbours next = waiting.top();
      waiting.pop();
      tasks.push_back(cutter.cut(next));
      if (!next.empty()) waiting.push(next);
    }
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

Plan part_of(const Plan& whole, const FarmTask& task) {
  Plan part{whole.suite, whole.modules, {}, whole.counters};
  const auto first = whole.cases.begin() + task.first;
  part.cases.assign(first, first + task.cases);
  if (task.processes > 0)
    for (PlannedCase& one : part.cases) one.sampling.processes = task.processes;
  return part;
}

}  // namespace harness
