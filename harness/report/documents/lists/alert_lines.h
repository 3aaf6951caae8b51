// The alerts of a history in sentences: how often they were right, and what they missed.
#pragma once

#include <string>
#include <vector>

#include "harness/model/alerts/alert_rates.h"

namespace harness::report {

std::vector<std::string> alert_lines(const AlertRates& rates);

}  // namespace harness::report
