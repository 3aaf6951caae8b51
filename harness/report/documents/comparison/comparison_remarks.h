// Comparison remarks: the facts above a comparison's table, and what is said of its rows. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/model/document.h"
#include "harness/model/results/comparison.h"

namespace harness::report {

// Gives a row its name: the case id, and the metric where a case has rows for several.
class RowNames {
 public:
  explicit RowNames(const Comparison& comparison);
  std::string operator()(const ComparisonRow& row) const;

 private:
  bool plain_;
};

NamedTexts comparison_facts(const Comparison& comparison);

// The rows that are proven identical, and the reach of the proof. No groups where there are none.
Reasons identical_results(const Comparison& comparison, const RowNames& name_of);

// Why each row got its verdict. Rows with the same verdict, reason and advice share one finding. Identical
// rows have none, and neither have unchanged ones without advice.
struct Explanations {
  std::vector<Finding> deciding;
  std::vector<Finding> others;  // undecided, skipped, passing and informative results
};
Explanations comparison_explanations(const Comparison& comparison, const RowNames& name_of);

// Whether a row is told in the table of changes. Identical rows are told below it. Informative values that
// did not change are left out.
bool is_shown(const ComparisonRow& row);

// Removes the advice that several findings share: "12 results: ...", one line each.
std::vector<std::string> take_common_advice(std::vector<Finding>& findings);

// The next steps, most urgent first.
std::vector<std::string> next_steps(const Comparison& comparison);

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

}  // namespace harness::report
