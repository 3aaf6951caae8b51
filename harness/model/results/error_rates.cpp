#include "harness/model/results/error_rates.h"

#include <algorithm>

namespace harness {

bool passes(const SelftestRow& row) {
  for (const ErrorRate* rate : {&row.unchanged_red, &row.called, &row.family_called, &row.passed})
    if (rate->exceeds()) return false;
  return true;
}

bool passes(const SelftestReport& report) {
  return std::all_of(report.rows.begin(), report.rows.end(),
                     [](const SelftestRow& row) { return passes(row); }) &&
         std::none_of(report.runs.begin(), report.runs.end(),
                      [](const SelftestRun& run) { return run.red.exceeds(); });
}

}  // namespace harness
