// The alerts of a branch, from the records of a store and the marks that people gave them.
#pragma once

#include <vector>

#include "harness/model/alerts/alert_rates.h"
#include "harness/model/results/case_trend.h"
#include "harness/store/git.h"
#include "harness/store/history.h"

namespace harness {

inline constexpr int alert_days = 90;

// Looks at the last `alert_days` days, and at the slowdowns of `trends`, which are those of the whole suite.
// `branch`: its commits, along first parents.
Result<AlertRates> read_alerts(Store& store, const StoredHistory& stored, const std::vector<Commit>& branch,
                               const std::vector<Trend>& trends);

}  // namespace harness
