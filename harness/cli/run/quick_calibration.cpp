#include "harness/cli/run/quick_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <tuple>

#include "harness/base/text.h"
#include "harness/cli/run/few_processes.h"
#include "harness/device/cpu/cpu_facts.h"
#include "harness/device/cpu/cpu_threads.h"
#include "harness/model/device_kinds.h"
#include "harness/report/numbers.h"
#include "harness/study/calibrate.h"
#include "harness/verdict/decide/gates.h"

namespace harness {
namespace {

constexpr const char* quick_suite = "calibrate-quick";
constexpr std::size_t most_cases = 3;
constexpr int usual_processes = 5, most_sessions = 6, fewest_sessions = 2;
constexpr Seconds a_minute = 60;
constexpr double least_margin = 0.001;

// By the work of a call. Programs come last, because their work is not known.
bool is_shorter(const PlannedCase* one, const PlannedCase* other) {
  const auto key = [](const PlannedCase& planned) {
    return std::tuple(planned.program.has_value(), planned.bytes + planned.flops);
  };
  return key(*one) < key(*other);
}

std::vector<std::string> shortest_cases(const Plan& plan) {
  std::vector<const PlannedCase*> cases;
  for (const PlannedCase& planned : plan.cases)
    if (!planned.skip && !gate_of(planned.gate, judged_time(planned), {}).informative)
      cases.push_back(&planned);
  std::stable_sort(cases.begin(), cases.end(), is_shorter);
  std::vector<std::string> names;
  for (const PlannedCase* one : cases)
    if (names.size() < most_cases) names.push_back(one->id);
  return names;
}

RunQuery quick_records() {
  RunQuery query;
  query.suite = quick_suite;
  query.calibration = true;
  query.state = RunState::complete;
  return query;
}

// Takes the place of what this machine kept before.
Status keep_sessions(Store& store, const std::vector<Record>& sessions) {
  std::vector<std::string> earlier;
  for (const auto& [kind, machine] : sessions.front().machines) {
    RunQuery query = quick_records();
    query.machine_class = machine.machine_class;
    query.device_uuid = machine.device_uuid;
    const auto found = store.list(query);
    if (!found) return fail(found.error());
    for (const RunInfo& run : *found) earlier.push_back(run.id);
  }
  if (!earlier.empty())
    if (const Status removed = store.remove(earlier); !removed) return removed;
  for (const Record& record : sessions)
    if (const Status kept = store.put_record(record); !kept) return kept;
  return {};
}

Result<std::vector<Record>> sessions_in(Store& store, const RunQuery& query) {
  const auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  std::vector<Record> records;
  for (const RunInfo& run : *runs) {
    if (run.machine_class != runs->front().machine_class || run.device_uuid != runs->front().device_uuid)
      continue;
    Result<Record> record = store.load(run.id);
    if (!record) return fail(record.error());
    records.push_back(std::move(*record));
  }
  return records;
}

struct Told {
  double margin = 0;                  // the least at which unchanged cases pass
  std::optional<int> processes = {};  // a side, for the margin that was asked for; absent: none would do
  std::string date;
};

// The case that varies most decides.
std::optional<Told> told_by(const std::vector<Record>& sessions, int processes, double asked) {
  if (sessions.empty()) return std::nullopt;
  Told told{0, usual_processes, sessions.front().started.substr(0, 10)};
  CalibrationOptions least, wanted;
  least.splits = wanted.splits = 0;
  least.policy.margin = least_margin;
  least.most_processes = processes;
  wanted.policy.margin = asked;
  wanted.most_processes = most_processes;
  for (const CalibratedCase& one : calibrate(sessions, least).cases)
    if (one.proposal) told.margin = std::max(told.margin, one.proposal->margin);
  for (const CalibratedCase& one : calibrate(sessions, wanted).cases) {
    if (!one.proposal) continue;
    if (!one.proposal->reaches) told.processes.reset();
    if (told.processes) told.processes = std::max(*told.processes, one.proposal->processes);
  }
  if (told.margin == 0) return std::nullopt;
  return told;
}

// The machine that will measure, as far as it is known before a worker opens it.
RunQuery records_of_machine(const Prepared& prepared) {
  RunQuery query = quick_records();
  for (const auto& [kind, name] : prepared.devices) {
    const auto known = prepared.machines.find(kind);
    if (known != prepared.machines.end()) {
      query.machine_class = known->second.machine_class;
      query.device_uuid = known->second.device_uuid;
    } else if (!is_gpu_kind(kind) && !is_scripted_device(name)) {
      query.device_uuid = host_machine(usable_threads()).device_uuid;
    }
  }
  return query;
}

}  // namespace

Result<bool> calibrate_quickly(Store& store, const SessionOptions& asked) {
  SuiteOptions options;
  options.suite = asked.suite;
  options.filter = asked.filter;
  options.modules = asked.modules;
  options.device = asked.device;
  const Checked<Prepared> prepared = prepare(options);
  if (!prepared) return fail(prepared.error().front());
  SessionOptions session = asked;
  session.filter.patterns = shortest_cases(prepared->plan);
  session.processes = asked.processes.value_or(usual_processes);
  if (session.filter.patterns.empty())
    return fail(ErrorKind::missing, "no case here has a time that decides", "see what `harness list` says");
  fmt::print(stderr, "a minute with {}\n", join(session.filter.patterns, ", "));
  std::vector<Record> sessions;
  const auto begin = std::chrono::steady_clock::now();
  while (static_cast<int>(sessions.size()) < most_sessions) {
    const Seconds spent = seconds_since(begin);
    const Seconds each = sessions.empty() ? 0 : spent / static_cast<double>(sessions.size());
    if (static_cast<int>(sessions.size()) >= fewest_sessions && spent + each > a_minute) break;
    auto record = measure_session(session);
    if (!record) return fail(record.error());
    if (!*record) return false;
    (*record)->suite.name = quick_suite;
    (*record)->calibration = true;
    sessions.push_back(std::move(**record));
  }
  if (const Status kept = keep_sessions(store, sessions); !kept) return fail(kept.error());
  return true;
}

Result<std::string> told_by_quick_calibration(Store& store) {
  const auto sessions = sessions_in(store, quick_records());
  if (!sessions) return fail(sessions.error());
  const std::optional<Told> told = told_by(*sessions, usual_processes, Gate{}.margin);
  if (!told) return std::string("these cases tell nothing: they do not vary between processes, or too much");
  return fmt::format("this machine can tell changes of {} with {} processes a side; {} of {}",
                     report::short_percent(told->margin), usual_processes,
                     told->processes ? fmt::format("about {} would tell one", *told->processes)
                                     : std::string("no number of processes would tell one"),
                     report::plain_percent(Gate{}.margin));
}

std::string margin_line(Store& store, const Prepared& prepared, const Policy& policy) {
  double asked = 1;
  int processes = 0;
  for (const PlannedCase& planned : prepared.plan.cases) {
    const RowGate gate = gate_of(planned.gate, judged_time(planned), policy);
    if (planned.skip || gate.informative || !gate.unit.empty() || !(gate.margin > 0)) continue;
    asked = std::min(asked, gate.margin);
    processes = std::max(processes, planned.sampling.processes);
  }
  if (processes < policy.min_processes) return {};
  const auto sessions = sessions_in(store, records_of_machine(prepared));
  if (!sessions) return {};
  const std::optional<Told> told = told_by(*sessions, processes, asked);
  if (!told || told->margin <= asked) return {};
  return fmt::format(
      "this machine can tell {} with {} processes a side, not {} (calibrate --quick, {}): {}",
      report::short_percent(told->margin), processes, report::plain_percent(asked), told->date,
      told->processes ? fmt::format("`--processes {}` would take it that far", *told->processes)
                      : std::string("no number of processes would; widen the margin, or use `harness ab`"));
}

}  // namespace harness
