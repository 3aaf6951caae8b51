#include "harness/study/calibrate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "harness/model/device_kinds.h"
#include "harness/stats/estimate/estimator.h"
#include "harness/stats/estimate/random.h"
#include "harness/stats/hypothesis/power.h"
#include "harness/stats/hypothesis/proportion.h"
#include "harness/stats/spread/components.h"
#include "harness/verdict/decide/gates.h"
#include "harness/verdict/decide/judge.h"
#include "harness/verdict/read/side.h"

namespace harness {
namespace {

constexpr double confidence = 0.95;
constexpr double usual_weight = 4;  // degrees of freedom that the usual sd stands for
constexpr int fewest_placements = 2;
constexpr int fewest_processes = 5;
constexpr double tolerable_growth = 1.1;  // of a process's sd for fewer placements

// A session of one metric of one case.
struct Session {
  std::string device_uuid;
  std::string build;                                // commit and changes
  std::vector<double> log_values;                   // by process
  std::vector<std::vector<double>> log_placements;  // of the same processes
};

struct Measured {
  CalibratedCase calibrated;
  bool decides = true;
  std::vector<Session> sessions;
};

std::vector<double> placements_of(const ProcessSamples& process) {
  std::vector<double> values;
  for (const Placement& placement : process.placements) {
    if (placement.samples.empty()) continue;
    const std::vector<std::vector<double>> one{placement.samples};
    values.push_back(stats::process_log_value(one));
  }
  return values;
}

Session session_of(const Record& record, const Machine& machine, const Series& series) {
  Session session{machine.device_uuid, record.revision.commit + " " + record.revision.changes, {}, {}};
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

Spread spread_of(const stats::Component& component) {
  return {std::sqrt(component.variance),
          component.degrees_of_freedom,
          {std::sqrt(component.interval.lo), std::sqrt(component.interval.hi)}};
}

// Log values by group and session; a group is what `key` gives.
template <class Key>
std::vector<std::vector<std::vector<double>>> grouped(const std::vector<Session>& sessions, Key key) {
  std::map<std::string, std::vector<std::vector<double>>> groups;
  for (const Session& session : sessions) groups[key(session)].push_back(session.log_values);
  std::vector<std::vector<std::vector<double>>> values;
  for (auto& [name, group] : groups) values.push_back(std::move(group));
  return values;
}

// The build that was measured on most devices: only within one build do they differ by nothing else.
std::vector<Session> widest_build(const std::vector<Session>& sessions) {
  std::map<std::string, std::set<std::string>> devices;
  for (const Session& session : sessions) devices[session.build].insert(session.device_uuid);
  const auto widest = std::max_element(devices.begin(), devices.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  std::vector<Session> chosen;
  for (const Session& session : sessions)
    if (session.build == widest->first) chosen.push_back(session);
  return chosen;
}

double learned_sd(const std::optional<Spread>& spread, double usual) {
  const double variance = spread ? spread->sd * spread->sd : 0;
  return std::sqrt(stats::moderated_variance(variance, spread ? spread->degrees_of_freedom : 0, usual * usual,
                                             usual_weight));
}

// The parts of the variance of one metric of one case.
struct Spreads {
  Spread process;
  std::optional<Spread> session, of_devices;
  int sessions = 0;  // on the device
  int devices = 0;
};

Spreads spreads_of(const std::vector<Session>& sessions, const std::string& device_uuid) {
  Spreads spreads;
  std::vector<Session> here;
  std::set<std::string> devices;
  for (const Session& session : sessions) {
    devices.insert(session.device_uuid);
    if (session.device_uuid == device_uuid) here.push_back(session);
  }
  spreads.sessions = static_cast<int>(here.size());
  spreads.devices = static_cast<int>(devices.size());
  const auto on_device =
      stats::variance_components(grouped(here, [](const Session& s) { return s.build; }), confidence);
  if (on_device) spreads.process = spread_of(on_device->within);
  if (on_device && on_device->between) spreads.session = spread_of(*on_device->between);
  const auto across = stats::variance_components(
      grouped(widest_build(sessions), [](const Session& s) { return s.device_uuid; }), confidence);
  if (across && across->among) spreads.of_devices = spread_of(*across->among);
  return spreads;
}

class Calibrator {
 public:
  Calibrator(const std::vector<Record>& records, const CalibrationOptions& options) : options_(options) {
    report_.detect = options.detect;
    report_.power = options.power;
    report_.records = records.size();
    for (const Record& record : records) add(record);
  }

  CalibrationReport calibrate() {
    for (Measured& one : measured_) describe(one);
    std::erase_if(measured_, [](const Measured& one) { return one.calibrated.processes == 0; });
    count_alarms();
    for (Measured& one : measured_) {
      propose(one);
      report_.cases.push_back(one.calibrated);
    }
    say_what_is_missing();
    return std::move(report_);
  }

 private:
  void add(const Record& record) {
    if (report_.suite.empty()) report_.suite = record.suite.name;
    for (const CaseRecord& one : record.cases) {
      if (one.outcome != Outcome::measured) continue;
      const auto machine = record.machines.find(one.device);
      if (machine == record.machines.end()) continue;
      for (const Series& series : one.series) add(record, machine->second, one, series);
    }
  }

  void add(const Record& record, const Machine& machine, const CaseRecord& one, const Series& series) {
    const auto key = std::tuple(one.id, series.metric, series.unit);
    const auto [found, is_new] = places_.try_emplace(key, measured_.size());
    if (is_new) start(one, series);
    if (machine.machine_class != class_of_.try_emplace(one.device, machine.machine_class).first->second)
      return;
    uuid_of_.try_emplace(one.device, machine.device_uuid);
    if (report_.machine_class.empty() || is_gpu_kind(one.device)) {
      report_.machine_class = machine.machine_class;
      report_.device_uuid = uuid_of_[one.device];
    }
    measured_[found->second].sessions.push_back(session_of(record, machine, series));
  }

  void start(const CaseRecord& one, const Series& series) {
    Measured& measured = measured_.emplace_back();
    CalibratedCase& calibrated = measured.calibrated;
    const RowGate gate = gate_of(one.gate, series.metric, options_.policy);
    calibrated.case_id = one.id;
    calibrated.device = one.device;
    calibrated.metric = series.metric;
    calibrated.unit = series.unit;
    calibrated.where = one.where;
    calibrated.planned_processes = one.sampling.processes;
    calibrated.planned_placements = one.sampling.placements;
    calibrated.margin = gate.margin;
    calibrated.alpha = gate.alpha;
    measured.decides = !gate.informative;
  }

  void describe(Measured& one) const {
    CalibratedCase& calibrated = one.calibrated;
    const std::string& uuid = uuid_of_.at(calibrated.device);
    std::erase_if(one.sessions, [](const Session& session) { return session.log_values.empty(); });
    if (one.sessions.empty()) return;
    const Spreads spreads = spreads_of(one.sessions, uuid);
    calibrated.sessions = spreads.sessions;
    calibrated.devices = spreads.devices;
    calibrated.process = spreads.process;
    calibrated.session = spreads.session;
    calibrated.of_devices = spreads.of_devices;
    calibrated.session_sd = learned_sd(calibrated.session, Policy{}.session_sd);
    calibrated.device_sd = learned_sd(calibrated.of_devices, Policy{}.device_sd);
    std::erase_if(one.sessions, [&](const Session& session) { return session.device_uuid != uuid; });
    for (const Session& session : one.sessions)
      calibrated.processes += static_cast<int>(session.log_values.size());
  }

  // ---- false alarms: the rule of compare() on random halves of what is known to be the same

  // Two sessions of one build, or the same one twice where there are no two.
  [[nodiscard]] std::pair<std::size_t, std::size_t> two_sessions(const Measured& one,
                                                                 stats::Random& random) const {
    const auto count = static_cast<std::uint32_t>(one.sessions.size());
    const std::size_t first = random.below(count);
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < one.sessions.size(); ++i)
      if (i != first && one.sessions[i].build == one.sessions[first].build) others.push_back(i);
    if (others.empty() || options_.halves) return {first, first};
    return {first, others[random.below(static_cast<std::uint32_t>(others.size()))]};
  }

  // The processes a side that every case can give.
  [[nodiscard]] int side_size() const {
    int size = options_.most_processes;
    for (const Measured& one : measured_) {
      if (!one.decides) continue;
      if (!options_.halves) size = std::min(size, one.calibrated.planned_processes);
      for (const Session& session : one.sessions) {
        bool alone = true;
        if (options_.halves) {
          size = std::min(size, static_cast<int>(session.log_values.size()) / 2);
          continue;
        }
        for (const Session& other : one.sessions) alone &= &other == &session || other.build != session.build;
        const int there = static_cast<int>(session.log_values.size());
        size = std::min(size, alone ? there / 2 : there);
      }
    }
    return size;
  }

  static SideReading reading_of(std::vector<double> values) {
    SideReading reading;
    reading.moments = stats::moments(values);
    reading.with_samples = values.size();
    reading.outlier_rates.assign(values.size(), 0);
    reading.log_values = std::move(values);
    return reading;
  }

  std::pair<SideReading, SideReading> split(const Measured& one, int size, std::uint64_t seed) const {
    stats::Random random(seed);  // the same for all cases, so that those measured together stay together
    const auto [a, b] = two_sessions(one, random);
    std::vector<double> left = one.sessions[a].log_values;
    random.shuffle(std::span(left));
    std::vector<double> right;
    if (a == b) {
      right.assign(left.begin() + size, left.begin() + 2 * static_cast<std::ptrdiff_t>(size));
    } else {
      right = one.sessions[b].log_values;
      random.shuffle(std::span(right));
      right.resize(static_cast<std::size_t>(size));
    }
    left.resize(static_cast<std::size_t>(size));
    return {reading_of(std::move(left)), reading_of(std::move(right))};
  }

  // Which of the cases at `places` a comparison of random halves calls regressed, by the code behind
  // compare(), corrected by Holm over all of them. What else decide() works out is not needed a thousand
  // times.
  [[nodiscard]] std::vector<bool> alarms_of(const std::vector<std::size_t>& places, int size,
                                            std::uint64_t seed) const {
    std::vector<ComparisonRow> rows(places.size());
    std::vector<Evidence> evidence;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Measured& one = measured_[places[i]];
      const auto [left, right] = split(one, size, seed);
      rows[i].margin = one.calibrated.margin;
      rows[i].alpha = one.calibrated.alpha;
      rows[i].verdict = Verdict::inconclusive;
      const double sd = options_.halves ? 0 : one.calibrated.session_sd;
      if (auto look = weigh(rows[i], 1, left, right, {sd * sd}, options_.policy))
        evidence.push_back({i, 2 * sd * sd, size, {std::move(*look)}});
    }
    call_verdicts(rows, evidence, options_.policy);
    std::vector<bool> alarms;
    for (const ComparisonRow& row : rows) alarms.push_back(row.verdict == Verdict::regressed);
    return alarms;
  }

  // Whether some session has another of its build to be compared with.
  [[nodiscard]] bool compares_sessions() const {
    if (options_.halves) return false;
    for (const Measured& one : measured_)
      for (std::size_t i = 0; i < one.sessions.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (one.sessions[i].build == one.sessions[j].build) return true;
    return false;
  }

  [[nodiscard]] std::string procedure() const {
    return std::string(compares_sessions()
                           ? "processes of one session against those of another of the same build"
                           : "halves of the processes of one session") +
           (options_.halves ? "" : ", the spread between sessions counted") +
           "; Welch's t-test on one value a process, each case's margin and alpha, Holm over all that decide";
  }

  void count_alarms() {
    const int size = side_size();
    if (measured_.empty() || size < least_processes(options_.policy)) return;
    report_.split_processes = size;
    report_.splits = options_.splits;
    report_.procedure = procedure();
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < measured_.size(); ++i)
      if (measured_[i].decides && measured_[i].calibrated.margin > 0) places.push_back(i);
    for (std::size_t trial = 0; trial < options_.splits; ++trial) {
      const std::vector<bool> alarms = alarms_of(places, size, options_.seed + trial);
      bool any = false;
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (alarms[i]) ++measured_[places[i]].calibrated.alarms;
        any = any || alarms[i];
      }
      report_.suite_alarms += any ? 1 : 0;
    }
    report_.alarm_bound = stats::clopper_pearson(report_.suite_alarms, report_.splits, confidence).hi;
  }

