#include "harness/cli/farm/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/base/text.h"
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
      field("probes", &One::probes), field("kinds", &One::kinds), field("sides", &One::sides).required());
};

template <>
struct Described<Campaign> {
  using One = Campaign;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::lines, field("tool", &One::tool).required(), field("against", &One::against),
      field("device", &One::device), field("lease", &One::lease).required(), field("block", &One::block),
      field("elements", &One::elements), field("confirm", &One::confirm), field("budget", &One::budget),
      field("time", &One::time), field("suites", &One::suites).required());
};

namespace {

// The texts of a case as each side has it; one where they are the same.
Result<std::vector<PlannedCase>> decode_sides(const CampaignCase& stored, std::size_t sides) {
  std::vector<PlannedCase> cases;
  for (const std::string& text : split(stored.content, '\n')) {
    Result<PlannedCase> one =
        from_json(Described<PlannedCase>::fields, text,
                  fmt::format("case {} of suite {} of a campaign", stored.place, stored.suite));
    if (!one) return fail(one.error());
    cases.push_back(std::move(*one));
  }
  while (cases.size() < sides) cases.push_back(cases.front());
  return cases;
}

// Adds cases to the plans of all sides, and their times to `seconds`.
Status add_cases(const std::vector<CampaignCase>& stored, const std::vector<Plan*>& plans,
                 std::map<std::string, Seconds>* seconds) {
  for (const CampaignCase& one : stored) {
    Result<std::vector<PlannedCase>> sides = decode_sides(one, plans.size());
    if (!sides) return fail(sides.error());
    if (seconds != nullptr && one.seconds > 0) seconds->emplace(sides->front().id, one.seconds);
    for (std::size_t side = 0; side < plans.size(); ++side)
      plans[side]->cases.push_back(std::move((*sides)[side]));
  }
  return {};
}

Plan without_cases(const Plan& plan) {
  return {plan.suite, plan.modules, {}, plan.counters};
}

}  // namespace

std::string encode(const Campaign& campaign) {
  Campaign bare;
  bare.tool = campaign.tool;
  bare.against = campaign.against;
  bare.device = campaign.device;
  bare.lease = campaign.lease;
  bare.block = campaign.block;
  bare.elements = campaign.elements;
  bare.confirm = campaign.confirm;
  bare.budget = campaign.budget;
  bare.time = campaign.time;
  for (const CampaignSuite& suite : campaign.suites) {
    CampaignSuite& one = bare.suites.emplace_back();
    one.pair = suite.pair;
    one.devices = suite.devices;
    one.seed = suite.seed;
    one.partial = suite.partial;
    one.probes = suite.probes;
    one.kinds = suite.kinds;
    for (const CampaignSide& side : suite.sides)
      one.sides.push_back({side.record, side.program, side.folder, side.files, side.identity,
                           without_cases(side.plan), side.looked});
  }
  return to_json(Described<Campaign>::fields, bare, JsonLayout::lines, &formats::campaign) + "\n";
}

std::vector<CampaignCase> cases_of(const Campaign& campaign) {
  std::vector<CampaignCase> cases;
  for (std::size_t suite = 0; suite < campaign.suites.size(); ++suite) {
    const CampaignSuite& one = campaign.suites[suite];
    for (std::size_t place = 0; place < one.current().plan.cases.size(); ++place) {
      CampaignCase stored{static_cast<int>(suite), static_cast<int>(place), {}};
      for (const CampaignSide& side : one.sides) {
        std::string text =
            to_json(Described<PlannedCase>::fields, side.plan.cases.at(place), JsonLayout::line);
        if (text == stored.content) continue;
        stored.content += (stored.content.empty() ? "" : "\n") + text;
      }
      const auto known = one.seconds.find(one.current().plan.cases[place].id);
      if (known != one.seconds.end()) stored.seconds = known->second;
      cases.push_back(std::move(stored));
    }
  }
  return cases;
}

Status load_cases(FarmStore& store, const std::string& id, Campaign& campaign) {
  for (std::size_t suite = 0; suite < campaign.suites.size(); ++suite) {
    CampaignSuite& one = campaign.suites[suite];
    if (!one.current().plan.cases.empty()) continue;
    const auto stored = store.cases(id, static_cast<int>(suite), 0, std::numeric_limits<int>::max());
    if (!stored) return fail(stored.error());
    std::vector<Plan*> plans;
    for (CampaignSide& side : one.sides) plans.push_back(&side.plan);
    if (const Status added = add_cases(*stored, plans, &one.seconds); !added) return added;
  }
  return {};
}

Result<std::vector<Plan>> load_task(FarmStore& store, const std::string& id, const Campaign& campaign,
                                    const FarmTask& task) {
  const auto stored = store.cases(id, task.suite, task.first, task.cases);
  if (!stored) return fail(stored.error());
  if (static_cast<int>(stored->size()) != task.cases)
    return fail(ErrorKind::missing, fmt::format("the cases of task {} are not in the store", task.number),
                "plan another campaign");
  std::vector<Plan> plans;
  std::vector<Plan*> filled;
  for (const CampaignSide& side : campaign.suites.at(static_cast<std::size_t>(task.suite)).sides)
    plans.push_back(without_cases(side.plan));
  for (Plan& plan : plans) filled.push_back(&plan);
  if (const Status added = add_cases(*stored, filled, nullptr); !added) return fail(added.error());
  if (task.processes > 0)
    for (Plan& plan : plans)
      for (PlannedCase& one : plan.cases) one.sampling.processes = task.processes;
  return plans;
}

std::vector<PlannedCase> kinds_of(const Campaign& campaign, const Plan& plan) {
  std::map<std::string, const PlannedCase*> largest;
  for (const PlannedCase& one : plan.cases) {
    const PlannedCase*& known = largest[one.device];
    if (known == nullptr || gpus_of(campaign, one) > gpus_of(campaign, *known)) known = &one;
  }
  std::vector<PlannedCase> kinds;
  for (const auto& [device, one] : largest) kinds.push_back(*one);
  return kinds;
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
