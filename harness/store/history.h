// History: one value a process of every result that a store holds of a suite, without raw samples. Plain
// data; read by Store::history(), and the values alone by Store::values_of().
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/model/record.h"
#include "harness/store/store.h"

namespace harness {

// A stored run and what it was measured on, by device kind.
struct StoredRun {
  RunInfo info;
  std::map<std::string, Machine> machines;
  std::string estimator;  // that its record names
};

// A metric of a case, as one run planned and measured it.
struct StoredSeries {
  std::string case_id;
  std::string device;  // kind
  std::string metric;
  std::string unit;
  Direction direction = Direction::lower_is_better;
  std::string estimator;                // of the values
  std::size_t run = 0;                  // into StoredHistory::runs
  std::vector<double> log_values = {};  // by process; of those whose samples have a logarithm
  std::size_t unusable = 0;             // processes whose samples have none
};

struct StoredHistory {
  std::vector<StoredRun> runs;       // newest first, as Store::list() has them
  std::vector<StoredSeries> series;  // run by run; within one, as in the suite
};

// A metric of a case in one run, with what its calls do. Read by Store::values_of().
struct CaseValues {
  std::string case_id;
  std::string metric;
  std::string digest;              // as StoredCase has it
  std::vector<double> log_values;  // by process; of those whose samples have a logarithm
};

}  // namespace harness
