// Days as people write them.
#pragma once

#include <string>

namespace harness {

// Whether the text is a day of the calendar in the form 2026-12-31.
bool is_date(const std::string& text);

}  // namespace harness
