#include "harness/cli/farm/campaign.h"

#include <algorithm>

#include "harness/measure/schedule/paired_builds_fields.h"
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
      field("confirm", &One::confirm), field("budget", &One::budget),
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

std::vector<FarmTask> tasks_of(const Campaign& campaign, std::size_t suite,
                               const std::map<std::size_t, CaseWork>& cases) {
  const CampaignSuite& one = campaign.suites.at(suite);
  std::vector<FarmTask> tasks;
  const CaseWork* before = nullptr;
  for (const auto& [place, work] : cases) {
    const bool follows = before != nullptr && *before == work &&
                         tasks.back().first + tasks.back().cases == static_cast<int>(place) &&
                         tasks.back().cases < campaign.block;
    if (!follows) {
      FarmTask task{.suite = static_cast<int>(suite), .first = static_cast<int>(place)};
      task.processes_before = work.processes_before;
      task.processes = work.processes;
      task.avoids = work.avoids;
      tasks.push_back(task);
    }
    const int planned = one.current().plan.cases.at(place).sampling.processes;
    ++tasks.back().cases;
    tasks.back().results +=
        (work.processes > 0 ? work.processes : planned) * static_cast<int>(one.sides.size());
    before = &work;
  }
  return tasks;
}

std::vector<FarmTask> tasks_of(const Campaign& campaign) {
  std::vector<FarmTask> tasks;
  bool looks = false;
  for (std::size_t suite = 0; suite < campaign.suites.size(); ++suite) {
    std::map<std::size_t, CaseWork> all;
    for (const PlannedCase& one : campaign.suites[suite].current().plan.cases) {
      all.emplace(all.size(), CaseWork{});
      looks |= one.gate.looks.size() > 1;
    }
    for (const FarmTask& task : tasks_of(campaign, suite, all)) tasks.push_back(task);
  }
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
