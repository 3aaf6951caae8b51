// Days as people write them.
#pragma once

#include <string>

#include "harness/base/result.h"

namespace harness {

// Whether the text is a day of the calendar in the form 2026-12-31.
bool is_date(const std::string& text);

// The clock's day in UTC, or the later one that HARNESS_TODAY names.
Result<std::string> today();

// The day so many days before `date`, which is one.
std::string days_before(const std::string& date, int days);

}  // namespace harness
