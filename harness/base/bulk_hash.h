// A fast hash of many bytes, for contents that nobody forges: inputs, sections of machine code.
#pragma once

#include <string>
#include <string_view>

namespace harness {

// 32 hex digits: MurmurHash3_x64_128 with seed 0 (Austin Appleby, public domain), some gigabytes a second. It
// is the same on every little-endian machine. Names and small texts have content_hash() (files.h).
std::string bulk_hash(std::string_view bytes);

}  // namespace harness
