// Evidence: the tests of one row at its looks, before the rows are judged together. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/schema/rare.h"
#include "harness/verdict/decide/looks.h"
#include "harness/verdict/decide/spreads.h"
#include "harness/verdict/place/places_evidence.h"

namespace harness {

// The evidence for the row at `row`.
struct Evidence {
  std::size_t row = 0;
  std::string kind = {};            // of its spread (spreads.h)
  int baseline_processes = 0;       // all, not only those of a look
  std::vector<LookEvidence> looks;  // looks that were reached and can be tested, in order
  // The confirming processes, alone and together with all others (confirm.h).
  Rare<LookEvidence> fresh = {};
  Rare<LookEvidence> pooled = {};
  // The processes that measured the row at all places of its code.
  Rare<PlacesEvidence> places = {};
  // Set by call_verdicts(): the shown one of `looks`, and the p of all looks up to it. p is corrected for the
  // number of declared looks, and 1 while none counts.
  std::size_t shown = 0;
  double p_worse = 1;
  double p_better = 1;
  double p_passes = 1;
  double p_slow = 1;  // of the gate on slow calls
  // The usual variance by the case's own history; it replaces that of the other cases.
  std::optional<stats::VariancePrior> history = {};
  // Its place among the rows that are corrected together, from 1, by p ascending; 0: not corrected.
  std::size_t rank_worse = 0;
  std::size_t rank_better = 0;
};

// 1 where more of the row's metric is worse, -1 where less is.
int sign_of(const ComparisonRow& row);

// The row's margin on the scale of its effects: of logarithms, or the metric's unit.
double effect_margin(const ComparisonRow& row);

// An effect on that scale as a share of the baseline's value, for words.
double share_of(const ComparisonRow& row, double effect);

// The margin of a gate on that scale: a share of the row's value is a margin in its unit, and the other way
// round.
double effect_margin_of(const ComparisonRow& row, const LoosenedGate& gate);
// The same as a share of the baseline's value.
double share_of_margin(const ComparisonRow& row, const LoosenedGate& gate);

// Sets the row's ratio, and its change in the metric's unit where that has the margin. The effect and its
// bounds are positive where worse.
void show_effect(ComparisonRow& row, double effect, const std::optional<stats::Bounds>& bounds);

// The same as an estimate, with the row's baseline.
Estimate estimate_of(const ComparisonRow& row, const LookEvidence& look);

// Processes a side, or in common where the sides shared them.
int processes_of(const LookEvidence& look);

// The least number of processes of each side for a verdict.
int least_processes(const Policy& policy);

// The reason for regressed, improved or unchanged.
ReasonCode reason_of(Verdict verdict);

// How the two sides were measured.
struct Design {
  double session_variance = 0;  // a side
  double device_variance = 0;   // a side, where another device is allowed
  bool by_session = false;      // the sessions of a side are its replicates, and not its processes
  // Log ratios of the processes that measured both sides, or of pairs of processes in turn (pairs.h).
  std::optional<std::vector<double>> ratios = {};
  bool in_turn = false;                   // the sides were measured together, so under the same load
  bool cpu_time = false;                  // the metric is CPU time itself
  std::optional<double> cpu_change = {};  // else of the CPU time of the case (cpu_change.h)
};

// Whether the shown look calls the row regressed by this gate, before any correction.
bool is_worse(const ComparisonRow& row, const Evidence& evidence, const LoosenedGate& gate);

// The evidence of the look `number`, before it is tested. The row's direction and margin are set.
// std::nullopt with fewer than two processes a side, or in common.
std::optional<LookEvidence> weigh(const ComparisonRow& row, int number, const SideReading& baseline,
                                  const SideReading& current, const Design& design, const Policy& policy);

// The level of a case on which its usual spread depends.
double level_of(const LookEvidence& look);

// Tests each look of the rows, whose margins and declared looks are set. A row's variance is shrunk towards
// the usual one of its kind, unless it is improbably large under it.
void test_looks(const std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence,
                const UsualSpreads& usual);

}  // namespace harness
