// The text that character models are trained on (README.md: source and licence), and its symbols.
#pragma once

#include <cstdint>
#include <string_view>

namespace training {

extern const std::string_view text;

// Printable ASCII and the end of a line; a multiple of 16, as FP8 products need.
inline constexpr std::int64_t symbols = 96;
inline std::int32_t symbol_of(char character) {
  return character == '\n' ? 0 : character - 31;
}

// The last tenth is never trained on.
inline std::int64_t training_characters() {
  return static_cast<std::int64_t>(text.size()) / 10 * 9;
}

}  // namespace training
