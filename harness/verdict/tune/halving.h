// Successive halving (Jamieson & Talwalkar 2016) over a record's cases, and the verification of its best.
// Pure.
#pragma once

#include <vector>

#include "harness/model/record.h"
#include "harness/model/results/policy.h"
#include "harness/model/tuning/tuning.h"

namespace harness {

// Ends a rung: sets time, processes and end of the arms that were open. An arm leaves when the gate calls it
// slower than the best of its point, or when its time ranks in the lower half. `alpha` is the chance that the
// gate calls any arm of any point slower by mistake. The last arm of a point is its leader. Arms without a
// right result leave, too.
void end_rung(std::vector<TunePoint>& points, const Record& record, double alpha);

// Ends the search early, within a rung: the fastest of a point's open arms is its leader, the others stay
// open.
void end_search(std::vector<TunePoint>& points, const Record& record);

// Whether any point has several open arms.
bool is_searching(const std::vector<TunePoint>& points);

// Judges each leader against the fixed values, by the processes after `searched` alone. It replaces them when
// the gate calls it faster, with the chance `alpha` of a false call over all points.
void verify(std::vector<TunePoint>& points, const Record& record, int searched, double alpha);

}  // namespace harness
