// Calibration: how much results of one build vary on a machine, how often the rule would have raised a false
// alarm, and which settings fit. Made by study/calibrate.h. Plain data.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/plan.h"
#include "harness/model/results/comparison.h"

namespace harness {

// An sd of log values, and how well it is known.
struct Spread {
  double sd = 0;
  double degrees_of_freedom = 0;
  Interval interval;  // at 95 %
};

struct Proposal {
  int processes = 0;
  int placements = 0;
  double margin = 0;
  bool reaches = true;  // the wanted change is found; else the margin is the least that allows it
};

struct CalibratedCase {
  std::string case_id;
  std::string device;  // kind
  std::string metric;
  std::string unit;
  Location where;
  int processes = 0;  // seen
  int sessions = 0;
  int devices = 0;
  Spread process;
  std::optional<Spread> session;  // with two sessions or more of one build
  std::optional<Spread> of_devices;
  double session_sd = 0;  // what compare() uses: the estimate, drawn towards what is usual
  double device_sd = 0;
  int planned_processes = 0;
  int planned_placements = 0;
  double margin = 0;
  double alpha = 0;
  double detectable = 0;             // true change found with 80 % power as planned
  std::size_t alarms = 0;            // of CalibrationReport::splits
  std::optional<Proposal> proposal;  // absent where nothing is proposed, or no margin below 100 % would do
};

enum class CalibrationNoteCode {
  not_counted,  // needed: processes a side, for counting false alarms
  one_session,  // sd: assumed between sessions
};

template <>
inline constexpr auto enum_names<CalibrationNoteCode> = names<CalibrationNoteCode>(
    {{CalibrationNoteCode::not_counted, "not_counted"}, {CalibrationNoteCode::one_session, "one_session"}});

using CalibrationNote = Fact<CalibrationNoteCode>;

struct CalibrationReport {
  std::string suite;
  std::string machine_class;
  std::string device_uuid;
  std::size_t records = 0;
  double detect = 0;  // the change to be found, or 0: twice each margin
  double power = 0.8;
  int split_processes = 0;        // a side; 0: there were too few to split
  bool between_sessions = false;  // splits compared sessions of one build; else halves of one session
  bool halves_alone = false;      // ... and counted no variance between sessions
  std::size_t splits = 0;         // random ones, each judged by the rule
  std::size_t suite_alarms = 0;   // of them: with any case called regressed
  double alarm_bound = 1;         // Clopper-Pearson, 95 %, of the suite's rate
  std::vector<CalibratedCase> cases;
  std::vector<CalibrationNote> notes;
};

}  // namespace harness
