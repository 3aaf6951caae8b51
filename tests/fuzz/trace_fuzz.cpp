// links: harness_device
// Any bytes as the trace of a program: an error that names the file, or steps and kernels whose figures are
// possible.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/device/trace/summarise_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto trace = harness::trace::read_trace({reinterpret_cast<const char*>(data), size}, "fuzz.trace");
  if (!trace) {
    if (trace.error().message.empty() || trace.error().where.file != "fuzz.trace") std::abort();
    return 0;
  }
  if (trace->bytes != size) std::abort();
  for (const char* const rule : {"", "whole", "nvtx:step"})
    static_cast<void>(harness::trace::summarise_trace({*trace}, harness::step_rule_of(rule)));
  return 0;
}
