// Reads from the store what the interactive page of a history shows beside its report.
#pragma once

#include "harness/base/result.h"
#include "harness/model/results/case_trend.h"
#include "harness/report/history_extras.h"
#include "harness/store/store.h"

namespace harness {

// The verdicts of the cases at each of their points, and the causes of their changes.
Result<report::HistoryExtras> page_extras(Store& store, const HistoryReport& history,
                                          const report::HistoryLinks& links);

}  // namespace harness
