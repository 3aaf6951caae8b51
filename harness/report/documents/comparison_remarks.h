// Comparison remarks: the sentences around a comparison's table. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/model/document.h"
#include "harness/model/results/comparison.h"

namespace harness::report {

// "not comparable"
std::string words_for(Verdict verdict);

// For headings: bad, doubtful, good or faint.
Paint paint_for(Verdict verdict);

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

NamedTexts comparison_facts(const Comparison& comparison);

// The rows that are proven identical, and the reach of the proof. No groups where there are none.
Reasons identical_results(const Comparison& comparison);

// Why each row got its verdict. Rows with the same verdict, reason and advice share one finding. Identical
// rows have none, and neither have unchanged ones without advice.
std::vector<Finding> comparison_explanations(const Comparison& comparison);

// Whether there is nothing to compare with yet, and nothing wrong with that.
bool is_first(const Comparison& comparison);

// Removes the advice that several findings share: "12 results: ...", one line each.
std::vector<std::string> take_common_advice(std::vector<Finding>& findings);

// The next steps, most urgent first.
std::vector<std::string> next_steps(const Comparison& comparison);

// The meaning of this comparison's exit code, allowances included.
std::string exit_code_meaning(const Comparison& comparison);

// " (look 2)" where several looks were declared and one was taken; "" otherwise.
std::string look_words(const ComparisonRow& row);

// The level of an interval whose ends lie beyond with the one-sided probability alpha: "98 %", "99.333 %".
std::string level_text(double alpha);

// Whether both sides were measured.
bool has_numbers(const ComparisonRow& row);

// Whether both sides were measured and there is no ratio between them: from or to 0.
bool has_values_alone(const ComparisonRow& row);

// "0 -> 0.13", of both centers in the row's unit.
std::string values_text(const ComparisonRow& row);

// A row's name: the case id, and the metric where the case has rows for several.
std::vector<std::string> row_names(const Comparison& comparison);

}  // namespace harness::report
