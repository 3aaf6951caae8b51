// links: harness_suite
//
// Any bytes as a waivers file: errors with a place in the text, or waivers that make sense. Never a crash, a
// hang, or an error without words.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/suite/waivers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto waivers = harness::parse_waivers(text, "fuzz.yaml");
  if (!waivers) {
    if (waivers.error().empty()) std::abort();
    for (const harness::Error& error : waivers.error())
      if (error.message.empty() || error.where.file != "fuzz.yaml") std::abort();
    return 0;
  }
  for (const harness::Waiver& one : *waivers)
    if (one.pattern.empty() || one.reason.empty() || !(one.ceiling > 0 && one.ceiling < 1) ||
        one.expires.size() != 10 || one.where.line < 1)
      std::abort();
  return 0;
}
