#include "harness/cli/farm/plan_suites.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/cli/ab/ab_measure.h"
#include "harness/cli/deciding/look_first.h"
#include "harness/cli/farm/campaign_records.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/measuring/lock_devices.h"
#include "harness/cli/measuring/top_up.h"
#include "harness/cli/provenance/built_from.h"
#include "harness/cli/provenance/module_sources.h"
#include "harness/cli/provenance/tool.h"
#include "harness/cli/run/leave_out_unselected.h"
#include "harness/measure/worker/probe.h"
#include "harness/store/git.h"
#include "harness/suite/plan/inputs_setting.h"
#include "harness/verdict/check/stands_for.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

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

CampaignSide side_of(const Record& record, const fs::path& program, const fs::path& folder,
                     const fs::path& root, Plan plan) {
  CampaignSide side{record.id, program.string(), folder.string(), {}, {}, std::move(plan)};
  std::set<fs::path> files{program};
  // The program opens libraries of its own folder, also where it measures those of another build.
  const fs::path bin = program.parent_path();
  for (const char* name : {"libharness_cuda.so", "libharness_kernels.so"})
    for (const fs::path& place : {bin / name, bin.parent_path() / "lib" / name, root / "lib" / name}) {
      std::error_code code;
      if (fs::exists(place, code)) files.insert(place);
    }
  for (const std::string& module : side.plan.modules) files.insert(module);
  for (const fs::path& file : files) side.files.push_back(file.string());
  side.identity = identity_of_files({files.begin(), files.end()});
  return side;
}

std::vector<CaseRecord> planned_records(const Plan& plan) {
  std::vector<CaseRecord> cases;
  for (const PlannedCase& planned : plan.cases) cases.push_back(planned_record(planned));
  return cases;
}

// The common cases, as the plan of one side has them.
std::vector<PlannedCase> own_cases(Plan plan, const std::vector<PlannedCase>& common) {
  std::map<std::string_view, std::size_t> places;
  for (const PlannedCase& one : common) places.emplace(one.id, places.size());
  std::vector<PlannedCase> cases(common.size());
  for (PlannedCase& one : plan.cases)
    if (const auto place = places.find(one.id); place != places.end()) cases[place->second] = std::move(one);
  return cases;
}

// Moves the cases of both builds into the sides of a suite. In one process the current build plans both.
void take_cases(AbSides& from, CampaignSuite& suite) {
  Plan &baseline = from.baseline.prepared.plan, &current = from.current.prepared.plan;
  std::vector<PlannedCase> common = common_plan(baseline, current).cases;
  std::vector<PlannedCase> before;
  if (!suite.pair) before = own_cases(std::move(baseline), common);
  baseline.cases = current.cases = {};
  suite.sides.front().plan.cases = suite.pair ? common : std::move(before);
  suite.sides.back().plan.cases = std::move(common);
}

// A suite that the campaign may have.
struct SuiteToPlan {
  SuiteOptions options;
  std::optional<Prepared> here = {};   // this build, or else
  std::shared_ptr<AbSides> both = {};  // both builds

  [[nodiscard]] PlannedSuite planned() const {
    if (here) return {options.suite, {&*here}};
    return {options.suite, {&both->baseline.prepared, &both->current.prepared}};
  }
};

// Answers of workers that the suites of a campaign share.
struct Answers {
  WorkBesideProbe devices{.known = std::make_shared<KnownDevices>()};
  LoadedPairs loaded = {};
};

// std::nullopt: interrupted.
Checked<std::optional<SuiteToPlan>> prepare_suite(const CampaignRequest& request, const std::string& file,
                                                  const Answers& answers) {
  SuiteToPlan suite{request.sides.plan};
  suite.options.suite = file;
  suite.options.of_several = request.suites.size() > 1;
  if (!request.sides.built_before()) {
    Checked<Prepared> prepared = prepare(suite.options, answers.devices);
    if (!prepared) return tl::unexpected(prepared.error());
    suite.here = std::move(*prepared);
    return suite;
  }
  AbRequest asked = request.sides;
  asked.plan = suite.options;
  Checked<std::optional<AbSides>> sides = make_sides(asked);
  if (!sides) return tl::unexpected(sides.error());
  if (!*sides) return std::nullopt;
  for (AbSide* side : {&(*sides)->baseline, &(*sides)->current})
    declare_looks(side->prepared.plan, request.looks.looks, true);
  suite.both = std::make_shared<AbSides>(std::move(**sides));
  return suite;
}

// The devices stay locked meanwhile.
Result<SparedCases> look_at_this_build(Store& store, const CampaignRequest& request, const Prepared& prepared,
                                       Record& record) {
  const auto locks = lock_devices(prepared, {request.measuring.wait});
  if (!locks) return fail(locks.error());
  const auto find_baseline = [&](const Record& known) {
    return stored_baseline(store, request.against, ".", known);
  };
  // The record tells no build, because its elements may have other environments, folders or variables.
  const BuildParts build = this_build(prepared.plan, record.revision);
  return spare_identical({store, prepared.plan, prepared, request.measuring.quiet, find_baseline, build},
                         record);
}

