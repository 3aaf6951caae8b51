// Conversions of the small types against tables that are computed from their definitions.
#include "harness/sdk/dtype.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "harness/sdk/workload.h"

namespace harness::sdk {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// OCP 8-bit floating point, revision 1.0, and OCP microscaling formats, revision 1.0.
struct Definition {
  DType type;
  int exponent_bits, mantissa_bits, bias;
  int codes;  // with the sign
};
constexpr Definition e4m3{DType::e4m3, 4, 3, 7, 256};
constexpr Definition e5m2{DType::e5m2, 5, 2, 15, 256};
constexpr Definition e2m1{DType::e2m1, 2, 1, 1, 16};

// (-1)^s 2^(e - bias) 1.m, or (-1)^s 2^(1 - bias) 0.m where e = 0, by repeated products.
double defined_value(const Definition& type, int code) {
  const int half = type.codes / 2, rest = code % half;
  const int steps = 1 << type.mantissa_bits;
  const int exponent = rest / steps, mantissa = rest % steps;
  const int largest = (1 << type.exponent_bits) - 1;
  const bool negative = code >= half;
  if (type.type == DType::e4m3 && exponent == largest && mantissa == 7) return std::nan("");
  if (type.type == DType::e5m2 && exponent == largest)
    return mantissa != 0 ? std::nan("") : negative ? -infinity : infinity;
  double value = static_cast<double>(exponent == 0 ? mantissa : steps + mantissa) / steps;
  for (int power = exponent == 0 ? 1 : exponent; power < type.bias; ++power) value /= 2;
  for (int power = exponent; power > type.bias; --power) value *= 2;
  return negative ? -value : value;
}

double stored(DType type, double value) {
  std::array<unsigned char, 8> memory{};
  store(memory.data(), type, 0, value);
  return load(memory.data(), type, 0);
}

// The finite values from the smallest code up; they ascend.
std::vector<double> magnitudes(const Definition& type) {
  std::vector<double> values;
  for (int code = 0; code < type.codes / 2; ++code)
    if (std::isfinite(defined_value(type, code))) values.push_back(defined_value(type, code));
  return values;
}

class SmallFloats : public testing::TestWithParam<Definition> {};

TEST_P(SmallFloats, LoadEachCodeAsItIsDefined) {
  const Definition& type = GetParam();
  for (int code = 0; code < type.codes; ++code) {
    const unsigned char byte = static_cast<unsigned char>(code);
    const double value = load(&byte, type.type, 0), right = defined_value(type, code);
    if (std::isnan(right)) {
      EXPECT_TRUE(std::isnan(value)) << code;
      continue;
    }
    EXPECT_EQ(value, right) << code;
    EXPECT_EQ(std::signbit(value), code >= type.codes / 2) << code;
  }
}

TEST_P(SmallFloats, StoreEachValueAsItsCode) {
  const Definition& type = GetParam();
  for (int code = 0; code < type.codes; ++code) {
    const double value = defined_value(type, code);
    if (!std::isfinite(value)) continue;
    unsigned char byte = 0;
    store(&byte, type.type, 0, value);
    EXPECT_EQ(byte, code);
  }
}

TEST_P(SmallFloats, RoundToNearestAndTiesToEven) {
  const Definition& type = GetParam();
  const std::vector<double> values = magnitudes(type);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double middle = (values[i] + values[i + 1]) / 2;  // exact
    const double even = i % 2 == 0 ? values[i] : values[i + 1];
    for (const double sign : {1.0, -1.0}) {
      EXPECT_EQ(stored(type.type, sign * middle), sign * even) << middle;
      EXPECT_EQ(stored(type.type, sign * std::nextafter(middle, 0.0)), sign * values[i]) << middle;
      EXPECT_EQ(stored(type.type, sign * std::nextafter(middle, infinity)), sign * values[i + 1]) << middle;
    }
  }
}

TEST_P(SmallFloats, SaturateAndKeepSignsAndNaN) {
  const Definition& type = GetParam();
  const double largest = magnitudes(type).back();
  for (const double beyond : {largest * 1.01, largest * 2, 1e300, infinity}) {
    EXPECT_EQ(stored(type.type, beyond), largest) << beyond;
    EXPECT_EQ(stored(type.type, -beyond), -largest) << beyond;
  }
  EXPECT_TRUE(std::signbit(stored(type.type, -0.0)));
  EXPECT_TRUE(std::signbit(stored(type.type, -1e-300)));
  if (type.type == DType::e2m1)
    EXPECT_EQ(stored(type.type, std::nan("")), 0) << "it has no NaN";
  else
    EXPECT_TRUE(std::isnan(stored(type.type, std::nan(""))));
}

INSTANTIATE_TEST_SUITE_P(Types, SmallFloats, testing::Values(e4m3, e5m2, e2m1),
                         [](const auto& one) { return std::string(name_of(one.param.type)); });

