#include "harness/study/proposals.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/stats/estimate/estimator.h"
#include "harness/stats/hypothesis/power.h"

namespace harness {
namespace {

constexpr int fewest_placements = 2;
constexpr int fewest_processes = 5;
constexpr double tolerable_growth = 1.1;  // of a process's sd for fewer placements

// The fewest placements that keep a process's sd within a tenth, and that sd.
std::pair<int, double> placements_for(const MeasuredCase& one) {
  double squares = 0, freedom = 0, reciprocals = 0, processes = 0;
  for (const SessionValues& session : one.sessions)
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

// The precision of a comparison of two sides with equally many processes.
struct Precision {
  double known = 0;  // variance of both sides together that processes do not average away

  [[nodiscard]] double error_with(int processes, double sd) const {
    return std::sqrt(2 * sd * sd / processes + known);
  }
  [[nodiscard]] double freedom_with(int processes, double sd) const {
    const double sampled = sd * sd / processes;
    const double error = error_with(processes, sd);
    return error * error * error * error * (processes - 1) / (2 * sampled * sampled);
  }
  // Log change beyond the margin that is found.
  [[nodiscard]] double reach(const stats::DetectableShift& shift, int processes, double sd) const {
    return shift.at(freedom_with(processes, sd)) * error_with(processes, sd);
  }
};

}  // namespace

void propose(MeasuredCase& one, std::size_t rows, const CalibrationOptions& options) {
  CalibratedCase& calibrated = one.calibrated;
  if (!one.decides || !(calibrated.margin > 0) || !(calibrated.process.sd > 0)) return;
  const stats::DetectableShift shift(calibrated.alpha / static_cast<double>(rows), options.power);
  const Precision precision{2 * calibrated.session_sd * calibrated.session_sd};
  const double margin = std::log1p(calibrated.margin);
  const int planned = std::max(2, calibrated.planned_processes);
  calibrated.detectable = std::expm1(margin + precision.reach(shift, planned, calibrated.process.sd));
  const double wanted = options.detect > 0 ? options.detect : 2 * calibrated.margin;
  const auto [placements, sd] = placements_for(one);
  Proposal proposal{0, placements, calibrated.margin, true};
  const double gap = std::log1p(wanted) - margin;
  const auto needed = stats::processes_needed(gap, sd, sd, precision.known, shift, options.most_processes);
  proposal.processes = std::max(fewest_processes, needed.value_or(options.most_processes));
  proposal.reaches = needed.has_value();
  if (!needed) {  // the margin from which on a change of twice its size is found
    const double reach = precision.reach(shift, proposal.processes, sd);
    proposal.margin = std::max(calibrated.margin, std::ceil(std::expm1(reach) * 1000) / 1000);
    if (!(proposal.margin < 1)) return;  // a suite's margin lies below 100 %
  }
  calibrated.proposal = proposal;
}

}  // namespace harness
