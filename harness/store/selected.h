// Selected: one side of a comparison; SelectOptions: the limits within which it is looked for. Plain data.
#pragma once

#include <string>

#include "harness/model/record.h"
#include "harness/model/results/comparison.h"

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

}  // namespace harness
