// The sentence of a diagnostic: the observation, then the advice.
#pragma once

#include <string>

#include "harness/model/results/findings.h"
#include "harness/report/words/told.h"

namespace harness::report {

std::string words(const Diagnostic& diagnostic);

// For several diagnostics with this code, whose figures may differ.
std::string words(DiagnosticCode code, const Told& told);

}  // namespace harness::report
