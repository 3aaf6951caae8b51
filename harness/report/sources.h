// Sources: the records behind a report, for the formats that show samples. Nothing is owned.
#pragma once

#include <string>
#include <vector>

#include "harness/model/results/comparison.h"
#include "harness/model/results/summary.h"

namespace harness {

// A side of a report as measured.
struct SideSource {
  const Record* record = nullptr;
  const std::vector<Summary>* summaries = nullptr;  // of that record
};

struct Sources {
  SideSource baseline;
  SideSource current;
  std::string command;  // makes this report again, or ""
  // The options that measure a case again, beside suite and filter, quoted for a shell: " --device cuda".
  std::string again = {};
  std::string unfolds = "--verbose";  // the command or option that shows the report in full
};

namespace report {

// The record of a side as an option names it, quoted for a shell: its file, where it is in no store, else its
// id.
std::string name_of_side(const RecordSource& source);

}  // namespace report

}  // namespace harness
