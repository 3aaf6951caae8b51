#include "harness/cli/options/date.h"

#include <algorithm>
#include <chrono>

namespace harness {

bool is_date(const std::string& text) {
  const std::string shape = "dddd-dd-dd";
  if (text.size() != shape.size() ||
      !std::equal(text.begin(), text.end(), shape.begin(),
                  [](char c, char kind) { return kind == '-' ? c == '-' : c >= '0' && c <= '9'; }))
    return false;
  const std::chrono::year_month_day day{std::chrono::year(std::stoi(text.substr(0, 4))),
                                        std::chrono::month(std::stoul(text.substr(5, 2))),
                                        std::chrono::day(std::stoul(text.substr(8, 2)))};
  return day.ok();
}

}  // namespace harness
