#include "harness/cli/farm/campaign.h"

#include <algorithm>

#include "harness/measure/schedule/paired_builds_fields.h"
#include "harness/model/plan_fields.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<CampaignSide> {
  using One = CampaignSide;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::lines, field("record", &One::record).required(), field("program", &One::program).required(),
      field("folder", &One::folder).required(), field("files", &One::files).required(),
      field("identity", &One::identity).required(), field("plan", &One::plan).required());
};

template <>
struct Described<CampaignSuite> {
  using One = CampaignSuite;
  static constexpr auto fields =
      list_fields<One>(JsonLayout::lines, field("devices", &One::devices), field("seed", &One::seed),
                       field("partial", &One::partial), field("pair", &One::pair).null_when_default(),
                       field("sides", &One::sides).required());
};

template <>
struct Described<Campaign> {
  using One = Campaign;
  static constexpr auto fields =
      list_fields<One>(JsonLayout::lines, field("tool", &One::tool).required(),
                       field("against", &One::against), field("device", &One::device),
                       field("lease", &One::lease).required(), field("suites", &One::suites).required());
};

std::string encode(const Campaign& campaign) {
  return to_json(Described<Campaign>::fields, campaign, JsonLayout::lines, &formats::campaign) + "\n";
}

Result<Campaign> decode_campaign(const StoredCampaign& stored) {
  return from_json(Described<Campaign>::fields, stored.content, "campaign " + stored.id, &formats::campaign);
}

std::vector<FarmTask> tasks_of(const Campaign& campaign, int block) {
  std::vector<FarmTask> tasks;
  for (std::size_t suite = 0; suite < campaign.suites.size(); ++suite) {
    const CampaignSuite& one = campaign.suites[suite];
    const std::vector<PlannedCase>& cases = one.current().plan.cases;
    for (std::size_t first = 0; first < cases.size(); first += static_cast<std::size_t>(block)) {
      const std::size_t end = std::min(cases.size(), first + static_cast<std::size_t>(block));
      FarmTask task{static_cast<int>(tasks.size()) + 1, static_cast<int>(suite), static_cast<int>(first),
                    static_cast<int>(end - first)};
      for (std::size_t i = first; i < end; ++i)
        task.results += cases[i].sampling.processes * static_cast<int>(one.sides.size());
      tasks.push_back(task);
    }
  }
  return tasks;
}

}  // namespace harness
