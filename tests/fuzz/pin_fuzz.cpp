// links: harness_model
// mutates: json
// A text that reads as a pin is written and read again the same, as a pin and as a record.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/model/codec.h"
#include "harness/model/pin/figures.h"
#include "harness/model/pin/pin_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto record = harness::decode_pin(text, "fuzz");
  if (!record) {
    if (record.error().message.empty()) std::abort();
    return 0;
  }
  const std::string pin = harness::encode_pin(*record), whole = harness::encode(*record);
  const auto again = harness::decode_pin(pin, "fuzz"), same = harness::decode_record(whole, "fuzz");
  if (!again || harness::encode_pin(*again) != pin) std::abort();
  if (!same || harness::encode(*same) != whole) std::abort();
  const harness::Record once = harness::without_samples(*record);
  if (harness::encode_pin(harness::without_samples(once)) != harness::encode_pin(once)) std::abort();
  return 0;
}
