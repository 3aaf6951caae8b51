// The notes of a summary, and the notes of a whole run with the cases that each was made on.
#pragma once

#include <string>
#include <vector>

#include "harness/model/results/summary.h"
#include "harness/report/documents/identity.h"

namespace harness::report {

// Notes of the processes first, then the diagnostics.
std::vector<std::string> note_words(const Summary& summary);

// Diagnostics that differ by their numbers only are one group: it tells the range of each number, and the
// numbers of each case.
std::vector<ReasonGroup> grouped_notes(const std::vector<Summary>& summaries);

}  // namespace harness::report
