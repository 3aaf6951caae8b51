// BisectReport: the search for the commit that made a case worse, with its evidence. Made by cli/, put into
// words by report/. Plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/results/comparison.h"

namespace harness {

struct BisectCommit {
  std::string hash;
  std::string date;
  std::string author;
  std::string subject;
};

// Why a commit was neither good nor bad.
enum class SkipCode {
  none,
  unmeasurable,   // why: in the words of the program that failed
  inconclusive,   // processes
  undecided_row,  // the step's row says why
  no_case,        // it has none of the cases in question
};

template <>
inline constexpr auto enum_names<SkipCode> = names<SkipCode>({{SkipCode::none, "none"},
                                                              {SkipCode::unmeasurable, "unmeasurable"},
                                                              {SkipCode::inconclusive, "inconclusive"},
                                                              {SkipCode::undecided_row, "undecided_row"},
                                                              {SkipCode::no_case, "no_case"}});

struct BisectStep {
  enum class Result { good, bad, skipped };
  BisectCommit commit;
  Result result = Result::skipped;
  Fact<SkipCode> skip;
  bool stored = false;               // judged by a record that was there already
  std::optional<ComparisonRow> row;  // the worst of the cases in question, against the good commit
};

template <>
inline constexpr auto enum_names<BisectStep::Result> =
    names<BisectStep::Result>({{BisectStep::Result::good, "good"},
                               {BisectStep::Result::bad, "bad"},
                               {BisectStep::Result::skipped, "skipped"}});

struct BisectReport {
  std::string suite;
  std::vector<std::string> cases;  // that are worse at the bad commit
  BisectCommit good;
  BisectCommit bad;
  std::vector<BisectStep> steps;       // in the order tested
  std::vector<BisectCommit> culprits;  // oldest first: one, or those that could not be told apart
  bool stopped = false;                // by a limit, before it was decided
  bool out_of_time = false;            // by the one of time
};

}  // namespace harness
