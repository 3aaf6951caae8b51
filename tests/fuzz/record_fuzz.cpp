// links: harness_model
// mutates: json
// Whatever reads as a record, or as a part of one, is written and read again the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/model/codec.h"

namespace {

// encode(decode(text)) must be a fixed point of decoding and encoding.
template <class Decode, class Encode>
void check(std::string_view text, Decode decode, Encode encode) {
  const auto value = decode(text, "fuzz");
  if (!value) {
    if (value.error().message.empty()) std::abort();
    return;
  }
  const std::string once = encode(*value);
  const auto again = decode(once, "fuzz");
  if (!again || encode(*again) != once) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, harness::decode_record, [](const harness::Record& record) { return encode(record); });
  check(text, harness::decode_header, harness::encode_header);
  check(text, harness::decode_case, harness::encode_case);
  check(text, harness::decode_process_result,
        [](const harness::ProcessResult& result) { return encode(result); });
  check(text, harness::decode_machine, [](const harness::Machine& machine) { return encode(machine); });
  return 0;
}
