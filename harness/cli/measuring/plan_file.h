// The plan of another build's program for this machine. Each build knows its own workloads and variants, so
// `harness ab` asks the other build's program with `harness plan`, and reads the file that this writes.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/cli/measuring/prepare.h"

namespace harness {

// The format `harness-plan` (harness/report/formats.md), with the devices of this machine.
std::string encode_plan(const Prepared& prepared);
// Errors name `source`.
Result<Prepared> decode_plan(std::string_view text, const std::string& source);

}  // namespace harness
