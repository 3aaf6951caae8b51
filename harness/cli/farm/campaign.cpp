#include "harness/cli/farm/campaign.h"

#include <algorithm>
#include <limits>

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
  static constexpr auto fields = list_fields<One>(
      JsonLayout::lines, field("devices", &One::devices), field("seed", &One::seed),
      field("partial", &One::partial), field("pair", &One::pair).null_when_default(),
      field("probes", &One::probes), field("seconds", &One::seconds), field("sides", &One::sides).required());
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

ProcessResult left_out(const PlannedCase& planned, int process, Seconds budget) {
  ProcessResult result;
  result.case_id = planned.id;
  result.process = process;
  result.outcome = Outcome::skipped;
  result.reason = Cause{CauseCode::left_out, {{"budget", budget}}};
  return result;
}

}  // namespace harness
