// Proven: the verdicts of rows whose sides do the same on the device (check/proof.h). Their tests are no
// part of the family that is corrected together, because no result of theirs can be a regression. Pure.
#pragma once

#include <vector>

#include "harness/verdict/decide/evidence.h"

namespace harness {

// Takes the evidence of proven rows out of `evidence`.
std::vector<Evidence> take_proven(const std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence);

// Calls the proven rows: `environment` where their times differ by more than the margin after correction over
// `evidence`, else `identical`. A row that failed stays failed.
void call_proven(std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence, const Policy& policy);

// Names in the reason of each environment row the diagnostic that explains it, where there is one.
void explain_environment(std::vector<ComparisonRow>& rows);

}  // namespace harness
