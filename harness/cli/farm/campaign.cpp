#include "harness/cli/farm/campaign.h"

#include <algorithm>
#include <limits>
#include <map>

#include "harness/measure/schedule/paired_builds_fields.h"
#include "harness/model/device_kinds.h"
#include "harness/model/plan_fields.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<CampaignSide> {
  using One = CampaignSide;
  static constexpr auto fields =
      list_fields<One>(JsonLayout::lines, field("record", &One::record).required(),
                       field("program", &One::program).required(), field("folder", &One::folder).required(),
                       field("files", &One::files).required(), field("identity", &One::identity).required(),
                       field("plan", &One::plan).required(), field("looked", &One::looked));
};

template <>
struct Described<CampaignSuite> {
  using One = CampaignSuite;
  static constexpr auto fields =
      list_fields<One>(JsonLayout::lines, field("devices", &One::devices), field("seed", &One::seed),
                       field("partial", &One::partial), field("pair", &One::pair).null_when_default(),
                       field("probes", &One::probes), field("sides", &One::sides).required());
};

template <>
struct Described<Campaign> {
  using One = Campaign;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::lines, field("tool", &One::tool).required(), field("against", &One::against),
      field("device", &One::device), field("lease", &One::lease).required(), field("block", &One::block),
      field("elements", &One::elements), field("confirm", &One::confirm), field("budget", &One::budget),
      field("suites", &One::suites).required());
};

std::string encode(const Campaign& campaign) {
  return to_json(Described<Campaign>::fields, campaign, JsonLayout::lines, &formats::campaign) + "\n";
}

Result<Campaign> decode_campaign(const StoredCampaign& stored) {
  return from_json(Described<Campaign>::fields, stored.content, "campaign " + stored.id, &formats::campaign);
}

bool Campaign::is_judged() const {
  return !against.empty() || std::any_of(suites.begin(), suites.end(),
                                         [](const CampaignSuite& one) { return one.sides.size() > 1; });
}

int gpus_of(const Campaign& campaign, const PlannedCase& planned) {
  const bool scripted = !campaign.device.empty() && is_scripted_device(campaign.device.front());
  return scripted || is_gpu_kind(planned.device) ? planned.gpus : 0;
}

int turn_of(int gpus) {
  return gpus > 0 ? gpus : std::numeric_limits<int>::max();
}

namespace {

// A case to measure.
struct Piece {
  std::size_t suite = 0;
  int place = 0;
  const CaseWork* work = nullptr;
  int gpus = 1;
  int results = 0;
};

std::vector<Piece> pieces_of(const Campaign& campaign, const CampaignWork& work) {
  std::vector<Piece> pieces;
  for (const auto& [suite, cases] : work) {
    const CampaignSuite& one = campaign.suites.at(suite);
    for (const auto& [place, how] : cases) {
      const PlannedCase& planned = one.current().plan.cases.at(place);
      const int processes = how.processes > 0 ? how.processes : planned.sampling.processes;
      pieces.push_back({suite, static_cast<int>(place), &how, gpus_of(campaign, planned),
                        processes * static_cast<int>(one.sides.size())});
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& one, const Piece& other) {
    return turn_of(one.gpus) < turn_of(other.gpus);
  });
  return pieces;
}

// A task starts processes of its own, which takes as long as measuring one or two cases. So the last tasks
// have no fewer than these, or a third of a small block.
constexpr int least_cases = 4;
constexpr int least_share_of_block = 3;

// The most cases of a task when so many are left.
int block_of(const Campaign& campaign, std::size_t left) {
  if (campaign.elements < 2) return campaign.block;
  const int share = static_cast<int>(left) / (2 * campaign.elements);
  const int least = std::clamp(campaign.block / least_share_of_block, 1, least_cases);
  return std::clamp(share, least, campaign.block);
}

}  // namespace

std::vector<FarmTask> tasks_of(const Campaign& campaign, const CampaignWork& work) {
  const std::vector<Piece> pieces = pieces_of(campaign, work);
  std::map<int, std::size_t> left;  // by GPUs
  for (const Piece& piece : pieces) ++left[piece.gpus];
  std::vector<FarmTask> tasks;
  int most = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    const Piece* before = i == 0 ? nullptr : &pieces[i - 1];
    const bool follows = before != nullptr && before->suite == piece.suite && before->gpus == piece.gpus &&
                         before->place + 1 == piece.place && *before->work == *piece.work &&
                         tasks.back().cases < most;
    if (!follows) {
      most = block_of(campaign, left[piece.gpus]);
      FarmTask task{.suite = static_cast<int>(piece.suite), .first = piece.place};
      task.processes_before = piece.work->processes_before;
      task.processes = piece.work->processes;
      task.avoids = piece.work->avoids;
      task.gpus = piece.gpus;
      tasks.push_back(task);
    }
    --left[piece.gpus];
    ++tasks.back().cases;
    tasks.back().results += piece.results;
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

ProcessResult left_out(const PlannedCase& planned, int process, Seconds budget) {
  ProcessResult result;
  result.case_id = planned.id;
  result.process = process;
  result.outcome = Outcome::skipped;
  result.reason = Cause{CauseCode::left_out, {{"budget", budget}}};
  return result;
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
