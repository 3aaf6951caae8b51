// The table of runs: what is told of a record without reading its header. Used inside store/ only.
#pragma once

#include <soci/soci.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"
#include "harness/store/store.h"

namespace harness {

// A row of `runs`, but for its sequence.
struct RunRow {
  std::string id, suite, suite_hash, revision, branch, changes, machine_class, device_uuid, started, finished,
      state, verdict, header, side;
  int dirty = 0;
  int partial = 0;
  int calibration = 0;
};

// The header as it will be read back: an error now is better than a record that cannot be loaded.
Result<RunRow> row_of(const Record& given, RunState state);

enum class RunCounts { none, failures, all };

// The newest first. `counts`: which of RunInfo::results and failures are counted.
std::vector<RunInfo> read_runs(soci::session& sql, const RunQuery& query, RunCounts counts);

// The headers of the same runs, by id.
std::unordered_map<std::string, std::string> read_headers(soci::session& sql, const RunQuery& query);

}  // namespace harness
