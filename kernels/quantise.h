// Symmetric quantisation by the largest magnitude, as the workloads of small types share it. Host code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "harness/sdk/dtype.h"

namespace kernels {

// The largest magnitude that a type's codes stand for. Whole numbers are symmetric: -128 and -8 stay unused.
constexpr double largest_code(harness::sdk::DType type) {
  using harness::sdk::DType;
  switch (type) {
    case DType::i8: return 127;
    case DType::i4: return 7;
    case DType::e4m3: return harness::sdk::e4m3_format.largest;
    case DType::e5m2: return harness::sdk::e5m2_format.largest;
    case DType::e2m1: return harness::sdk::e2m1_format.largest;
    default: return 1;
  }
}

// value / scale fits the type for each |value| <= largest. 1 for a group of zeros.
inline float scale_for(float largest, harness::sdk::DType type) {
  return largest > 0 ? largest / static_cast<float>(largest_code(type)) : 1.0F;
}

// `value` in steps of `scale`, rounded as the type rounds: the code's own number.
inline float rounded_code(float value, float scale, harness::sdk::DType type) {
  using harness::sdk::DType;
  const double code = static_cast<double>(value) / static_cast<double>(scale);
  const double most = largest_code(type);
  const auto small = [&](const harness::sdk::SmallFloat& format) {
    return static_cast<float>(
        harness::sdk::double_from_small(format, harness::sdk::small_from_double(format, code)));
  };
  switch (type) {
    case DType::i8:
    case DType::i4: return static_cast<float>(harness::sdk::whole_from_double(code, -most, most));
    case DType::e4m3: return small(harness::sdk::e4m3_format);
    case DType::e5m2: return small(harness::sdk::e5m2_format);
    case DType::e2m1: return small(harness::sdk::e2m1_format);
    case DType::f16:
      return harness::sdk::float_from_f16(harness::sdk::f16_from_float(static_cast<float>(code)));
    default: return static_cast<float>(code);
  }
}

// Elements `first` to first + count of an array of `type` become the codes of `values`, as rounded_code()
// tells them. The type is selected once: inputs have 10^8 elements.
inline void store_codes(const float* values, std::int64_t count, float scale, harness::sdk::DType type,
                        void* array, std::int64_t first) {
  using harness::sdk::DType;
  const auto store_each = [&](auto* codes, const auto& code_of) {
    for (std::int64_t i = 0; i < count; ++i)
      codes[first + i] = code_of(static_cast<double>(values[i]) / static_cast<double>(scale));
  };
  switch (type) {
    case DType::e4m3:
      return store_each(static_cast<std::uint8_t*>(array), [](double code) {
        return harness::sdk::small_from_double(harness::sdk::e4m3_format, code);
      });
    case DType::i8:
      return store_each(static_cast<std::int8_t*>(array), [most = largest_code(type)](double code) {
        return static_cast<std::int8_t>(harness::sdk::whole_from_double(code, -most, most));
      });
    default:
      for (std::int64_t i = 0; i < count; ++i)
        harness::sdk::store(array, type, first + i,
                            static_cast<double>(rounded_code(values[i], scale, type)));
  }
}

// The largest magnitude of `count` values that are `stride` apart.
inline float largest_magnitude(const float* values, std::int64_t count, std::int64_t stride = 1) {
  float largest = 0;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(values[i * stride]));
  return largest;
}

}  // namespace kernels