  // ---- proposals

  // The fewest placements that keep a process's sd within a tenth, and that sd.
  static std::pair<int, double> placements_for(const Measured& one) {
    double squares = 0, freedom = 0, reciprocals = 0, processes = 0;
    for (const Session& session : one.sessions)
      for (const std::vector<double>& placements : session.log_placements) {
        const stats::Moments moments = stats::moments(placements);
        squares += moments.variance * static_cast<double>(moments.count - 1);
        freedom += static_cast<double>(moments.count - 1);
        reciprocals += 1 / static_cast<double>(moments.count);
        processes += 1;
      }
    const int planned = one.calibrated.planned_placements;
    const double now = one.calibrated.process.sd;
    if (!(freedom > 0) || !(now > 0)) return {planned, now};
    const double of_placement = squares / freedom;
    const double between = std::max(0.0, now * now - of_placement * reciprocals / processes);
    for (int placements = fewest_placements; placements < planned; ++placements) {
      const double sd = std::sqrt(between + of_placement / placements);
      if (sd <= tolerable_growth * now) return {placements, std::max(sd, now)};
    }
    return {planned, now};
  }

  void propose(Measured& one) const {
    CalibratedCase& calibrated = one.calibrated;
    if (!one.decides || !(calibrated.margin > 0) || !(calibrated.process.sd > 0)) return;
    std::size_t rows = 0;
    for (const Measured& other : measured_) rows += other.decides ? 1 : 0;
    const stats::DetectableShift shift(calibrated.alpha / static_cast<double>(rows), options_.power);
    const double known = 2 * calibrated.session_sd * calibrated.session_sd;
    const auto error_with = [&](int processes, double sd) {
      return std::sqrt(2 * sd * sd / processes + known);
    };
    const auto freedom_with = [&](int processes, double sd) {
      const double sampled = sd * sd / processes;
      const double error = error_with(processes, sd);
      return error * error * error * error * (processes - 1) / (2 * sampled * sampled);
    };
    const auto detectable_with = [&](int processes, double sd, double margin) {
      return std::expm1(margin + shift.at(freedom_with(processes, sd)) * error_with(processes, sd));
    };
    const double margin = std::log1p(calibrated.margin);
    const int planned = std::max(2, calibrated.planned_processes);
    calibrated.detectable = detectable_with(planned, calibrated.process.sd, margin);
    const double wanted = options_.detect > 0 ? options_.detect : 2 * calibrated.margin;
    const auto [placements, sd] = placements_for(one);
    Proposal proposal{0, placements, calibrated.margin, true};
    const double gap = std::log1p(wanted) - margin;
    const auto needed = stats::processes_needed(gap, sd, sd, known, shift, options_.most_processes);
    proposal.processes = std::max(fewest_processes, needed.value_or(options_.most_processes));
    proposal.reaches = needed.has_value();
    if (!needed) {  // the margin from which on a change of twice its size is found
      const double reach =
          shift.at(freedom_with(proposal.processes, sd)) * error_with(proposal.processes, sd);
      proposal.margin = std::max(calibrated.margin, std::ceil(std::expm1(reach) * 1000) / 1000);
    }
    calibrated.proposal = proposal;
  }

