#include "harness/cli/farm/plan_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/cli/ab/ab_measure.h"
#include "harness/cli/judging/learned_policy.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/programs/built_from.h"
#include "harness/cli/programs/module_sources.h"
#include "harness/measure/worker/probe.h"
#include "harness/store/git.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

tl::unexpected<std::vector<Error>> refused(Error error) {
  return tl::unexpected(std::vector<Error>{std::move(error)});
}

// The record of a program's output gets cases that nobody can plan.
Status check_cases(const Plan& plan) {
  for (const PlannedCase& one : plan.cases)
    if (one.program && !one.program->reads.empty() && !one.is_traced())
      return fail(ErrorKind::usage, one.where,
                  fmt::format("a campaign cannot have {}: its benchmarks are known only when it has run",
                              printable(one.id)),
                  "measure this suite with `harness run`");
  if (std::any_of(plan.cases.begin(), plan.cases.end(), [](const PlannedCase& one) { return !one.skip; }))
    return {};
  return fail(ErrorKind::missing, Location{plan.suite.file}, "no case of the suite can run here",
              "plan where a device of the campaign is; `harness list` tells why cases are skipped");
}

// Only the cases that can run.
Plan runnable_part(Plan plan) {
  std::erase_if(plan.cases, [](const PlannedCase& one) { return one.skip.has_value(); });
  return plan;
}

CampaignSide side_of(const Record& record, const fs::path& program, const fs::path& folder, fs::path root,
                     Plan plan) {
  CampaignSide side{record.id, program.string(), folder.string(), {}, {}, std::move(plan)};
  std::set<fs::path> files{program};
  for (const char* name : {"libharness_cuda.so", "libharness_kernels.so"})
    for (const fs::path& place : {program.parent_path() / name, root / "lib" / name}) {
      std::error_code code;
      if (fs::exists(place, code)) files.insert(place);
    }
  for (const std::string& module : side.plan.modules) files.insert(module);
  for (const fs::path& file : files) side.files.push_back(file.string());
  side.identity = identity_of_files({files.begin(), files.end()});
  return side;
}

// Measures what the plan leaves open as the baseline did, so that both compare. Without a baseline the first
// process of each case decides.
void decide_as_baseline(Plan& plan, Store& store, const CampaignRequest& request, const Record& record) {
  if (request.against.empty()) return;
  Selected current;
  current.record = record;
  current.source.revision = record.revision;
  SelectOptions select;
  select.folder = ".";
  select.suite = record.suite.name;
  const Policy policy = with_learned(store, Policy{}, record);
  if (const auto baseline = select_baseline(store, request.against, current, judged_by(policy, select)))
    take_decisions(plan, baseline->record);
}

// The common cases, as the plan of one side has them.
std::vector<PlannedCase> own_cases(const Plan& plan, const Plan& common) {
  std::map<std::string_view, const PlannedCase*> by_id;
  for (const PlannedCase& one : plan.cases) by_id.emplace(one.id, &one);
  std::vector<PlannedCase> cases;
  for (const PlannedCase& one : common.cases) cases.push_back(*by_id.at(one.id));
  return cases;
}

// A suite of a campaign with its records, which nobody has begun yet.
struct SuiteWithRecords {
  CampaignSuite suite;
  std::vector<Record> records;
};

Checked<SuiteWithRecords> plan_this_build(Store& store, const CampaignRequest& request,
                                          const SuiteOptions& options) {
  Checked<Prepared> prepared = prepare(options);
  if (!prepared) return tl::unexpected(prepared.error());
  if (!prepared->side_by_side.empty())
    return refused({ErrorKind::usage,
                    "one build of a campaign is measured on one device",
                    {},
                    "choose it with --device, or compare two builds with --baseline-build"});
  if (const Status built = check_built_from_head("."); !built) return refused(built.error());
  if (const Status built = check_modules_built_from_head(".", prepared->plan.modules); !built)
    return refused(built.error());
  if (const Status possible = check_cases(prepared->plan); !possible) return refused(possible.error());
  Record record;
  record.id = random_uuid();
  record.tool = this_tool();
  record.suite = prepared->plan.suite;
  record.revision = head_revision(".");
  record.partial = is_partial(*prepared, options);
  record.started = utc_timestamp();
  for (const PlannedCase& planned : prepared->plan.cases) record.cases.push_back(planned_record(planned));
  Record as_planned = record;
  CampaignSuite suite;
  suite.partial = record.partial;
  Plan plan = runnable_part(prepared->plan);
  for (const PlannedCase& one : plan.cases) {
    if (suite.devices.contains(one.device)) continue;
    const Result<DeviceProbe> probe = probe_device(prepared->devices.at(one.device));
    if (!probe) return refused(probe.error());
    suite.devices[one.device] = probe->machine.device_uuid;
    record.machines[one.device] = probe->machine;
  }
  decide_as_baseline(plan, store, request, record);
  const fs::path program = this_program();
  suite.sides.push_back(
      side_of(record, program, fs::current_path(), program.parent_path().parent_path(), std::move(plan)));
  return SuiteWithRecords{std::move(suite), {std::move(as_planned)}};
}

