// Building blocks of the page's data. Numbers that JSON cannot hold (NaN, infinities) become null.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace harness::report {

using Json = nlohmann::ordered_json;

inline Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

inline Json positive(double value) {  // null for 0 and below: "not known"
  return value > 0 ? number(value) : Json(nullptr);
}

}  // namespace harness::report