TEST(SmallFloats, HaveTheKnownLimits) {
  EXPECT_EQ(magnitudes(e4m3).back(), 448);
  EXPECT_EQ(magnitudes(e4m3)[1], 0x1p-9);
  EXPECT_EQ(magnitudes(e5m2).back(), 57344);
  EXPECT_EQ(magnitudes(e5m2)[1], 0x1p-16);
  EXPECT_EQ(magnitudes(e2m1), (std::vector<double>{0, 0.5, 1, 1.5, 2, 3, 4, 6}));
}

TEST(Bytes, RoundToNearestTiesToEvenAndSaturate) {
  for (int i = -128; i <= 127; ++i) EXPECT_EQ(stored(DType::i8, i), i);
  for (int i = -128; i < 127; ++i) {
    EXPECT_EQ(stored(DType::i8, i + 0.5), i % 2 == 0 ? i : i + 1) << i;
    EXPECT_EQ(stored(DType::i8, i + 0.49), i) << i;
    EXPECT_EQ(stored(DType::i8, i + 0.51), i + 1) << i;
  }
  EXPECT_EQ(stored(DType::i8, 127.6), 127);
  EXPECT_EQ(stored(DType::i8, 1e30), 127);
  EXPECT_EQ(stored(DType::i8, -infinity), -128);
  EXPECT_EQ(stored(DType::i8, std::nan("")), 0);
  EXPECT_EQ(stored(DType::i32, 1e30), 2147483647.0);
  EXPECT_EQ(stored(DType::i32, -1e30), -2147483648.0);
  EXPECT_EQ(stored(DType::i32, 2.5), 2);
}

TEST(HalfBytes, RoundToNearestTiesToEvenAndSaturate) {
  for (int i = -8; i <= 7; ++i) EXPECT_EQ(stored(DType::i4, i), i);
  for (int i = -8; i < 7; ++i) {
    EXPECT_EQ(stored(DType::i4, i + 0.5), i % 2 == 0 ? i : i + 1) << i;
    EXPECT_EQ(stored(DType::i4, i + 0.75), i + 1) << i;
  }
  EXPECT_EQ(stored(DType::i4, 8), 7);
  EXPECT_EQ(stored(DType::i4, -100), -8);
}

TEST(HalfBytes, ShareABytePairwiseTheFirstInTheLowerHalf) {
  std::array<unsigned char, 2> memory{};
  store(memory.data(), DType::i4, 0, 3);
  store(memory.data(), DType::i4, 1, -2);
  store(memory.data(), DType::i4, 2, -8);
  EXPECT_EQ(memory[0], 0xE3);
  EXPECT_EQ(memory[1], 0x08);
  for (int one = -8; one <= 7; ++one)
    for (int other = -8; other <= 7; ++other) {
      store(memory.data(), DType::i4, 0, one);
      store(memory.data(), DType::i4, 1, other);
      EXPECT_EQ(load(memory.data(), DType::i4, 0), one);
      EXPECT_EQ(load(memory.data(), DType::i4, 1), other);
    }
}

TEST(DTypes, HaveNamesAndSizes) {
  for (const DType type : dtypes) EXPECT_EQ(parse_dtype(name_of(type)), type);
  EXPECT_EQ(size_of(DType::e4m3), 1U);
  EXPECT_EQ(size_of(DType::i4), 1U);
  EXPECT_EQ(bytes_of(DType::i4, 0), 0U);
  EXPECT_EQ(bytes_of(DType::i4, 3), 2U);
  EXPECT_EQ(bytes_of(DType::e2m1, 4), 2U);
  EXPECT_EQ(bytes_of(DType::f32, 3), 12U);
  EXPECT_EQ((TensorSpec{"w", Role::input, DType::i4, {3, 5}}.bytes()), 8U);
}

TEST(DTypes, HoldWhatATensorIsSet) {
  std::mt19937_64 random(1);
  for (const DType type : dtypes) {
    HostTensor tensor({"x", Role::input, type, {7, 9}});
    std::vector<double> values;
    for (std::int64_t i = 0; i < tensor.spec.elements(); ++i) {
      values.push_back(stored(type, static_cast<double>(random() % 16) - 8));
      tensor.set(i, values.back());
    }
    for (std::int64_t i = 0; i < tensor.spec.elements(); ++i)
      EXPECT_EQ(tensor.at(i), values[static_cast<std::size_t>(i)]) << name_of(type) << " " << i;
  }
}

TEST(DTypes, ConvertFloatsAsDoublesAre) {
  for (int bits = 0; bits < 65536; ++bits) {
    const float value = float_from_f16(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    EXPECT_EQ(float_from_e4m3(e4m3_from_float(value)), stored(DType::e4m3, value)) << value;
    EXPECT_EQ(float_from_e5m2(e5m2_from_float(value)), stored(DType::e5m2, value)) << value;
  }
}

}  // namespace
}  // namespace harness::sdk
