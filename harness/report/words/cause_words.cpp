#include "harness/report/words/cause_words.h"

#include <fmt/format.h>

namespace harness::report {
namespace {

std::string why_or(const Cause& cause, std::string otherwise) {
  const std::string why = cause.text("why");
  return why.empty() ? otherwise : why;
}

}  // namespace

std::string words(const Cause& cause) {
  switch (cause.code) {
    case CauseCode::told: return cause.text("text");
    case CauseCode::not_measured: return "not measured yet";
    case CauseCode::left_out: return fmt::format("left out by --device {}", cause.text("device"));
    case CauseCode::no_device: return why_or(cause, fmt::format("no {} device here", cause.text("device")));
    case CauseCode::no_cuda_module:
      return "this build has no CUDA module (configured without a CUDA toolkit)";
    case CauseCode::architecture:
      return fmt::format("needs compute capability {}; this build has {}", cause.text("needs"),
                         cause.text("has"));
    case CauseCode::not_built: return why_or(cause, "this build cannot run the variant");
    case CauseCode::unsupported: return why_or(cause, "the workload does not support these parameters");
    case CauseCode::other_device:
      return fmt::format("variant `{}` runs on {}, and this device is {}", cause.text("variant"),
                         cause.text("needs"), cause.text("device"));
  }
  return "?";
}

}  // namespace harness::report
