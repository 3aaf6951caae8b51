#include "harness/cli/farm/plan_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/farm/campaign_records.h"
#include "harness/cli/farm/campaign_tasks.h"
#include "harness/cli/farm/campaigns/campaign_owner.h"
#include "harness/cli/farm/campaigns/stage_build.h"
#include "harness/cli/farm/element/device_check.h"
#include "harness/cli/farm/keep_within_budget.h"
#include "harness/cli/farm/known_cases.h"
#include "harness/cli/farm/plan_suites.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/output/progress_line.h"
#include "harness/cli/provenance/tool.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

// Elements fill these records, and no `run --continue` takes them up.
Status begin_records(Store& store, const std::vector<Record>& records) {
  for (const Record& record : records) {
    if (Status begun = store.begin(record); !begun) return begun;
    if (Status handed = store.finish(record.id, RunState::farmed); !handed) return handed;
  }
  return {};
}

// The cases that were left out of a suite because they are proven identical, as its first side has them.
struct ProvenCases {
  std::set<std::string> ids = {};
  std::vector<PlannedCase> cases = {};
};

// Leaves out what a look has proven.
void leave_out_proven(CampaignSuite& suite, const std::set<std::string>& ids, ProvenCases& proven) {
  proven.ids = ids;
  if (ids.empty()) return;
  for (const PlannedCase& one : suite.sides.front().plan.cases)
    if (ids.contains(one.id)) proven.cases.push_back(one);
  for (CampaignSide& side : suite.sides)
    std::erase_if(side.plan.cases, [&](const PlannedCase& one) { return ids.contains(one.id); });
}

bool has_gpu_case(const Plan& plan) {
  return std::any_of(plan.cases.begin(), plan.cases.end(),
                     [](const PlannedCase& one) { return is_gpu_kind(one.device); });
}

// The cost of probes, for which an element waits: whether modules must load, and the bytes that probes move.
std::pair<bool, double> cost_of(const Plan& plan, const std::vector<PlannedCase>& probes) {
  double bytes = 0;
  for (const PlannedCase& one : probes) bytes += one.bytes;
  return {!plan.modules.empty(), bytes};
}

// Probes of the suite where they cost least. Where cases of GPUs are measured, a CPU is no probe, because
// elements share it.
void choose_probes(std::vector<CampaignSuite>& suites, const std::vector<ProvenCases>& proven) {
  const bool of_gpus = std::any_of(suites.begin(), suites.end(),
                                   [](const CampaignSuite& one) { return has_gpu_case(one.current().plan); });
  CampaignSuite* cheapest = nullptr;
  std::pair<bool, double> least;
  std::vector<PlannedCase> chosen;
  for (std::size_t i = 0; i < suites.size(); ++i) {
    std::vector<const PlannedCase*> cases;
    for (const std::vector<PlannedCase>* some :
         {&proven[i].cases, &std::as_const(suites[i].sides.front().plan.cases)})
      for (const PlannedCase& one : *some)
        if (is_gpu_kind(one.device) == of_gpus) cases.push_back(&one);
    std::vector<PlannedCase> probes = choose_probes(cases, proven[i].ids);
    if (probes.empty()) continue;
    const std::pair<bool, double> cost = cost_of(suites[i].sides.front().plan, probes);
    if (cheapest != nullptr && cost >= least) continue;
    cheapest = &suites[i];
    least = cost;
    chosen = std::move(probes);
  }
  if (cheapest != nullptr) cheapest->probes = std::move(chosen);
}

// A case that nobody measured takes as long as the others do on average. Nothing where none is known.
void fill_in_costs(const std::vector<CampaignSuite>& suites, std::vector<KnownCases>& known) {
  Seconds all = 0;
  std::size_t count = 0;
  for (const KnownCases& cases : known)
    for (const auto& [id, one] : cases)
      if (one.cost) all += *one.cost, ++count;
  if (count == 0) return;
  for (std::size_t i = 0; i < suites.size(); ++i)
    for (const PlannedCase& one : suites[i].current().plan.cases)
      if (std::optional<Seconds>& cost = known[i][one.id].cost; !cost)
        cost = all / static_cast<double>(count);
}

// Reads what earlier records tell about each suite, where tasks or a budget need it.
Result<std::vector<KnownCases>> learn_cases(Store& store, Campaign& campaign) {
  std::vector<KnownCases> known(campaign.suites.size());
  if (campaign.elements < 2 && campaign.budget <= 0 && campaign.time <= 0) return known;
  for (std::size_t i = 0; i < campaign.suites.size(); ++i) {
    Result<KnownCases> cases = known_cases(store, campaign.suites[i].current().plan);
    if (!cases) return fail(cases.error());
    known[i] = std::move(*cases);
  }
  fill_in_costs(campaign.suites, known);
  for (std::size_t i = 0; i < campaign.suites.size(); ++i)
    for (const auto& [id, one] : known[i])
      if (one.cost)
        campaign.suites[i].seconds.emplace(id,
                                           *one.cost * static_cast<double>(campaign.suites[i].sides.size()));
  return known;
}

// An error if a case took longer than an element has.
Status check_times(const Campaign& campaign) {
  if (campaign.time <= 0) return {};
  for (const CampaignSuite& suite : campaign.suites)
    for (const PlannedCase& one : suite.current().plan.cases) {
      const auto known = suite.seconds.find(one.id);
      if (known == suite.seconds.end() || known->second * one.sampling.processes < campaign.time) continue;
      return fail(ErrorKind::usage, one.where,
                  fmt::format("{} took {:.0f} s in all its processes, and an element has {:.0f} s",
                              printable(one.id), known->second * one.sampling.processes, campaign.time),
                  "give elements more time");
    }
  return {};
}

