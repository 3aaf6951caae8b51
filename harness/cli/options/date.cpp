#include "harness/cli/options/date.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness {
namespace {

// The text has the form 2026-12-31.
std::chrono::year_month_day day_of(const std::string& text) {
  return {std::chrono::year(std::stoi(text.substr(0, 4))), std::chrono::month(std::stoul(text.substr(5, 2))),
          std::chrono::day(std::stoul(text.substr(8, 2)))};
}

}  // namespace

bool is_date(const std::string& text) {
  const std::string shape = "dddd-dd-dd";
  if (text.size() != shape.size() ||
      !std::equal(text.begin(), text.end(), shape.begin(),
                  [](char c, char kind) { return kind == '-' ? c == '-' : c >= '0' && c <= '9'; }))
    return false;
  return day_of(text).ok();
}

Result<std::string> today() {
  const std::string clock = utc_timestamp().substr(0, 10), chosen = environment::today();
  if (chosen.empty()) return clock;
  if (!is_date(chosen))
    return fail(ErrorKind::usage, fmt::format("HARNESS_TODAY: `{}` is not a date", printable(chosen)),
                "write year-month-day, such as 2026-12-31");
  if (chosen >= clock) return chosen;
  return fail(ErrorKind::usage,
              fmt::format("HARNESS_TODAY: {} has passed, and expired waivers would hold again", chosen),
              fmt::format("name {} or a later day", clock));
}

std::string days_before(const std::string& date, int days) {
  return fmt::format("{:%F}", std::chrono::sys_days(day_of(date)) - std::chrono::days(days));
}

}  // namespace harness
