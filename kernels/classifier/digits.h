// The 1,797 pictures of handwritten digits, 8 x 8 pixels of 0 to 16 (README.md: source and licence).
#pragma once

#include <cstdint>

namespace classifier {

inline constexpr std::int64_t pictures = 1797;
inline constexpr std::int64_t pixels = 64;
inline constexpr std::int64_t classes = 10;
inline constexpr std::int64_t row_length = pixels + 1;  // the digit comes last

extern const unsigned char digit_rows[pictures * row_length];

// The last ones are never trained on.
inline constexpr std::int64_t test_pictures = 597;
inline constexpr std::int64_t train_pictures = pictures - test_pictures;

inline float pixel_of(std::int64_t picture, std::int64_t pixel) {
  return static_cast<float>(digit_rows[picture * row_length + pixel]) / 16.0F;
}
inline int digit_of(std::int64_t picture) {
  return digit_rows[picture * row_length + pixels];
}

}  // namespace classifier
