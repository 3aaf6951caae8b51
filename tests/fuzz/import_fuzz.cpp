// links: harness_store
// A text that imports is a record that is written and read again the same; any other has errors with places.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/model/codec.h"
#include "harness/store/adapters/import_formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto record = harness::import_samples({reinterpret_cast<const char*>(data), size}, "fuzz.jsonl");
  if (!record) {
    if (record.error().empty()) std::abort();
    for (const harness::Error& error : record.error())
      if (error.message.empty() || error.where.file.empty()) std::abort();
    return 0;
  }
  const std::string text = encode(*record);
  const auto again = harness::decode_record(text, "fuzz");
  if (!again || encode(*again) != text || record->cases.empty()) std::abort();
  return 0;
}
