// Sources: the records behind a report, for the formats that show samples. Nothing is owned.
#pragma once

#include <string>
#include <vector>

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

}  // namespace harness