  void say_what_is_missing() {
    if (report_.splits == 0 && !measured_.empty())
      report_.notes.push_back("false alarms were not counted: a side needs " +
                              std::to_string(least_processes(options_.policy)) +
                              " processes; measure more sessions (--runs) or processes");
    const bool sessions = std::any_of(report_.cases.begin(), report_.cases.end(),
                                      [](const CalibratedCase& one) { return one.session.has_value(); });
    if (!report_.cases.empty() && !sessions)
      report_.notes.emplace_back("one session a build says nothing about sessions: 0.1 % is assumed");
  }

  const CalibrationOptions& options_;
  CalibrationReport report_;
  std::vector<Measured> measured_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places_;
  std::map<std::string, std::string> class_of_, uuid_of_;  // by device kind, of the first record
};

}  // namespace

CalibrationReport calibrate(const std::vector<Record>& records, const CalibrationOptions& options) {
  return Calibrator(records, options).calibrate();
}

std::vector<LearnedSpread> learn_spreads(const std::vector<CalibrationSession>& sessions,
                                         const std::string& device_uuid) {
  std::map<std::pair<std::string, std::string>, std::vector<Session>> cases;
  for (const CalibrationSession& one : sessions)
    if (!one.log_values.empty())
      cases[{one.case_id, one.metric}].push_back({one.device_uuid, one.build, one.log_values, {}});
  std::vector<LearnedSpread> learned;
  for (const auto& [name, all] : cases) {
    const Spreads spreads = spreads_of(all, device_uuid);
    if (!spreads.session && !spreads.of_devices) continue;
    learned.push_back({name.first, name.second, learned_sd(spreads.session, Policy{}.session_sd),
                       learned_sd(spreads.of_devices, Policy{}.device_sd), spreads.sessions,
                       spreads.devices});
  }
  return learned;
}

}  // namespace harness
