// What another build's program would measure here, told from program to program: `harness plan` (which nobody
// types) writes it, `harness ab` reads it. A build knows best which workloads and variants it has.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/cli/measuring/prepare.h"

namespace harness {

// One JSON object: `format` "harness-plan", `version` 1, `suite`, `modules`, `devices`, `identities`,
// `unavailable_devices`, `left_out_devices`, `cases` [{`case`: as encode_case() writes it, `metrics`,
// `skip`: null, or a cause: {`code`, figures}}].
std::string encode_plan(const Prepared& prepared);
// Errors name `source`.
Result<Prepared> decode_plan(std::string_view text, const std::string& source);

}  // namespace harness
