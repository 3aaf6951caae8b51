// Comparison headline: the verdict in one sentence, counted over the rows, and what the exit code means.
// Pure.
#pragma once

#include <string>

#include "harness/model/document.h"
#include "harness/model/results/comparison.h"

namespace harness::report {

// "not comparable"
std::string words_for(Verdict verdict);

// For headings: bad, doubtful, good or faint.
Paint paint_for(Verdict verdict);

// "WARNING: perhaps bench was not built again: ...", or "".
std::string perhaps_unbuilt(const Comparison& comparison);

// The verdict in one sentence, counted over the rows that could be judged.
std::string comparison_headline(const Comparison& comparison);

// "gates loosened for 2 results, 1 of which is regressed by the baseline's gate", or "". Part of the
// headline.
std::string gates_loosened(const Comparison& comparison);

// "the change proposes looser gates of 2 results and 1 waiver: not counted", or "". Likewise part of
// the headline.
std::string proposed_by_change(const Comparison& comparison);

// "loosened to 3 processes a side, where 5 are needed" by --min-processes, or "". Likewise part of the
// headline.
std::string processes_loosened(const Comparison& comparison);

// How many rows have each verdict, worst first.
std::string comparison_tally(const Comparison& comparison);

// Whether all rows are of the same metric. Then each case has one row.
bool has_one_metric(const Comparison& comparison);

// Whether there is nothing to compare with yet, and nothing wrong with that.
bool is_first(const Comparison& comparison);

// The meaning of this comparison's exit code, allowances included.
std::string exit_code_meaning(const Comparison& comparison);

}  // namespace harness::report
