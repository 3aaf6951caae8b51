// Selecting the two sides of a comparison: by revision through the store, by pinned baseline file,
// or by path.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/model/comparison.h"
#include "harness/store/store.h"

namespace harness {

struct Selected {
  Record record;
  RecordSource source;
};

struct SelectOptions {
  std::string folder;         // of the repository
  std::string suite;          // suite name; "" when the store holds only one for the revision
  std::string machine_class;  // of the current record, for the baseline
  std::string device_uuid;    // preferred among several records of one commit
};

// The record with this UUID, described as "this run".
Result<Selected> select_stored(Store& store, const std::string& id);

// The current side: a path to a record file, or a revision whose newest complete record is taken
// (for HEAD of a dirty tree, a record of the dirty tree).
Result<Selected> select_current(Store& store, const std::string& name, const SelectOptions& options);

// The baseline: a path to a record file; else the merge base of `name` and the current commit or its
// nearest measured ancestor (distance in source.distance); else baselines/<class>/<suite>.json as it
// is at that revision; else ErrorKind::missing with advice.
Result<Selected> select_baseline(Store& store, const std::string& name, const Selected& current,
                                 const SelectOptions& options);

}  // namespace harness
