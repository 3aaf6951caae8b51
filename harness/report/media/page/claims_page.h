// The data of the page of claims: one JSON document, `harness-claims-page` (its types:
// page/src/claims_data.ts). Pure.
#pragma once

#include <string>

#include "harness/model/results/checked_claim.h"

namespace harness::report {

// Packed as page_data() packs a run.
std::string claims_page(const ClaimsReport& report, const std::string& headline);

}  // namespace harness::report
