// Selected: one side of a comparison; SelectOptions: the limits within which it is looked for. Plain data.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "harness/model/record.h"
#include "harness/model/results/comparison.h"
#include "harness/store/adapters/import_formats.h"

namespace harness {

struct Selected {
  Record record;
  RecordSource source;
};

// The verdicts of the cases of `current` when it is judged by `baseline`: how the caller judges a record that
// was never judged, before it may serve as a baseline itself. No sample of a case is in either where it is
// not asked for.
using Passes = std::function<std::vector<CaseVerdict>(const Record& baseline, const Record& current)>;

struct SelectOptions {
  std::string folder;         // of the repository
  std::string suite;          // suite name; "" when the store holds only one for the revision
  std::string machine_class;  // of the current record, for the baseline
  std::string device_uuid;    // preferred among several records of one commit
  Passes passes = {};         // without it no record that was never judged follows one that may serve
  std::vector<std::string> among = {};  // for the baseline: only records with these ids; empty: all
  ImportOptions imports = {};           // of a side that is files of another tool
  std::function<void(const std::string& remark)> tell = {};  // gets what is to say of such files
};

}  // namespace harness
