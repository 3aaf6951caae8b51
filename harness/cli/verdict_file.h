// A comparison as `--report json=FILE` wrote it, read back as far as is needed to make it again: which two
// records, and by which policy.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/model/results/comparison.h"

namespace harness {

struct VerdictFile {
  RecordSource baseline;  // id and description
  RecordSource current;
  Policy policy;  // with its waivers
};

Result<VerdictFile> read_verdict_file(const std::string& path);

}  // namespace harness
