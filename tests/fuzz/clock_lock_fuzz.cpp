// links: harness_device
// mutates: json
//
// Any bytes as the file that tells of a clock lock, which anybody may have left there: an error with words,
// or a note that reads back as it was written. Never a crash.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/device/host/clock_lock.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto note = harness::decode_clock_lock(text, "note");
  if (!note) {
    if (note.error().message.empty() || note.error().where.file != "note") std::abort();
    return 0;
  }
  if (note->gpu.empty() || note->process < 0) std::abort();
  const auto again = harness::decode_clock_lock(harness::encode(*note), "note");
  if (!again || harness::encode(*again) != harness::encode(*note)) std::abort();
  if (harness::clock_lock_path(note->gpu).filename().string().find('/') != std::string::npos) std::abort();
  return 0;
}
