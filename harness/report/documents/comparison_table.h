// Comparison table: what a comparison says, whatever the medium: the verdict in one sentence, the rows
// by verdict, why, and what to do. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/report/documents/standing.h"
#include "harness/report/grid.h"
#include "harness/report/report.h"

namespace harness::report {

// Why a row, or several rows alike, got their verdict.
struct Explanation {
  Verdict verdict = Verdict::missing;
  std::vector<std::string> cases;  // ids, with the metric where a case has several rows
  std::string where;               // "suites/fusion.yaml:12", for a single case
  std::string standing;            // see standing_words()
  std::string reason;
  std::vector<std::string> advice;
  std::vector<std::string> kernels;  // that differ, a line each
};

struct ComparisonReport {
  std::string headline;  // "REGRESSED: 2 of 18 cases are slower by more than their margin"
  std::string tally;     // "2 regressed, 1 inconclusive, 15 unchanged"
  std::vector<std::pair<std::string, std::string>> facts;
  Grid grid;                              // rows that have numbers: a section a verdict, those that
                                          // decide nothing last
  std::vector<std::string> legend;        // what the columns mean
  std::vector<Explanation> explanations;  // of every row but the unchanged ones without advice
  std::vector<WaiverNote> waivers;
  std::vector<std::string> remarks;  // on the policy
  std::vector<std::string> differences;
  std::vector<std::string> next;  // what to do
  std::string exit_meaning;       // "exit code 1: at least one case regressed"
};

ComparisonReport describe_comparison(const Comparison& comparison);

// "not comparable"
std::string words_for(Verdict verdict);

// For headings: bad, doubtful, good or faint.
Paint paint_for(Verdict verdict);

}  // namespace harness::report
