// Confirm: a regression is measured again, on fresh processes, before it fails a build. Pure.
//
// Example: five processes call a case +1.3 % at a margin of 0.5 %. Five fresh ones say +1.2 % and lie beyond
// the margin by themselves: the regression stands. With +0.1 % the row would be inconclusive.
//
// The first stage keeps the chance of any false regression at alpha. Confirming can only take regressions
// back, so it needs no correction, and a larger alpha serves: a true slowdown near the margin would else be
// lost in the second stage as often as in the first.
#pragma once

#include <vector>

#include "harness/verdict/decide/evidence.h"

namespace harness {

inline constexpr double confirming_alpha = 0.05;  // where the gate's own is smaller

// Sets `confirmation` of each regressed row that enough fresh processes measured again. A row that they do
// not confirm becomes inconclusive and shows all processes together.
void settle_confirmations(std::vector<ComparisonRow>& rows, const std::vector<Evidence>& evidence);

// Adds to the reason of each row that was not confirmed the devices that disagree, where they are two.
void name_devices(std::vector<ComparisonRow>& rows, const Record& current);

}  // namespace harness
