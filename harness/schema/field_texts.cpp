#include "harness/schema/field_texts.h"

#include <fmt/format.h>

namespace harness {

std::string duration_text(Seconds value) {
  if (value >= 1 || value == 0) return fmt::format("{:g}s", value);
  if (value >= 1e-3) return fmt::format("{:g}ms", value * 1e3);
  return fmt::format("{:g}us", value * 1e6);
}

std::string quantity_text(double value, Unit unit) {
  switch (unit) {
    case Unit::seconds: return duration_text(value);
    case Unit::share: return fmt::format("{:g}%", value * 100);
    case Unit::none:
    case Unit::microseconds:
    case Unit::bytes: break;
  }
  return fmt::format("{:g}", value);
}

}  // namespace harness
