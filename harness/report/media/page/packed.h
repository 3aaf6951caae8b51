// Packed text: what a page carries its data in. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace harness::report {

// Raw deflate (RFC 1951, no header and no checksum).
std::string deflated(std::string_view text);

// RFC 4648 with padding: letters, digits, + / and =, so that no markup can come of it.
std::string base64(std::string_view bytes);

// Bytes that base64() makes of so many.
constexpr std::size_t base64_size(std::size_t bytes) {
  return (bytes + 2) / 3 * 4;
}

}  // namespace harness::report
