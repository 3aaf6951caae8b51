// Floating types of 8 and 4 bits: E4M3 and E5M2 (OCP OFP8) and E2M1 (OCP MX, "FP4"). Conversions from double
// round to nearest, ties to even, and saturate, as the hardware's do: a number beyond the largest finite
// value becomes that value. Includes nothing of the house.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace harness::sdk {

// A code is sign, exponent and mantissa from the highest bit down; exponent 0 holds the subnormals.
struct SmallFloat {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  double largest = 0;          // finite
  std::uint8_t first_nan = 0;  // of the codes without sign; 0: the type has no NaN
  std::uint8_t infinity = 0;   // 0: the type has none
};

// Without infinities: only the code with all bits set is NaN.
inline constexpr SmallFloat e4m3_format{4, 3, 7, 448.0, 0x7F, 0};
// As IEEE 754: infinities, and three NaNs of each sign.
inline constexpr SmallFloat e5m2_format{5, 2, 15, 57344.0, 0x7D, 0x7C};
inline constexpr SmallFloat e2m1_format{2, 1, 1, 6.0, 0, 0};

constexpr std::uint8_t sign_bit_of(const SmallFloat& format) {
  return static_cast<std::uint8_t>(1U << (format.exponent_bits + format.mantissa_bits));
}

// 2^exponent, for exponents of normal numbers.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

// NaN becomes the code 0x7F, or 0 in a type without NaN. Infinities saturate, too.
inline std::uint8_t small_from_double(const SmallFloat& format, double value) {
  if (std::isnan(value)) return format.first_nan == 0 ? 0 : 0x7F;
  const unsigned sign = std::signbit(value) ? sign_bit_of(format) : 0U;
  const double magnitude = std::min(std::fabs(value), format.largest);
  const int least = 1 - format.bias;  // exponent of the subnormals
  const int exponent =
      std::max(static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1023, least);
  // A double that is 2^52 units of the last place has none between them, so the sum is rounded to whole
  // units. A carry into the next exponent lands in its bits.
  const double grid = power_of_two(52 + exponent - format.mantissa_bits);
  const std::uint64_t units =
      std::bit_cast<std::uint64_t>(magnitude + grid) - std::bit_cast<std::uint64_t>(grid);
  const unsigned code =
      (static_cast<unsigned>(exponent - least) << format.mantissa_bits) + static_cast<unsigned>(units);
  return static_cast<std::uint8_t>(sign | code);
}

// Exact. Bits above the sign are ignored.
inline double double_from_small(const SmallFloat& format, std::uint8_t code) {
  const unsigned sign_bit = sign_bit_of(format);
  const unsigned rest = code & (sign_bit - 1U);
  const double sign = (code & sign_bit) != 0 ? -1.0 : 1.0;
  if (format.first_nan != 0 && rest >= format.first_nan) return std::copysign(NAN, sign);
  if (format.infinity != 0 && rest == format.infinity) return sign * HUGE_VAL;
  const unsigned field = rest >> format.mantissa_bits;
  const unsigned mantissa = rest & ((1U << format.mantissa_bits) - 1U);
  const unsigned units = field == 0 ? mantissa : mantissa + (1U << format.mantissa_bits);
  const int exponent = (field == 0 ? 1 : static_cast<int>(field)) - format.bias - format.mantissa_bits;
  return sign * static_cast<double>(units) * power_of_two(exponent);
}

inline std::uint8_t e4m3_from_float(float value) {
  return small_from_double(e4m3_format, static_cast<double>(value));
}
inline float float_from_e4m3(std::uint8_t code) {
  return static_cast<float>(double_from_small(e4m3_format, code));
}
inline std::uint8_t e5m2_from_float(float value) {
  return small_from_double(e5m2_format, static_cast<double>(value));
}
inline float float_from_e5m2(std::uint8_t code) {
  return static_cast<float>(double_from_small(e5m2_format, code));
}

// The nearest whole number in [least, most], ties to even; 0 for NaN. Both limits are whole, and below 2^51.
inline double whole_from_double(double value, double least, double most) {
  if (std::isnan(value)) return 0;
  const double within = std::min(std::max(value, least), most);
  constexpr double grid = 0x1.8p52;  // doubles near it are whole numbers
  return within + grid - grid;
}

}  // namespace harness::sdk