Checked<SuiteWithRecords> plan_this_build(Store& store, const CampaignRequest& request, SuiteToPlan chosen,
                                          Answers& answers) {
  std::optional<Prepared>& prepared = chosen.here;
  if (!prepared->side_by_side.empty())
    return fail_checked({ErrorKind::usage,
                         "one build of a campaign is measured on one device",
                         {},
                         "choose it with --device, or compare two builds with --baseline-build"});
  if (const Status built = check_built_from_head("."); !built) return fail_checked(built.error());
  if (const Status built = check_modules_built_from_head(".", prepared->plan.modules); !built)
    return fail_checked(built.error());
  if (const Status possible = check_cases(prepared->plan); !possible) return fail_checked(possible.error());
  declare_looks(prepared->plan, request.looks.looks, !request.against.empty());
  Record record;
  record.id = random_uuid();
  record.tool = tool_of(prepared->plan);
  record.suite = prepared->plan.suite;
  record.revision = head_revision(".");
  record.partial = is_partial(*prepared, chosen.options);
  record.started = utc_timestamp();
  record.cases = planned_records(prepared->plan);
  CampaignSuite suite;
  suite.partial = record.partial;
  for (const PlannedCase& one : prepared->plan.cases) {
    if (one.skip || suite.devices.contains(one.device)) continue;
    const auto probe = probe_device(prepared->devices.at(one.device), {}, false, answers.devices);
    if (!probe) return fail_checked(probe.error());
    suite.devices[one.device] = probe->machine.device_uuid;
    record.machines[one.device] = probe->machine;
    prepared->machines.emplace(one.device, probe->machine);
  }
  // The baseline's settings replace the suite's weaker ones, and what the plan leaves open is measured as the
  // baseline did, so that both compare. Without a baseline the first process of each case decides.
  Result<Record> baseline = Record{};
  if (!request.against.empty()) baseline = stored_baseline(store, request.against, ".", record);
  if (baseline) take_settings(prepared->plan, *baseline, find_stated_file);
  record.cases = planned_records(prepared->plan);
  record.machines.clear();  // its elements tell theirs
  Plan plan = runnable_part(prepared->plan);
  if (baseline) take_decisions(plan, *baseline);
  const fs::path program = this_program();
  suite.sides.push_back(
      side_of(record, program, fs::current_path(), program.parent_path().parent_path(), std::move(plan)));
  SuiteWithRecords planned{std::move(suite), {std::move(record)}};
  if (request.against.empty()) return planned;
  planned.look = [&store, &request, own = std::move(*prepared)](std::vector<Record>& records) {
    return look_at_this_build(store, request, own, records.front());
  };
  return planned;
}

Result<SparedCases> look_at_both_builds(Store& store, const AbSides& sides, AbMeasuring how,
                                        const std::optional<Seconds>& wait, std::vector<Record>& records) {
  const Prepared devices = devices_of_both(sides);
  how.facts = devices.facts;
  const auto locks = lock_devices(devices, {wait});
  if (!locks) return fail(locks.error());
  AbRecords both{std::move(records.at(0)), std::move(records.at(1)), false};
  Result<SparedCases> spared = look_at_both(store, sides.baseline, sides.current, how, both);
  records = {std::move(both.baseline), std::move(both.current)};
  return spared;
}

Checked<SuiteWithRecords> plan_both_builds(Store& store, const CampaignRequest& request,
                                           const SuiteToPlan& chosen, Answers& answers) {
  const std::shared_ptr<AbSides> both = chosen.both;
  const AbSide &baseline = both->baseline, &current = both->current;
  const Result<std::optional<PairedBuilds>> pair = choose_pairing(*both, request.pair, answers.loaded);
  if (!pair) return fail_checked(pair.error());
  const Plan common = common_plan(baseline.prepared.plan, current.prepared.plan);
  if (const Status possible = check_cases(common); !possible) return fail_checked(possible.error());
  AbMeasuring how;
  how.pair = *pair;
  how.partial = chosen.options.selects();
  how.quiet = request.measuring.quiet;
  AbRecords records = records_of_both(baseline, current, how);
  SuiteWithRecords planned;
  CampaignSuite& suite = planned.suite;
  suite.pair = *pair;
  suite.partial = how.partial;
  suite.seed = order_seed(records.baseline.pairing->id);
  for (const auto& [side, record] :
       {std::pair(&baseline, &records.baseline), std::pair(&current, &records.current)}) {
    leave_out_the_rest(*record, side->prepared.plan, common);
    const Plan& whole = side->prepared.plan;
    Plan plan{whole.suite, whole.modules, {}, whole.counters};
    const fs::path program = *pair ? this_program() : side->program;
    suite.sides.push_back(side_of(*record, program, side->folder, side->root, std::move(plan)));
    planned.records.push_back(std::move(*record));
  }
  planned.look = [&store, both, how, wait = request.measuring.wait](std::vector<Record>& begun) {
    return look_at_both_builds(store, *both, how, wait, begun);
  };
  planned.fill = [both](CampaignSuite& filled) { take_cases(*both, filled); };
  return planned;
}

}  // namespace

Checked<std::optional<std::vector<SuiteWithRecords>>> plan_suites(Store& store,
                                                                  const CampaignRequest& request) {
  Answers answers;
  std::vector<SuiteToPlan> chosen;
  for (const std::string& file : request.suites) {
    Checked<std::optional<SuiteToPlan>> suite = prepare_suite(request, file, answers);
    if (!suite) return tl::unexpected(suite.error());
    if (!*suite) return std::nullopt;
    chosen.push_back(std::move(**suite));
  }
  if (const Status some = leave_out_unselected(chosen); !some) return fail_checked(some.error());
  std::vector<SuiteWithRecords> suites;
  for (SuiteToPlan& one : chosen) {
    Checked<SuiteWithRecords> planned = one.here ? plan_this_build(store, request, std::move(one), answers)
                                                 : plan_both_builds(store, request, one, answers);
    if (!planned) return tl::unexpected(planned.error());
    suites.push_back(std::move(*planned));
  }
  return suites;
}

}  // namespace harness
