// The SHA-256 of what a file holds, in blocks, within limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/units.h"

namespace harness {

// The limits of one start; the figures are what is left of them.
struct HashLimits {
  std::uint64_t bytes = 8'000'000'000;
  Seconds seconds = 2;
};

// 32 hexadecimal digits of the SHA-256 of a text.
std::string text_hash(std::string_view text);

// The same of the regular file behind a descriptor, which is read from its beginning and keeps its position.
// All of it counts, with one exception. `executed`: of a 64-bit little-endian ELF program or library its
// build ID, symbols for debuggers, debugging information and the table of sections do not. They differ
// between builds in two folders, and nobody runs them. std::nullopt: it cannot be read (`limits` has
// something left), or the limits are spent.
std::optional<std::string> hash_of_file(int file, HashLimits& limits, bool executed = false);

}  // namespace harness
