// The search of `harness tune`: the values that were tried, and what is pinned.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/tuning/tuned.h"

namespace harness {

// Why a set of values left the search.
enum class ArmEnd {
  open,        // the search ended before it
  leader,      // the best of the last rung
  slower,      // certainly slower than the best of its rung
  lower_half,  // in the lower half of its rung
  failed,      // also where its result was wrong
  skipped,     // unsupported
  unmeasured,  // the budget ended before it
};
template <>
inline constexpr auto enum_names<ArmEnd> = names<ArmEnd>({{ArmEnd::open, "open"},
                                                          {ArmEnd::leader, "leader"},
                                                          {ArmEnd::slower, "slower"},
                                                          {ArmEnd::lower_half, "lower_half"},
                                                          {ArmEnd::failed, "failed"},
                                                          {ArmEnd::skipped, "skipped"},
                                                          {ArmEnd::unmeasured, "unmeasured"}});

// One set of values of a case.
struct TuneArm {
  std::string case_id;  // it was measured as
  sdk::Params values;
  ArmEnd end = ArmEnd::open;
  int processes = 0;            // of the search
  std::optional<double> time;   // centre of the search's processes, in `unit`
  std::optional<Cause> reason;  // why it was not measured

  bool operator==(const TuneArm&) const = default;
};

// replaced: other values than the fixed ones are certainly faster. kept: none is. undecided: the budget
// ended, or the device was disturbed. failed: the fixed values have no right result. skipped: they cannot run
// here.
enum class TuneOutcome { replaced, kept, undecided, failed, skipped };
template <>
inline constexpr auto enum_names<TuneOutcome> = names<TuneOutcome>({{TuneOutcome::replaced, "replaced"},
                                                                    {TuneOutcome::kept, "kept"},
                                                                    {TuneOutcome::undecided, "undecided"},
                                                                    {TuneOutcome::failed, "failed"},
                                                                    {TuneOutcome::skipped, "skipped"}});

// The search at one point of a suite.
struct TunePoint {
  std::string id;  // of the tuned case
  std::string device;
  std::vector<TuneArm> arms;  // the fixed values first
  std::string unit;
  TuneOutcome outcome = TuneOutcome::undecided;
  std::size_t best = 0;              // the arm that was verified
  std::optional<double> ratio = {};  // its time over that of the fixed values, by fresh processes
  std::optional<Interval> interval = {};
  std::optional<double> p = {};  // H0 "not faster", adjusted for all points (Holm)
  int processes = 0;             // fresh ones of each side
  Location where;
};

// One round of the search over all points.
struct TuneRung {
  int processes = 0;     // of each arm, those of earlier rungs included
  std::size_t arms = 0;  // measured in it

  bool operator==(const TuneRung&) const = default;
};

struct TuningReport {
  std::string suite;
  std::vector<std::string> classes;  // of the machine's devices
  std::vector<std::string> files;    // that the values were pinned in, by class
  Seconds budget = 0;
  Seconds took = 0;
  bool ended = false;  // by the budget
  double alpha = 0;    // chance that any fixed values are replaced by equal ones
  std::vector<TuneRung> rungs;
  std::vector<TunePoint> points;
  int exit_code = 0;  // 3: a point is undecided, 4: nothing was measured, 5: values failed
};

}  // namespace harness
