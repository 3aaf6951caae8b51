#include "harness/cli/measuring/require_gpu.h"

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/model/device_kinds.h"
#include "harness/report/words/cause_words.h"

namespace harness {

Status check_gpu_can_be_used(const Prepared& prepared) {
  if (const auto missing = prepared.unavailable_devices.find(std::string(cuda_kind.name));
      missing != prepared.unavailable_devices.end())
    return fail(ErrorKind::environment, fmt::format("--require-gpu: {}", report::words(missing->second)),
                "run on a machine with an NVIDIA GPU and driver, with a build that has the CUDA module");
  for (const PlannedCase& planned : prepared.plan.cases)
    if (is_gpu_kind(planned.device) && planned.skip)
      return fail(ErrorKind::environment, planned.where,
                  fmt::format("--require-gpu: {} is skipped: {}", planned.id, report::words(*planned.skip)),
                  "leave it out with --filter '!...', or build for this GPU");
  return {};
}

Status check_gpu_was_used(const Record& record) {
  for (const CaseRecord& one : record.cases)
    if (is_gpu_kind(one.device) && one.outcome == Outcome::skipped)
      return fail(ErrorKind::environment, one.where,
                  fmt::format("--require-gpu: {} was skipped: {}", printable(one.id),
                              one.reason ? report::words(*one.reason) : "without a reason"),
                  "leave it out with --filter '!...', or make the device available");
  return {};
}

}  // namespace harness
