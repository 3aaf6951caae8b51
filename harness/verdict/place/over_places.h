// Over places: is a change one of the code, or only of the place where it lies? Pure.
//
// Other lines before a hot loop move it, and a GPU's time can change with the place of the same instructions:
// by up to 2.8 % on an H200 (measured/alignment-h200.md). So both builds are measured with all their
// functions moved by 0 to 7 instructions, which are all places that there are, in `processes` processes at
// each.
//
//   d_np = log of current over baseline, at place n by process p;  d_n = mean over p;  d = mean over n
//   V    = (1 - f) s_a^2 / N + s_e^2 / (N P)
//
// This is two-stage sampling (Cochran, Sampling Techniques, 1977, equation 10.15).
// s_a^2 is the variance of the d_n, s_e^2 that of the d_np around their d_n, with N (P - 1) degrees of
// freedom. f is the share of the places that were measured. All N = 8 are, so f = 1, and the spread over
// places takes nothing from the certainty of d: it moves single places, and not their mean. With fewer
// places nothing is concluded.
//
// Example: +1.3 % as compiled, at a margin of 0.5 %. The d_n lie between -1.2 and +1.4 % with a mean of
// +0.04 %, and s_e is 0.1 %. So the upper bound of d is +0.09 %, and the row has `moved`. With a d of +1.0 %
// it stays regressed. So it does where neither is shown. An improved row whose mean is worse is regressed,
// too: the next change of any line may move its code away from the lucky place.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/code/shifted_process.h"
#include "harness/stats/hypothesis/t_test.h"
#include "harness/verdict/decide/evidence.h"

namespace harness {

// The processes that are measured at each place.
inline constexpr int processes_at_place = 2;

// Whether the row may be one of the place alone: its time decides by itself, is called worse or better, and
// changed by less than most_by_place.
bool can_be_of_place(const ComparisonRow& row);

// Both sides at one place.
struct PlaceReading {
  std::vector<double> ratios;  // logs of current over baseline, a process each
  double baseline = 0;         // means of logs
  double current = 0;
};

struct PlacesEffect {
  stats::TTest test;  // of d
  double sd = 0;      // s_a
};

// std::nullopt unless there are all places, with the same number of two processes or more at each, and all
// values are finite.
std::optional<PlacesEffect> effect_over_places(const std::vector<PlaceReading>& places);

// Reads the shifted processes of both sides into `evidence`. Nothing, unless all of them are there and no
// check forbids a verdict.
std::optional<PlacesEvidence> weigh_places(const ComparisonRow& row, const Series& baseline,
                                           const Series& current, const LookEvidence& look);

// Tells the rows what the places say. A regressed row whose mean over the places is not worse by the margin
// (at alpha_to_pass()) has moved. An improved one stays so if that mean is better by more than the margin.
// Else it is judged by the mean alone: moved, regressed where it is worse by more than the margin, or open.
void settle_places(std::vector<ComparisonRow>& rows, const std::vector<Evidence>& evidence);

}  // namespace harness
