// One baseline record from the cases that may judge a run. Records with the same digest of a case are
// replicates: their processes are pooled, each record as a session.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/store/baseline/eligible.h"

namespace harness {

struct PooledBaseline {
  Record record;
  std::size_t nearest = 0;           // candidate that the record's header is of
  std::vector<std::string> records;  // ids of all that samples come from, nearest first
  std::size_t least = 0, most = 0;   // processes of a case
};

// Nothing when no case has samples. Fails as reading fails: see CandidateCases::status().
std::optional<PooledBaseline> pool_cases(CandidateCases& cases, const EligibleCases& eligible,
                                         const std::map<std::string, Eligible>& found);

}  // namespace harness
