// Looks: what a process found out about cases without measuring them.
#pragma once

#include <map>
#include <string>

#include "harness/base/units.h"
#include "harness/model/codec.h"
#include "harness/model/record.h"

namespace harness {

// Looks by case, without those that failed: their cases are measured.
struct Looks {
  std::map<std::string, EncodedResult> results = {};
  bool interrupted = false;
  Seconds took = 0;
};

// Keeps a result only if it tried to read launches.
void keep_look(Looks& looks, EncodedResult result);

// `record` with the looks among its results.
Record with_looks(Record record, const Looks& looks);

}  // namespace harness
