// The SHA-256 of what a file holds, in blocks, within limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/units.h"

namespace harness {

// What one start may hash; the figures are what is left.
struct HashLimits {
  std::uint64_t bytes = 8'000'000'000;
  Seconds seconds = 2;
};

// 32 hexadecimal digits of the SHA-256 of a text.
std::string text_hash(std::string_view text);

// The same of the regular file behind a descriptor, which is read from its beginning and keeps its position.
// Of a 64-bit little-endian ELF file everything counts but its build ID, its symbols for debuggers, debugging
// information and the table of its sections: these differ between builds in two folders, and no program runs
// them. std::nullopt: it cannot be read (`limits` has something left), or the limits are spent.
std::optional<std::string> hash_of_file(int file, HashLimits& limits);

}  // namespace harness
