// How often the alerts of a branch were right, and what they missed. Pure.
//
// An alert is a record with a result that regressed and is not waived, with the red records after it on the
// same device, until a whole record passed. Meanwhile records of other devices belong to it that are red at
// the same commit or in one of its cases: one slowdown on two devices is one alert. Its mark is that of its
// newest marked record.
//   precision = alerts marked true / alerts marked
//   recall    = alerts marked true / (alerts marked true + slowdowns without an alert)
// A slowdown without an alert is a change point that matters, where no record around it had its case
// regressed or waived; or a record that somebody marked as missed.
#pragma once

#include <span>
#include <string>

#include "harness/model/alerts/alert_rates.h"
#include "harness/model/results/case_trend.h"

namespace harness {

// `runs`: oldest first. Alerts and slowdowns of before `since`, a day, do not count.
AlertRates rate_alerts(std::span<const JudgedRun> runs, std::span<const Trend> trends,
                       const std::string& since);

}  // namespace harness
