// links: harness_measure harness_kernels
// mutates: json
// Worker messages and jobs: any bytes are read without a crash, and what is read survives a round trip.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/measure/worker/worker.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto message = harness::decode_message(text)) {
    const std::string line = harness::encode(*message);
    const auto again = harness::decode_message(line);
    if (!again || harness::encode(*again) != line || line.find('\n') != std::string::npos) std::abort();
  }
  if (const auto job = harness::decode_job(text)) {
    const std::string document = harness::encode(*job);
    const auto again = harness::decode_job(document);
    if (!again || harness::encode(*again) != document) std::abort();
  }
  return 0;
}
