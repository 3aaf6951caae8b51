// Confirm: a regression is measured again, on processes of its own, before it fails a build. Pure.
//
// Example: five processes call a case +1.3 % at a margin of 0.5 %. Five fresh ones say +1.2 %, and by
// themselves they, too, lie beyond the margin at the row's alpha: the regression stands. Had they said +0.1
// %, the row would be inconclusive.
//
// The first stage already keeps the chance of any false regression at alpha, whatever is measured after it.
// Confirming can only take regressions back, so it needs no correction of its own.
#pragma once

#include <vector>

#include "harness/verdict/decide/evidence.h"

namespace harness {

// Sets `confirmation` of each regressed row that enough fresh processes measured again, and takes back the
// verdict of those that they do not confirm: such a row is inconclusive and shows all processes together.
void settle_confirmations(std::vector<ComparisonRow>& rows, const std::vector<Evidence>& evidence);

}  // namespace harness
