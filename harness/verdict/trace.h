// Trace: what compare() rested each verdict on, for a reader who wants to follow it (explain.h), and its
// verdicts alone, for those who need them a hundred thousand times (selftest.h).
#pragma once

#include <string>
#include <vector>

#include "harness/verdict/decide/judge.h"

namespace harness {

struct Trace {
  struct Row {
    std::string case_id;
    std::string metric;
    Evidence evidence;  // its `row` is no longer valid: rows were sorted since
  };
  std::vector<Row> rows;   // those that were tested
  std::size_t family = 0;  // rows that Holm corrected together
};

// compare() of compare.h, which also keeps its trace.
Comparison compare(const Record& baseline, const Record& current, const Policy& policy, Trace& trace,
                   unsigned threads = 0);

// The rows of compare() in the order of `current`, with verdict, ratio, interval and p-values, found by the
// same code; without the words, diagnostics and plans that bear on no verdict, without waivers, and unsorted.
// On the caller's thread alone.
std::vector<ComparisonRow> verdicts(const Record& baseline, const Record& current, const Policy& policy);

}  // namespace harness
