// links: harness_cli
// mutates: json
// The plan that another build's program writes: an error with words, or a plan that is written and read again
// the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/cli/measuring/plan_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto plan = harness::decode_plan({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!plan) {
    if (plan.error().message.empty()) std::abort();
    return 0;
  }
  const std::string text = harness::encode_plan(*plan);
  const auto again = harness::decode_plan(text, "fuzz");
  if (!again || harness::encode_plan(*again) != text) std::abort();
  return 0;
}
