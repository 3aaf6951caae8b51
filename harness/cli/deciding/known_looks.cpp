#include "harness/cli/deciding/known_looks.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/measuring/measure_into.h"
#include "harness/cli/provenance/tool.h"
#include "harness/device/open.h"
#include "harness/measure/worker/probe.h"
#include "harness/model/proof_reach.h"
#include "harness/verdict/compared_records.h"

namespace harness {
namespace {

constexpr std::size_t most_headers = 50;  // whose build is looked at, the newest first

// The cases whose looks can be known.
Plan knowable_part(Plan plan, const Prepared& prepared) {
  std::erase_if(plan.cases, [&](const PlannedCase& one) {
    const auto device = prepared.devices.find(one.device);
    return one.skip || one.program || device == prepared.devices.end() || is_scripted_device(device->second);
  });
  return plan;
}

struct KnownRecord {
  Record header;
  bool complete = false;  // else its build may not hold for all of its results
};

// The records of a build, the one first that was measured last: a run that was continued began long before.
std::vector<KnownRecord> records_of_build(Store& store, const Record& record, const BuildParts& build) {
  std::vector<KnownRecord> found;
  RunQuery query;
  query.suite = record.suite.name;
  query.calibration = false;
  query.count_results = false;
  auto runs = store.list(query);
  if (!runs) return found;
  runs->resize(std::min(runs->size(), most_headers));
  for (const RunInfo& run : *runs) {
    Result<Record> header = store.load_cases(run.id, {});
    if (header && header->build == build && header->id != record.id)
      found.push_back({std::move(*header), run.state == RunState::complete});
  }
  const auto last = [](const KnownRecord& one) -> const std::string& {
    return one.complete ? one.header.finished : one.header.started;
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const KnownRecord& one, const KnownRecord& other) { return last(one) > last(other); });
  return found;
}

// Whether two records were made on one machine that was in one state.
bool on_same_machine(const Record& known, const Record& record, const std::string& kind) {
  const auto before = known.machines.find(kind), after = record.machines.find(kind);
  return before != known.machines.end() && after != record.machines.end() &&
         in_same_state(before->second, after->second);
}

// A baseline is chosen by the machines of a record.
Status learn_machines(Store& store, Record& record, const Plan& plan, const Prepared& prepared) {
  std::set<std::string> kinds;
  for (const PlannedCase& planned : plan.cases) {
    const std::string& kind = planned.device;
    if (!kinds.insert(kind).second) continue;
    Machine machine;
    if (const auto asked = prepared.machines.find(kind); asked != prepared.machines.end()) {
      machine = asked->second;
    } else {
      Result<DeviceProbe> probe = probe_device(prepared.devices.at(kind));
      if (!probe) return fail(probe.error());
      machine = std::move(probe->machine);
    }
    complete(machine, kind, prepared);
    if (Status same = check_same_machine(record, kind, machine); !same) return same;
    record.machines.emplace(kind, std::move(machine));
  }
  return store.update_header(record);
}

bool is_same_case(const CaseRecord& known, const PlannedCase& planned) {
  const CaseRecord wanted = planned_record(planned);
  return known.workload == wanted.workload && known.variant == wanted.variant &&
         known.device == wanted.device && known.params == wanted.params && known.tuned == wanted.tuned &&
         known.sampling == wanted.sampling && known.gpus == wanted.gpus && !known.program;
}

// The value of a metric that the process told, if equal work always has the same.
std::optional<Series> told_value(const CaseRecord& known, int process, const std::string& metric) {
  static const Catalog catalog = Catalog::built_in();
  const sdk::Workload* const workload = catalog.workload(known.workload);
  if (workload == nullptr) return std::nullopt;
  const std::vector<sdk::MetricSpec> declared = workload->metrics();
  const bool repeats = std::any_of(declared.begin(), declared.end(), [&](const sdk::MetricSpec& one) {
    return one.name == metric && !one.timed;
  });
  const Series* const series = series_named(known, metric);
  if (!repeats || series == nullptr) return std::nullopt;
  Series told = *series;
  std::erase_if(told.processes, [&](const ProcessSamples& one) { return one.process != process; });
  for (ProcessSamples& one : told.processes) one.process = 0;
  return told.processes.empty() ? std::nullopt : std::optional(std::move(told));
}

// The launches of a case of that record, or why they prove nothing.
Identity identity_of(const CaseRecord& known, const std::string& record) {
  const ProcessResult& first = known.processes.front();
  Identity identity = first.identity.value_or({});
  if (agreed_digest(known).disagree) identity = {"", Cause{CauseCode::processes_differ}};
  identity.same_build = record;
  return identity;
}

// The look that the first process of a case stands for, with those of the values that it told.
std::optional<ProcessResult> as_look(const CaseRecord& known, const std::vector<std::string>& told_metrics,
                                     const std::string& record) {
  const bool right = known.outcome == Outcome::measured || known.outcome == Outcome::looked_at;
  if (!right || known.processes.empty()) return std::nullopt;
  const ProcessResult& first = known.processes.front();
  if (first.process > 1) return std::nullopt;
  ProcessResult look;
  look.case_id = known.id;
  look.outcome = Outcome::looked_at;
  look.verification = first.verification;
  look.kernels = first.kernels;
  for (KernelUse& kernel : look.kernels) kernel.us = 0;  // of the process that measured it
  look.identity = identity_of(known, record);
  look.timing = first.timing;
  look.choice = first.choice;
  look.multiplies = first.multiplies;
  for (const std::string& metric : told_metrics)
    if (std::optional<Series> told = told_value(known, first.process, metric))
      look.series.push_back(std::move(*told));
  look.notes.push_back({NoteCode::known_look, {{"record", record}}});
  if (look.identity->digest.empty()) look.notes.back().figures.emplace_back("unread", 1);
  return look;
}

// The cases of a record that regressed, as they were judged last. The build that regressed once does not pass
// because it runs again.
Result<std::set<std::string>> regressed_cases(Store& store, const std::string& record) {
  const Result<std::vector<StoredCase>> cases = store.cases_of(record);
  if (!cases) return fail(cases.error());
  std::set<std::string> regressed;
  for (const StoredCase& one : *cases)
    if (one.verdict == name_of(Verdict::regressed) && !one.waived) regressed.insert(one.id);
  return regressed;
}

// Takes the cases of `open` that one record has results of: with a look where it is complete and right, and
// did not regress. A newer record of one build outweighs older ones.
void take_looks(Store& store, const KnownRecord& from, const Record& record, Plan& open,
                std::map<std::string, EncodedResult>& looks) {
  const Record& header = from.header;
  std::set<std::string> wanted;
  for (const PlannedCase& one : open.cases)
    if (on_same_machine(header, record, one.device)) wanted.insert(one.id);
  if (wanted.empty()) return;
  const Result<Record> known = store.load_cases(header.id, wanted);
  const Result<std::set<std::string>> regressed = regressed_cases(store, header.id);
  if (!known || !regressed) return;  // somebody removed it
  Plan as_known = open;
  take_decisions(as_known, *known);
  std::map<std::string_view, const PlannedCase*> planned;
  for (const PlannedCase& one : as_known.cases) planned.emplace(one.id, &one);
  std::set<std::string> taken;
  for (const CaseRecord& one : known->cases) {
    if (one.processes.empty() || one.outcome == Outcome::skipped) continue;
    taken.insert(one.id);
    const PlannedCase& wish = *planned.at(one.id);
    if (!from.complete || regressed->contains(one.id) || !is_same_case(one, wish)) continue;
    // A module's values may differ from process to process.
    const auto told = open.modules.empty() ? gated_beyond_reach(wish) : std::vector<std::string>();
    if (std::optional<ProcessResult> look = as_look(one, told, header.id))
      looks.emplace(one.id, EncodedResult{std::move(*look)});
  }
  std::erase_if(open.cases, [&](const PlannedCase& one) { return taken.contains(one.id); });
}

}  // namespace

Result<std::map<std::string, EncodedResult>> known_looks(Store& store, Record& record,
                                                         const BuildParts& build, const Plan& plan,
                                                         const Prepared& prepared) {
  std::map<std::string, EncodedResult> looks;
  if (build.empty() || build != this_build(plan, record.revision)) return looks;
  if (!prepared.side_by_side.empty()) return looks;
  Plan open = knowable_part(plan, prepared);
  const std::vector<KnownRecord> records =
      open.cases.empty() ? std::vector<KnownRecord>() : records_of_build(store, record, build);
  if (records.empty()) return looks;
  if (const Status learned = learn_machines(store, record, open, prepared); !learned)
    return fail(learned.error());
  for (const KnownRecord& one : records) take_looks(store, one, record, open, looks);
  return looks;
}

}  // namespace harness
