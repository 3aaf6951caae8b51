// Diagnose: what is odd about the two sides of a row although the verdict may not show it, in words
// with advice. Pure; the verdict does not depend on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/verdict/read/side.h"

namespace harness {

// `row` has its sides, margin, alpha and ratio. What `pairing` cancels is not told: drift over a run whose
// builds took turns; modes and drift within processes that both builds shared. `short_call`: the advice about
// a call too short for its timing (short_calls.h), which stands in place of that about the clock's steps.
std::vector<std::string> diagnose(const ComparisonRow& row, const SideReading& baseline,
                                  const SideReading& current, std::optional<Pairing::Kind> pairing,
                                  const std::string& short_call = {});

// Share of a side's samples whose launch gate opened on its deadline: launch latency is in those.
double forced_share(const SideReading& reading);
// Above this share the trimmed mean no longer keeps them out, and no verdict rests on the side.
inline constexpr double tolerable_forced_share = 0.1;

}  // namespace harness
