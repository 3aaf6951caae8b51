#include "harness/study/proposals.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/stats/estimate/estimator.h"
#include "harness/stats/hypothesis/power.h"

namespace harness {
namespace {

constexpr int fewest_placements = 2;
constexpr int fewest_processes = 5;
constexpr double passing_power = 0.9;
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
  double usual_freedom = 0;

  [[nodiscard]] double error_with(int processes, double sd) const {
    return std::sqrt(2 * sd * sd / processes + known);
  }
  [[nodiscard]] double freedom_with(int processes, double sd) const {
    const double sampled = sd * sd / processes;
    const double error = error_with(processes, sd);
    const double freedom = 2.0 * (processes - 1) + usual_freedom;
    return error * error * error * error * freedom / (4 * sampled * sampled);
  }
  // The fewest processes, at most `most`, that see `gap`.
  [[nodiscard]] std::optional<int> fewest(double gap, const stats::DetectableShift& shift, int most,
                                          double sd) const {
    return stats::fewest_processes(gap, shift, most, [&](int processes) {
      return stats::TTest{0, error_with(processes, sd), freedom_with(processes, sd)};
    });
  }
  // Log change beyond the margin that is found.
  [[nodiscard]] double reach(const stats::DetectableShift& shift, int processes, double sd) const {
    return shift.at(freedom_with(processes, sd)) * error_with(processes, sd);
  }
};

}  // namespace

void propose(MeasuredCase& one, std::size_t rows, double usual_freedom, const CalibrationOptions& options) {
  CalibratedCase& calibrated = one.calibrated;
  if (!one.decides || !(calibrated.margin > 0) || !(calibrated.process.sd > 0)) return;
  const stats::DetectableShift shift(calibrated.alpha / static_cast<double>(rows), options.power);
  const stats::DetectableShift passing(passing_alpha, std::max(options.power, passing_power));
  const Precision precision{2 * calibrated.session_sd * calibrated.session_sd, usual_freedom};
  const double margin = std::log1p(calibrated.margin);
  const int planned = std::max(2, calibrated.planned_processes);
  calibrated.detectable = std::expm1(margin + precision.reach(shift, planned, calibrated.process.sd));
  const double wanted = options.detect > 0 ? options.detect : 2 * calibrated.margin;
  const auto [placements, sd] = placements_for(one);
  Proposal proposal{0, placements, calibrated.margin, true};
  const double gap = std::log1p(wanted) - margin;
  const auto finds = precision.fewest(gap, shift, options.most_processes, sd);
  const auto passes = precision.fewest(margin, passing, options.most_processes, sd);
  proposal.reaches = finds && passes;
  proposal.processes =
      proposal.reaches ? std::max({fewest_processes, *finds, *passes}) : options.most_processes;
  if (!proposal.reaches) {  // smallest margin at which twice its size is found and no change passes
    const double reach = std::max(precision.reach(shift, proposal.processes, sd),
                                  precision.reach(passing, proposal.processes, sd));
    proposal.margin = std::max(calibrated.margin, std::ceil(std::expm1(reach) * 1000) / 1000);
    if (!(proposal.margin < 1)) return;  // a suite's margin lies below 100 %
  }
  calibrated.proposal = proposal;
}

}  // namespace harness
