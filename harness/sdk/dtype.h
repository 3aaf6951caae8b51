// Element types and their conversions. Header-only, so that a kernel module can include it without linking
// anything.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "harness/sdk/small_float.h"

namespace harness::sdk {

// i4 and e2m1 are packed: two elements a byte, the first in the lower half. A tensor is packed as a whole,
// without gaps between rows.
enum class DType : std::int32_t { f64, f32, f16, bf16, i32, i8, e4m3, e5m2, i4, e2m1 };

inline constexpr DType dtypes[] = {DType::f64, DType::f32,  DType::f16,  DType::bf16, DType::i32,
                                   DType::i8,  DType::e4m3, DType::e5m2, DType::i4,   DType::e2m1};

constexpr int bits_of(DType type) {
  switch (type) {
    case DType::f64: return 64;
    case DType::f32:
    case DType::i32: return 32;
    case DType::f16:
    case DType::bf16: return 16;
    case DType::i8:
    case DType::e4m3:
    case DType::e5m2: return 8;
    case DType::i4:
    case DType::e2m1: return 4;
  }
  return 0;
}

constexpr bool is_packed(DType type) {
  return bits_of(type) < 8;
}

constexpr bool is_whole(DType type) {
  return type == DType::i32 || type == DType::i8 || type == DType::i4;
}

// Bytes of an array of `count` elements.
constexpr std::size_t bytes_of(DType type, std::int64_t count) {
  return (static_cast<std::size_t>(count) * static_cast<std::size_t>(bits_of(type)) + 7) / 8;
}

// Bytes of one element; 1 for an element that shares its byte.
constexpr std::size_t size_of(DType type) {
  return bytes_of(type, 1);
}

constexpr std::string_view name_of(DType type) {
  switch (type) {
    case DType::f64: return "f64";
    case DType::f32: return "f32";
    case DType::f16: return "f16";
    case DType::bf16: return "bf16";
    case DType::i32: return "i32";
    case DType::i8: return "i8";
    case DType::e4m3: return "e4m3";
    case DType::e5m2: return "e5m2";
    case DType::i4: return "i4";
    case DType::e2m1: return "e2m1";
  }
  return "?";
}

inline std::optional<DType> parse_dtype(std::string_view name) {
  for (const DType type : dtypes)
    if (name == name_of(type)) return type;
  return std::nullopt;
}

// bfloat16 is the upper half of a float; rounds to nearest, ties to even; NaN stays NaN.
inline std::uint16_t bf16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

inline float float_from_bf16(std::uint16_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

// IEEE 754 binary16, round to nearest, ties to even, subnormals and infinities included.
inline std::uint16_t f16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < 0x38800000U) {  // below 2^-14: add a power of two that leaves the bits in place
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000U));
  }
  const std::uint32_t rounded = magnitude + 0xC8000FFFU + ((magnitude >> 13) & 1U);
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

inline float float_from_f16(std::uint16_t value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value & 0x8000U) << 16;
  const std::uint32_t rest = value & 0x7FFFU;
  if (rest >= 0x7C00U) return std::bit_cast<float>(sign | 0x7F800000U | ((rest & 0x3FFU) << 13));
  if (rest < 0x400U) {
    const float small = static_cast<float>(rest) * 0x1p-24F;
    return (sign != 0) ? -small : small;
  }
  return std::bit_cast<float>(sign | ((rest << 13) + 0x38000000U));
}

// The code of element `index` of a packed array, in the lower four bits.
inline std::uint8_t load_half_byte(const void* data, std::int64_t index) {
  const auto byte = static_cast<const std::uint8_t*>(data)[index / 2];
  return static_cast<std::uint8_t>(index % 2 == 0 ? byte & 0xFU : byte >> 4);
}

// Leaves the element that shares the byte as it is.
inline void store_half_byte(void* data, std::int64_t index, unsigned code) {
  std::uint8_t& byte = static_cast<std::uint8_t*>(data)[index / 2];
  byte = static_cast<std::uint8_t>(index % 2 == 0 ? (byte & 0xF0U) | (code & 0xFU)
                                                  : (byte & 0x0FU) | ((code & 0xFU) << 4));
}

// Element `index` of an array, as a double (exact for every type here).
inline double load(const void* data, DType type, std::int64_t index) {
  const auto read = [&]<class T>(T) {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(data) + index * std::ptrdiff_t{sizeof(T)}, sizeof(T));
    return value;
  };
  switch (type) {
    case DType::f64: return read(double{});
    case DType::f32: return static_cast<double>(read(float{}));
    case DType::f16: return static_cast<double>(float_from_f16(read(std::uint16_t{})));
    case DType::bf16: return static_cast<double>(float_from_bf16(read(std::uint16_t{})));
    case DType::i32: return static_cast<double>(read(std::int32_t{}));
    case DType::i8: return static_cast<double>(read(std::int8_t{}));
    case DType::e4m3: return double_from_small(e4m3_format, read(std::uint8_t{}));
    case DType::e5m2: return double_from_small(e5m2_format, read(std::uint8_t{}));
    case DType::i4: return static_cast<double>(((load_half_byte(data, index) + 8) & 0xF) - 8);
    case DType::e2m1: return double_from_small(e2m1_format, load_half_byte(data, index));
  }
  return 0;
}

// Stores `value` rounded to the type, to nearest, ties to even. Whole numbers and the small floating types
// saturate.
inline void store(void* data, DType type, std::int64_t index, double value) {
  const auto write = [&]<class T>(T typed) {
    std::memcpy(static_cast<std::byte*>(data) + index * std::ptrdiff_t{sizeof(T)}, &typed, sizeof(T));
  };
  switch (type) {
    case DType::f64: return write(value);
    case DType::f32: return write(static_cast<float>(value));
    case DType::f16: return write(f16_from_float(static_cast<float>(value)));
    case DType::bf16: return write(bf16_from_float(static_cast<float>(value)));
    case DType::i32: return write(static_cast<std::int32_t>(whole_from_double(value, -0x1p31, 0x1p31 - 1)));
    case DType::i8: return write(static_cast<std::int8_t>(whole_from_double(value, -128, 127)));
    case DType::e4m3: return write(small_from_double(e4m3_format, value));
    case DType::e5m2: return write(small_from_double(e5m2_format, value));
    case DType::i4:
      return store_half_byte(data, index,
                             static_cast<unsigned>(static_cast<int>(whole_from_double(value, -8, 7))));
    case DType::e2m1: return store_half_byte(data, index, small_from_double(e2m1_format, value));
  }
}

}  // namespace harness::sdk
