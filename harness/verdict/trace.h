// Trace: the evidence of each verdict, for explain.h.
#pragma once

#include <string>
#include <vector>

#include "harness/verdict/decide/evidence.h"

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

}  // namespace harness
