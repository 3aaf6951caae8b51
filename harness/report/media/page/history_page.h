// The data of the interactive page of a history, packed (packed.h). page/src/history_data.ts describes it.
#pragma once

#include <cstddef>
#include <string>

#include "harness/model/results/case_trend.h"

namespace harness::report {

// Within `room` bytes: series that got worse come first, then those that changed, and the last are left out.
std::string history_page(const HistoryReport& history, const CaseVerdicts& verdicts,
                         const std::string& headline, std::size_t room);

}  // namespace harness::report