// Proves what can be proven, and keeps within the budget. False: interrupted.
Result<bool> settle_cases(Store& store, const CampaignRequest& request, std::vector<SuiteWithRecords>& suites,
                          PlannedCampaign& planned) {
  std::vector<CampaignSuite>& settled = planned.campaign.suites;
  GapsBySuite gaps(suites.size());
  std::vector<ProvenCases> proven(suites.size());
  for (SuiteWithRecords& one : suites) {
    const std::size_t place = settled.size();
    Result<SparedCases> spared = SparedCases{};
    if (one.look && request.look.measure == MeasureChoice::changed) spared = one.look(one.records);
    if (!spared) return fail(spared.error());
    if (spared->interrupted) return false;
    if (one.fill) one.fill(one.suite);
    one.look = {};
    one.fill = {};                                            // they hold the plans of both builds
    for (Record& record : one.records) record.cases.clear();  // the store has them
    leave_out_proven(one.suite, spared->ids, proven[place]);
    planned.spared += spared->ids.size();
    gaps[place] = std::move(spared->gaps);
    settled.push_back(std::move(one.suite));
  }
  const auto known = learn_cases(store, planned.campaign);
  if (!known) return fail(known.error());
  if (request.budget > 0) {
    auto left_out = keep_within_budget(store, planned.campaign, *known, gaps);
    if (!left_out) return fail(left_out.error());
    planned.left_out = std::move(*left_out);
  }
  if (const Status fits = check_times(planned.campaign); !fits) return fail(fits.error());
  choose_probes(settled, proven);
  for (CampaignSuite& suite : settled) {
    order_cases(planned.campaign, suite);
    suite.kinds = kinds_of(planned.campaign, suite.current().plan);
    for (CampaignSide& side : suite.sides) {
      const Result<int> stored = results_of(store, side.record);
      if (!stored) return fail(stored.error());
      side.looked = *stored;
    }
  }
  return true;
}

// Elements measure copies of the builds.
Status stage_builds(const std::string& stage, Campaign& campaign) {
  if (stage.empty()) return {};
  for (CampaignSuite& suite : campaign.suites)
    for (std::size_t i = 0; i < suite.sides.size(); ++i) {
      BuildModules* const modules = !suite.pair ? nullptr
                                    : i == 0    ? &suite.pair->baseline
                                                : &suite.pair->current;
      if (Status staged = stage_build(suite.sides[i], modules, stage); !staged) return staged;
    }
  return {};
}

Status remove_records(Store& store, const std::vector<SuiteWithRecords>& suites) {
  std::vector<std::string> ids;
  for (const SuiteWithRecords& one : suites)
    for (const Record& record : one.records) ids.push_back(record.id);
  return store.remove(ids);
}

}  // namespace

Checked<std::optional<PlannedCampaign>> plan_campaign(const CampaignRequest& request) {
  const auto store = Store::open(request.store.url);
  if (!store) return fail_checked(store.error());
  const auto farm = FarmStore::open(request.store.url);
  if (!farm) return fail_checked(farm.error());
  if (const Status may = (*farm)->check_rights(""); !may) return fail_checked(may.error());
  if (!request.against.empty())
    if (const Status known = check_side(request.store, "--against", request.against); !known)
      return fail_checked(known.error());
  PlannedCampaign planned;
  Campaign& campaign = planned.campaign;
  campaign.tool = this_tool();
  campaign.against = request.against;
  campaign.device = request.sides.plan.device.names;
  campaign.lease = request.lease;
  campaign.block = request.block;
  campaign.elements = request.elements;
  campaign.confirm = !request.look.no_confirm;
  campaign.budget = request.budget;
  campaign.time = request.time;
  auto chosen = plan_suites(**store, request);
  if (!chosen) return tl::unexpected(chosen.error());
  if (!*chosen) return std::nullopt;
  std::vector<SuiteWithRecords>& suites = **chosen;
  ProgressLine line(request.measuring.quiet);
  line.show("storing the cases");
  for (const SuiteWithRecords& one : suites)
    if (const Status begun = begin_records(**store, one.records); !begun) return fail_checked(begun.error());
  line.clear();
  const Result<bool> settled = settle_cases(**store, request, suites, planned);
  if (!settled || !*settled) {
    if (const Status removed = remove_records(**store, suites); !removed)
      return fail_checked(removed.error());
    if (!settled) return fail_checked(settled.error());
    return std::nullopt;
  }
  if (const Status staged = stage_builds(request.stage, campaign); !staged) {
    (void)remove_records(**store, suites);
    return fail_checked(staged.error());
  }
  line.show("storing the tasks");
  planned.tasks = tasks_of(campaign);
  const CampaignOwner owner = owner_here();
  planned.stored = {random_uuid(), utc_timestamp(), encode(campaign), owner.user, owner.repository};
  CampaignParts parts{.cases = cases_of(campaign)};
  for (const CampaignSuite& suite : campaign.suites)
    for (const CampaignSide& side : suite.sides) parts.records.push_back(side.record);
  if (const Status kept = (*farm)->plan(planned.stored, planned.tasks, parts); !kept)
    return fail_checked(kept.error());
  return planned;
}

}  // namespace harness
