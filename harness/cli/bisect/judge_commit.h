// A commit of a bisection judged against the good commit, by the records of both.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "harness/model/results/bisection_log.h"

namespace harness {

// The cases that a bisection is about.
struct CasesInQuestion {
  std::string pattern;        // wildcards over case ids; "": all
  std::string metric;         // "": all that decide
  std::set<std::string> ids;  // the cases that are worse at the bad commit; empty: all of the pattern

  [[nodiscard]] bool contain(const ComparisonRow& row) const;
};

struct JudgedCommit {
  BisectStep::Result result = BisectStep::Result::skipped;
  Fact<SkipCode> skip;
  bool stored = false;
  std::optional<ComparisonRow> row;
  std::set<std::string> worse;  // cases that regressed
};

// Bad when a case regressed; good when every case was decided and none regressed; else skipped.
JudgedCommit judge_commit(const Record& good, const Record& record, const Policy& policy,
                          const CasesInQuestion& cases);

}  // namespace harness
