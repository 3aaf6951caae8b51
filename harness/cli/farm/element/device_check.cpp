#include "harness/cli/farm/element/device_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "harness/base/text.h"
#include "harness/cli/measuring/measure_into.h"
#include "harness/device/host/clock_lock_file.h"
#include "harness/device/host/gpu_state.h"
#include "harness/doctor/examine_gpu.h"
#include "harness/measure/schedule/run.h"
#include "harness/measure/schedule/worker_process.h"
#include "harness/measure/worker/probe.h"
#include "harness/model/clock_reason.h"
#include "harness/model/device_kinds.h"
#include "harness/verdict/read/process_values.h"

namespace harness {
namespace {

constexpr std::size_t most_probes = 3;
// In standard deviations that a calibration tells, and in those of a history, whose own error is larger.
constexpr double beyond_calibration = 4, beyond_history = 6;
constexpr std::size_t least_history = 8;  // sessions
constexpr double least_sd = 0.0005;       // of log values between sessions (decision.md)

// A device at its power limit or with a set clock works as it should.
bool is_sick_reason(const std::string& reason) {
  switch (parse_name<ClockReason>(reason).value_or(ClockReason::thermal)) {
    case ClockReason::clock_setting:
    case ClockReason::power_cap:
    case ClockReason::sync_boost:
    case ClockReason::display: return false;
    default: return true;
  }
}

// Asks NVML about the GPU while nothing of this element runs on it.
std::optional<Sickness> examine_gpu_named(const std::string& device) {
  MachineFacts facts;
  facts.device = device;
  facts.gpus = read_gpus();
  const Result<const GpuState*> gpu = gpu_named(facts.gpus, device);
  if (!gpu || *gpu == nullptr) return std::nullopt;
  facts.gpu = **gpu;
  facts.clock_locks = find_clock_locks();
  std::optional<Sickness> sick;
  int others = 0;
  for (const Observation& one : examine_gpu(facts)) {
    if (one.fitness != Fitness::unfit || topic_of(one.code) != Topic::gpu) continue;
    if (one.code == Check::other_processes)
      ++others;
    else
      sick = Sickness{SickCode::unfit, {{"check", std::string(name_of(one.code))}}};
  }
  if (others > 0) return Sickness{SickCode::busy, {{"processes", others}}};
  return sick;
}

const PlannedCase* probe_named(const Campaign& campaign, const std::string& id) {
  for (const CampaignSuite& suite : campaign.suites)
    for (const PlannedCase& one : suite.probes)
      if (one.id == id) return &one;
  return nullptr;
}

std::optional<Sickness> conditions_of(const Campaign& campaign, const std::vector<ProcessResult>& results) {
  int known = 0, throttled = 0, others = 0;
  double tolerated = 1;
  std::string reason;
  for (const ProcessResult& result : results) {
    if (const PlannedCase* probe = probe_named(campaign, result.case_id))
      tolerated = std::min(tolerated, probe->gate.throttled);
    for (const Series& series : result.series)
      for (const ProcessSamples& process : series.processes)
        for (const Placement& placement : process.placements) {
          if (!placement.conditions) continue;
          ++known;
          others = std::max(others, placement.conditions->other_processes);
          const auto& reasons = placement.conditions->throttled;
          const auto found = std::find_if(reasons.begin(), reasons.end(), is_sick_reason);
          if (found == reasons.end()) continue;
          ++throttled;
          reason = *found;
        }
  }
  if (throttled > tolerated * known)
    return Sickness{SickCode::throttled, {{"placements", throttled}, {"of", known}, {"reason", reason}}};
  if (others > 0) return Sickness{SickCode::busy, {{"processes", others}}};
  return std::nullopt;
}

// Another driver is no illness of the device: its probes have a history of their own.
std::string subject_of(const Campaign& campaign, const DeviceCheck& check, const ProcessResult& result) {
  std::string code = result.identity ? result.identity->digest : "";
  for (const CampaignSuite& suite : campaign.suites)
    for (const PlannedCase& one : suite.probes)
      if (code.empty() && one.id == result.case_id) code = suite.sides.front().identity;
  std::string subject = result.case_id + " " + code;
  for (const auto& [kind, machine] : check.machines)
    for (const MachineField& field : machine.fields)
      if (field.name == "driver") subject += " " + field.value;
  return subject;
}

std::optional<ProbeValue> probe_value(const Campaign& campaign, const DeviceCheck& check,
                                      const ProcessResult& result) {
  if (result.outcome != Outcome::measured || result.series.empty()) return std::nullopt;
  const std::vector<double> value = process_values(result.series.front());
  if (value.empty() || !(value.front() > 0)) return std::nullopt;
  return ProbeValue{subject_of(campaign, check, result), std::log(value.front())};
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// How far a value may be from the mean of earlier ones, one a session. std::nullopt: nobody knows, because
// nothing was calibrated and the history is short.
std::optional<double> limit_of(const std::vector<double>& earlier, const std::string& case_id,
                               const std::string& metric, const std::vector<LearnedSpread>& learned) {
  const auto known = std::find_if(learned.begin(), learned.end(), [&](const LearnedSpread& one) {
    return one.case_id == case_id && one.metric == metric && one.process_sd > 0;
  });
  const double count = static_cast<double>(earlier.size());
  const double of_mean = std::sqrt(1 + 1 / count);
  if (known != learned.end())
    return beyond_calibration * of_mean *
           std::max(least_sd, std::hypot(known->session_sd, known->process_sd));
  if (earlier.size() < least_history) return std::nullopt;
  const double mean = mean_of(earlier);
  double squares = 0;
  for (const double one : earlier) squares += (one - mean) * (one - mean);
  return beyond_history * of_mean * std::max(least_sd, std::sqrt(squares / (count - 1)));
}

// At most `most` of the cases, spread over all of a few, or over the half of many with the fewest bytes: an
// element waits for its probes, and the host takes longer for inputs than the device for calls.
std::vector<const PlannedCase*> spread_by_bytes(std::vector<const PlannedCase*> cases, std::size_t most) {
  std::stable_sort(cases.begin(), cases.end(), [](const PlannedCase* one, const PlannedCase* other) {
    return one->bytes < other->bytes;
  });
  if (cases.size() > 2 * most_probes) cases.resize(cases.size() / 2);
  const std::size_t count = std::min(most, cases.size());
  std::vector<const PlannedCase*> chosen;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(cases[count == 1 ? 0 : i * (cases.size() - 1) / (count - 1)]);
  return chosen;
}

}  // namespace

std::string DeviceCheck::device() const {
  for (const auto& [kind, machine] : machines)
    if (is_gpu_kind(kind)) return machine.device_uuid;
  return machines.empty() ? "" : machines.begin()->second.device_uuid;
}

std::vector<PlannedCase> choose_probes(const std::vector<const PlannedCase*>& cases,
                                       const std::set<std::string>& proven) {
  std::vector<PlannedCase> probes;
  for (const bool wanted : {true, false}) {
    std::vector<const PlannedCase*> fit;
    for (const PlannedCase* one : cases)
      if (!one->skip && !one->program && one->gpus == 1 && proven.contains(one->id) == wanted)
        fit.push_back(one);
    for (const PlannedCase* one : spread_by_bytes(std::move(fit), most_probes - probes.size())) {
      probes.push_back(*one);
      probes.back().sampling.processes = 1;
      probes.back().reference.clear();
    }
  }
  return probes;
}

std::vector<ProbeValue> probe_values(const Campaign& campaign, const DeviceCheck& check) {
  std::vector<ProbeValue> values;
  for (const ProcessResult& result : check.results)
    if (auto value = probe_value(campaign, check, result)) values.push_back(std::move(*value));
  return values;
}

std::optional<Sickness> sickness_of(const Campaign& campaign, const DeviceCheck& check,
                                    std::span<const ProbeValue> history,
                                    const std::vector<LearnedSpread>& learned) {
  if (check.sick) return check.sick;
  if (auto sick = conditions_of(campaign, check.results)) return sick;
  std::map<std::string, std::vector<double>> earlier;
  for (const ProbeValue& one : history) earlier[one.subject].push_back(one.log_value);
  for (const ProcessResult& result : check.results) {
    const std::optional<ProbeValue> now = probe_value(campaign, check, result);
    const auto before = now ? earlier.find(now->subject) : earlier.end();
    const PlannedCase* probe = probe_named(campaign, result.case_id);
    if (before == earlier.end() || probe == nullptr) continue;
    const double moved = now->log_value - mean_of(before->second);
    const auto spread = limit_of(before->second, result.case_id, result.series.front().metric, learned);
    if (!spread) continue;
    const double limit = std::max(std::log1p(probe->gate.margin), *spread);
    if (std::abs(moved) > limit)
      return Sickness{SickCode::moved,
                      {{"case", result.case_id},
                       {"change", std::expm1(moved)},
                       {"limit", std::expm1(limit)},
                       {"runs", before->second.size()}}};
  }
  return std::nullopt;
}

Result<DeviceCheck> check_device(const DeviceCheckRequest& request) {
  DeviceCheck check;
  if (request.ending) request.ending->wait();
  for (const auto& [kind, name] : request.prepared.devices) {
    if (!is_gpu_device(name)) continue;
    check.sick = examine_gpu_named(name);
    if (check.sick) break;
  }
  for (const CampaignSuite& suite : request.campaign.suites) {
    if (suite.probes.empty()) continue;
    const CampaignSide& side = suite.sides.front();
    RunOptions options;
    options.devices = request.prepared.devices;
    options.peers = peer_names(request.prepared);
    options.worker_command = {side.program, "worker"};
    options.worker_folder = side.folder;
    options.measure_ceilings = false;
    options.processes_before = request.number - 1;
    options.ending = request.ending;
    options.leaves_worker = true;
    options.on_result = [&](EncodedResult result) -> Status {
      check.results.push_back(std::move(result.result));
      return {};
    };
    options.on_machine = [&](const std::string& kind, const Machine& machine) {
      complete(check.machines[kind] = machine, kind, request.prepared);
    };
    options.on_progress = [&](const Progress&) {
      if (request.on_progress) request.on_progress();
    };
    const Result<RunReport> report =
        run_plan({side.plan.suite, side.plan.modules, suite.probes, {}}, options);
    if (!report) return fail(report.error());
    check.interrupted |= report->interrupted;
  }
  for (const auto& [kind, name] : request.prepared.devices) {
    if (check.machines.contains(kind)) continue;
    const Result<DeviceProbe> probe = probe_device(name, {}, false, {{}, request.ending});
    if (!probe) return fail(probe.error());
    check.machines[kind] = probe->machine;
  }
  return check;
}

}  // namespace harness
