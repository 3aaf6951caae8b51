// links: harness_device
// Images that the driver loads: any bytes give hashes or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "harness/device/code/cubin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto image = std::as_bytes(std::span(data, size));
  const auto found = harness::function_bytes(image);
  if (!found && found.error().message.empty()) std::abort();
  if (found)
    for (const auto& [name, bytes] : *found)
      if (name.empty()) std::abort();
  if (const auto hashes = harness::whole_code_hashes(image))
    for (const auto& [name, hash] : *hashes)
      if (name.empty() || hash.size() != 32) std::abort();
  return 0;
}
