// Session spreads: the parts of the variance of log values, between processes, sessions and devices. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/study/measured_case.h"

namespace harness {

// The parts of the variance of one metric of one case.
struct Spreads {
  Spread process;
  std::optional<Spread> session, of_devices;
  int sessions = 0;  // on the device
  int devices = 0;
};
Spreads spreads_of(const std::vector<SessionValues>& sessions, const std::string& device_uuid);

// The estimate, shrunk towards `usual` as if that had been seen with 4 degrees of freedom.
double learned_sd(const std::optional<Spread>& spread, double usual);

// One metric of one case in one session, by its process values alone.
struct CalibrationSession {
  std::string case_id;
  std::string metric;
  std::string device_uuid;
  std::string build;  // commit and changes; only sessions of one build are compared
  std::vector<double> log_values;
};

// The spreads that compare() takes from calibrations of one machine class: between sessions from those on
// `device_uuid`, between devices from all. A case and metric of which neither is known is left out.
std::vector<LearnedSpread> learn_spreads(const std::vector<CalibrationSession>& sessions,
                                         const std::string& device_uuid);

inline constexpr std::size_t fewest_runs_of_history = 8;

// How much results of one metric of one case vary between runs on one device, without a calibration.
// `log_values`: of each run by process, in the order of time; steps between commits are not noise
// (stats/series/local_noise.h). `digests`: of each run's launches, "" where unknown. Where enough runs have
// one, only runs of the same digest are compared, because a case that changes with every other commit steps
// too often. std::nullopt with fewer runs.
std::optional<LearnedSpread> learn_from_history(const std::string& case_id, const std::string& metric,
                                                const std::vector<std::vector<double>>& log_values,
                                                const std::vector<std::string>& digests = {});

// Degrees of freedom of the session_sd that so many runs teach, with those that the usual sd stands for.
double freedom_of_history(int runs);

}  // namespace harness
