// Over places: is a change one of the code, or only of the place where it lies? Pure.
//
// Other lines before a hot loop move it, and a GPU's time can change with the place of the same instructions:
// on one H200 by up to 2.8 % among the kernels of one tree (measured/alignment-h200.md). So both builds are
// measured with all their functions moved by 1 to 8 instructions, which are all places known there, in P
// processes at each.
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
// All that is true of copies. The last one lies 8 instructions further on, which is the place where the code
// lies as compiled. There the copies have to show the change of the builds themselves:
//
//   a = mean log ratio of the m processes without copies, s_m^2 its variance between them
//   h = d_n of the last n
//   u = a - h, the part of the change that copies do not show;  V(u) = s_m^2 / m + s_e^2 / P
//   r = a - h + d, the change less what its place makes of it;  V(r) = s_m^2 / m + (1 - 1/N) s_e^2 / P
//
// Degrees of freedom are Satterthwaite's. The copies count only if u lies within the margin both ways, as a
// row that is unchanged does, each at alpha_to_pass(). And r has to pass, too, so that parts of d and of u
// below the margin do not add up to more. Measured kernels above 100 us agree within 0.25 %, large loops do
// not (measured/alignment-h200.md): these stay red. Noise lets nothing pass. Where
// copies do not count, a regressed row stays so. So does an improved one if u is not 0, at alpha_to_pass();
// else noise leaves it open. The reason of a row that stays has both changes: as_compiled, at_same_place.
//
// Example: +1.3 % as compiled, at a margin of 0.5 %. The d_n lie between -1.2 and +1.4 % with a mean of
// +0.04 %, and s_e is 0.1 %. So the upper bound of d is +0.09 %. The last d_n is +1.25 %, so that u is
// +0.05 % and below +0.2 %, and the row has `moved`. With a d of +1.0 % it stays regressed. So it does where
// neither is shown, and where the last d_n is +0.1 %: then something else than the place slows the build. An
// improved row whose mean is worse is regressed, too: the next change of any line may move its code away from
// the lucky place. So is one that passes or is undecided, where d and r are worse by more than the margin
// at alpha. That is shared out over all such rows, and the others stay as they were. Rows that are worse as
// compiled are another family, with an alpha of its own (Holm).
#pragma once

#include <optional>
#include <vector>

#include "harness/model/code/shifted_process.h"
#include "harness/stats/hypothesis/t_test.h"
#include "harness/verdict/decide/evidence.h"

namespace harness {

// The shift whose copies lie where the code lies as compiled: they move by one place more, for the branch.
inline constexpr int shift_to_same_place = code_places - 1;

// The processes that are measured at each place.
inline constexpr int processes_at_place = 2;

// Whether the row may be one of the place alone: its time decides by itself, is called worse or better, and
// changed by less than most_by_place.
bool can_be_of_place(const ComparisonRow& row);

// Whether its place may hide a change of the row: its time decides by itself, and passes or is undecided.
bool can_be_hidden_by_place(const ComparisonRow& row);

// Both sides at one place.
struct PlaceReading {
  std::vector<double> ratios;  // logs of current over baseline, a process each
  double baseline = 0;         // mean of logs
  stats::Moments current;      // of logs, a process each
};

struct PlacesEffect {
  stats::TTest test;  // of d
  double sd = 0;      // s_a
  double within = 0;  // s_e^2
};

// std::nullopt unless there are all places, with the same number of two processes or more at each, and all
// values are finite.
std::optional<PlacesEffect> effect_over_places(const std::vector<PlaceReading>& places);

// The shift of the current side's best place, or shift_to_same_place unless another one is shown to be
// better, by a t-test with the variance of all places. The best of seven others is looked at, so its p counts
// seven times (Bonferroni). `sign`: 1 where less is better.
int best_place(const std::vector<PlaceReading>& places, int sign, double alpha);

// Weighs the shifted processes of both sides beside the log ratios `as_compiled` of the others. Nothing,
// unless all of them are there and no check forbids a verdict.
std::optional<PlacesEvidence> weigh_places(const ComparisonRow& row, const Series& baseline,
                                           const Series& current, const std::vector<double>& as_compiled,
                                           const LookEvidence& look);

// Tells the rows what the places say. A regressed row has moved if the copies show its change, and d and r
// are not worse by the margin (at alpha_to_pass()). An improved one stays so if d is better by more than the
// margin, or the copies show another change. Else it is judged by d and r: moved, regressed where both are
// worse by more than the margin, or open. A row that passes or is undecided becomes regressed as an improved
// one does, with the stricter level for d and r.
void settle_places(std::vector<ComparisonRow>& rows, const std::vector<Evidence>& evidence);

}  // namespace harness
