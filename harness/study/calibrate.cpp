#include "harness/study/calibrate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "harness/model/device_kinds.h"
#include "harness/stats/estimate/estimator.h"
#include "harness/study/false_alarms.h"
#include "harness/study/proposals.h"
#include "harness/study/session_spreads.h"
#include "harness/verdict/case_rows.h"
#include "harness/verdict/decide/evidence.h"
#include "harness/verdict/decide/gates.h"
#include "harness/verdict/decide/spreads.h"
#include "harness/verdict/read/process_values.h"

namespace harness {
namespace {

std::vector<double> placements_of(const ProcessSamples& process) {
  std::vector<double> values;
  for (const Placement& placement : process.placements) {
    if (placement.samples.empty()) continue;
    const std::vector<std::vector<double>> one{placement.samples};
    values.push_back(stats::process_log_value(one));
  }
  return values;
}

SessionValues session_of(const Record& record, const Machine& machine, const Series& series) {
  SessionValues session{machine.device_uuid, record.revision.commit + " " + record.revision.changes, {}, {}};
  for (const ProcessSamples& process : series.processes) {
    std::vector<double> placements = placements_of(process);
    if (placements.empty()) continue;
    const double value = stats::mean(placements);
    if (!std::isfinite(value)) continue;
    session.log_values.push_back(value);
    session.log_placements.push_back(std::move(placements));
  }
  return session;
}

// All records of a calibration, by case and metric.
struct Gathered {
  CalibrationReport report;  // its head
  std::vector<MeasuredCase> measured;
  std::map<std::string, std::string> uuids;  // by device kind, of the first record
};

MeasuredCase started(const CaseRecord& one, const Series& series, const Policy& policy) {
  MeasuredCase measured;
  CalibratedCase& calibrated = measured.calibrated;
  const RowGate gate = gate_of(one.gate, series.metric, policy);
  calibrated.case_id = one.id;
  calibrated.device = one.device;
  calibrated.metric = series.metric;
  calibrated.unit = series.unit;
  calibrated.where = one.where;
  calibrated.planned_processes = one.sampling.processes;
  calibrated.planned_placements = one.sampling.placements;
  calibrated.margin = gate.unit.empty() ? gate.margin : margin_at(gate, stats::mean(process_values(series)));
  calibrated.alpha = gate.alpha;
  measured.decides = !gate.informative && gate.unit.empty();  // a proposed margin is a percentage
  return measured;
}

// Whether the machine is of the class of the first record with this device kind, which the report names.
bool belongs(Gathered& all, std::map<std::string, std::string>& classes, const std::string& device,
             const Machine& machine) {
  if (machine.machine_class != classes.try_emplace(device, machine.machine_class).first->second) return false;
  all.uuids.try_emplace(device, machine.device_uuid);
  if (all.report.machine_class.empty() || is_gpu_kind(device)) {
    all.report.machine_class = machine.machine_class;
    all.report.device_uuid = all.uuids[device];
  }
  return true;
}

Gathered gather(const std::vector<Record>& records, const CalibrationOptions& options) {
  Gathered all;
  all.report.detect = options.detect;
  all.report.power = options.power;
  all.report.records = records.size();
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  std::map<std::string, std::string> classes;
  for (const Record& record : records) {
    if (all.report.suite.empty()) all.report.suite = record.suite.name;
    for (const CaseRecord& one : record.cases) {
      const auto machine = record.machines.find(one.device);
      if (one.outcome != Outcome::measured || machine == record.machines.end()) continue;
      for (const Series& series : one.series) {
        if (!is_compared(series, one, one)) continue;
        const auto key = std::tuple(one.id, series.metric, series.unit);
        const auto [found, is_new] = places.try_emplace(key, all.measured.size());
        if (is_new) all.measured.push_back(started(one, series, options.policy));
        if (belongs(all, classes, one.device, machine->second))
          all.measured[found->second].sessions.push_back(session_of(record, machine->second, series));
      }
    }
  }
  return all;
}

// Sets the spreads, and keeps the sessions on the device alone.
void estimate(MeasuredCase& one, const std::string& uuid) {
  CalibratedCase& calibrated = one.calibrated;
  std::erase_if(one.sessions, [](const SessionValues& session) { return session.log_values.empty(); });
  if (one.sessions.empty()) return;
  const Spreads spreads = spreads_of(one.sessions, uuid);
  calibrated.sessions = spreads.sessions;
  calibrated.devices = spreads.devices;
  calibrated.process = spreads.process;
  calibrated.session = spreads.session;
  calibrated.of_devices = spreads.of_devices;
  calibrated.session_sd = learned_sd(calibrated.session, Policy{}.session_sd);
  calibrated.device_sd = learned_sd(calibrated.of_devices, Policy{}.device_sd);
  std::erase_if(one.sessions, [&](const SessionValues& session) { return session.device_uuid != uuid; });
  for (const SessionValues& session : one.sessions)
    calibrated.processes += static_cast<int>(session.log_values.size());
}

// A part of the usual spread, as compare() takes it: by kind, along the time of a call.
CaseSpread usual_part(const MeasuredCase& one) {
  const CalibratedCase& calibrated = one.calibrated;
  double sum = 0;
  for (const SessionValues& session : one.sessions) sum += stats::mean(session.log_values);
  return {kind_of(calibrated.device, calibrated.metric, calibrated.unit),
          {sum / static_cast<double>(one.sessions.size()), calibrated.process.sd * calibrated.process.sd,
           calibrated.process.degrees_of_freedom}};
}

void add_notes(CalibrationReport& report, const Policy& policy) {
  if (report.cases.empty()) return;
  if (report.splits == 0)
    report.notes.push_back({CalibrationNoteCode::not_counted, {{"needed", least_processes(policy)}}});
  if (std::none_of(report.cases.begin(), report.cases.end(),
                   [](const CalibratedCase& one) { return one.session.has_value(); }))
    report.notes.push_back({CalibrationNoteCode::one_session, {{"sd", Policy{}.session_sd}}});
}

}  // namespace

CalibrationReport calibrate(const std::vector<Record>& records, const CalibrationOptions& options) {
  Gathered all = gather(records, options);
  for (MeasuredCase& one : all.measured) estimate(one, all.uuids[one.calibrated.device]);
  std::erase_if(all.measured, [](const MeasuredCase& one) { return one.calibrated.processes == 0; });
  count_alarms(all.measured, all.report, options);
  const auto rows = static_cast<std::size_t>(std::count_if(
      all.measured.begin(), all.measured.end(), [](const MeasuredCase& one) { return one.decides; }));
  std::vector<CaseSpread> spreads;
  for (const MeasuredCase& one : all.measured) spreads.push_back(usual_part(one));
  const UsualSpreads usual(spreads);
  for (std::size_t i = 0; i < all.measured.size(); ++i) {
    MeasuredCase& one = all.measured[i];
    const auto prior = usual.at(spreads[i].kind, spreads[i].group.level);
    propose(one, rows, prior ? prior->degrees_of_freedom : 0, options);
    all.report.cases.push_back(one.calibrated);
  }
  add_notes(all.report, options.policy);
  return std::move(all.report);
}

}  // namespace harness
