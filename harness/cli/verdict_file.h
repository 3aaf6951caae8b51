// Comparisons as `--report json=FILE` wrote them, read back as far as needed to repeat them: both records and
// the policy.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/results/comparison.h"

namespace harness {

struct VerdictFile {
  RecordSource baseline;  // id and description
  RecordSource current;
  Policy policy;  // with its waivers
};

// Reads one comparison a suite.
Result<std::vector<VerdictFile>> read_verdict_files(const std::string& path);

}  // namespace harness
