// Diagnose: oddities of the two sides of a row. Pure; the verdict does not depend on them.
#pragma once

#include <optional>
#include <vector>

#include "harness/verdict/read/side.h"

namespace harness {

// To ask for when nothing is known about the spread.
inline constexpr int recommended_processes = 5;

// `row` has its sides, margin, alpha and ratio. Effects that `pairing` cancels are left out: drift where
// builds took turns, modes and drift of processes that both builds shared. `short_call`: a call too short for
// its timing (short_calls.h); it replaces the diagnostic of the clock's steps.
std::vector<Diagnostic> diagnose(const ComparisonRow& row, const SideReading& baseline,
                                 const SideReading& current, std::optional<Pairing::Kind> pairing,
                                 std::optional<Diagnostic> short_call = {});

}  // namespace harness