// std::nullopt: interrupted.
Checked<std::optional<SuiteWithRecords>> plan_both_builds(const CampaignRequest& request,
                                                          const SuiteOptions& options) {
  AbRequest both = request.sides;
  both.plan = options;
  const Checked<std::optional<AbSides>> sides = make_sides(both);
  if (!sides) return tl::unexpected(sides.error());
  if (!*sides) return std::nullopt;
  const AbSide &baseline = (*sides)->baseline, &current = (*sides)->current;
  const Result<std::optional<PairedBuilds>> pair = choose_pairing(**sides, request.pair);
  if (!pair) return refused(pair.error());
  const Plan common = common_plan(baseline.prepared.plan, current.prepared.plan);
  if (const Status possible = check_cases(common); !possible) return refused(possible.error());
  SuiteWithRecords planned;
  CampaignSuite& suite = planned.suite;
  suite.pair = *pair;
  suite.partial = options.selects();
  const Pairing pairing{random_uuid(), *pair ? Pairing::Kind::process : Pairing::Kind::session};
  suite.seed = order_seed(pairing.id);
  for (const AbSide* side : {&baseline, &current}) {
    Record record = record_of_side(*side, pairing, suite.partial);
    leave_out_the_rest(record, side->prepared.plan, common);
    Plan plan = side->prepared.plan;
    plan.cases = *pair ? common.cases : own_cases(side->prepared.plan, common);
    const fs::path program = *pair ? this_program() : side->program;
    suite.sides.push_back(side_of(record, program, side->folder, side->root, std::move(plan)));
    planned.records.push_back(std::move(record));
  }
  return planned;
}

Checked<std::optional<SuiteWithRecords>> plan_suite_of(Store& store, const CampaignRequest& request,
                                                       const std::string& file) {
  SuiteOptions options = request.sides.plan;
  options.suite = file;
  if (request.sides.built_before()) return plan_both_builds(request, options);
  Checked<SuiteWithRecords> planned = plan_this_build(store, request, options);
  if (!planned) return tl::unexpected(planned.error());
  return std::move(*planned);
}

// Elements fill these records, and no `run --continue` takes them up.
Status begin_records(Store& store, const std::vector<Record>& records) {
  for (const Record& record : records) {
    if (Status begun = store.begin(record); !begun) return begun;
    if (Status handed = store.finish(record.id, RunState::farmed); !handed) return handed;
  }
  return {};
}

}  // namespace

Checked<std::optional<PlannedCampaign>> plan_campaign(const CampaignRequest& request) {
  const auto store = Store::open(request.store.url);
  if (!store) return refused(store.error());
  if (!request.against.empty())
    if (const Status known = check_side(request.store, "--against", request.against); !known)
      return refused(known.error());
  PlannedCampaign planned;
  Campaign& campaign = planned.campaign;
  campaign.tool = this_tool();
  campaign.against = request.against;
  campaign.device = request.sides.plan.device.names;
  campaign.lease = request.lease;
  std::vector<Record> records;
  for (const std::string& file : request.suites) {
    Checked<std::optional<SuiteWithRecords>> suite = plan_suite_of(**store, request, file);
    if (!suite) return tl::unexpected(suite.error());
    if (!*suite) return std::nullopt;
    campaign.suites.push_back(std::move((*suite)->suite));
    for (Record& record : (*suite)->records) records.push_back(std::move(record));
  }
  planned.tasks = tasks_of(campaign, request.block);
  planned.stored = {random_uuid(), utc_timestamp(), encode(campaign)};
  if (const Status begun = begin_records(**store, records); !begun) return refused(begun.error());
  const auto farm = FarmStore::open(request.store.url);
  if (!farm) return refused(farm.error());
  if (const Status kept = (*farm)->plan(planned.stored, planned.tasks); !kept) return refused(kept.error());
  return planned;
}

}  // namespace harness
