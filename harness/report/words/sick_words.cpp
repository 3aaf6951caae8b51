#include "harness/report/words/sick_words.h"

#include <fmt/format.h>

#include "harness/report/numbers.h"

namespace harness::report {

std::string words(const Sickness& why) {
  switch (why.code) {
    case SickCode::throttled:
      return fmt::format("it held its clock down in {} of {} placements ({})", why.count("placements"),
                         why.count("of"), why.text("reason"));
    case SickCode::busy:
      return fmt::format("{} other {} used it", why.count("processes"),
                         why.count("processes") == 1 ? "process" : "processes");
    case SickCode::moved:
      return fmt::format("{} moved by {} from its {} earlier sessions on it, and the limit is {}",
                         why.text("case"), signed_percent(why.number("change")), why.count("runs"),
                         plain_percent(why.number("limit")));
    case SickCode::unfit: return fmt::format("`harness doctor` finds it unfit: {}", why.text("check"));
  }
  return "?";
}

std::string sick_words(const Figures& figures) {
  const auto why = fact_in<SickCode>(figures, "why");
  return why ? words(*why) : "?";
}

}  // namespace harness::report
