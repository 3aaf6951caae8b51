// The networks mlp, conv and transformer: their right answers are those of Python, and the CPU's threads
// agree with them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/backends/cpu_network.h"
#include "kernels/backends/fp8.h"
#include "tests/kernels/network_case.h"

namespace backends {
namespace {

using harness::sdk::DType;

Shape mlp(std::int64_t layers, std::int64_t width, std::int64_t batch, DType dtype = DType::f16) {
  return {.network = Network::mlp, .dtype = dtype, .layers = layers, .batch = batch, .width = width};
}
Shape conv(std::int64_t layers, std::int64_t channels, std::int64_t size, std::int64_t batch,
           DType dtype = DType::f16) {
  Shape shape = {.network = Network::conv, .dtype = dtype, .layers = layers, .batch = batch};
  shape.width = channels;
  shape.size = size;
  return shape;
}
Shape transformer(std::int64_t layers, std::int64_t heads, std::int64_t width, std::int64_t length,
                  std::int64_t batch, DType dtype = DType::f16) {
  return {.network = Network::transformer,
          .dtype = dtype,
          .layers = layers,
          .batch = batch,
          .width = width,
          .heads = heads,
          .length = length};
}

// The sum of y, and that of y times its place from 1 on, for an x that is easily written down.
std::pair<double, double> sums_of(const Shape& shape) {
  NetworkCase one(shape);
  for (std::int64_t i = 0; i < shape.elements(); ++i)
    one.tensors[x_index].set(i, static_cast<double>(i * 37 % 64) / 32 - 1);
  std::vector<std::int64_t> wanted(static_cast<std::size_t>(shape.elements()));
  std::iota(wanted.begin(), wanted.end(), 0);
  std::vector<double> y(wanted.size());
  one.workload().reference(one.params, std::span(one.tensors).first(1), 0, wanted, y);
  std::pair<double, double> sums;
  for (std::size_t i = 0; i < y.size(); ++i) {
    sums.first += y[i];
    sums.second += y[i] * static_cast<double>(i + 1);
  }
  return sums;
}

// Plain Python of networks.py and operations.py gives these sums. So weights are the same, too.
TEST(Networks, AreThoseOfPython) {
  const auto expect = [](const Shape& shape, double sum, double by_place) {
    const auto [found, found_by_place] = sums_of(shape);
    EXPECT_NEAR(found, sum, 1e-9);
    EXPECT_NEAR(found_by_place, by_place, 1e-8);
  };
  expect(mlp(2, 5, 3), 3.2742599234506997, 25.298200820216152);
  expect(conv(2, 3, 4, 2), 8.926483796288949, 364.128389777419);
  expect(transformer(2, 2, 6, 4, 2), -7.927686285214008e-16, -20.214296655450354);
}

TEST(Networks, CountTheWorkOfProductsAndAttention) {
  EXPECT_EQ(flops_of(mlp(2, 5, 3)), 2 * 2 * 3 * 25);
  EXPECT_EQ(flops_of(conv(2, 3, 4, 2)), 2 * 2 * 2 * 16 * 81);
  EXPECT_EQ(flops_of(transformer(2, 2, 6, 4, 2)), 2 * (2 * 8 * 12 * 36 + 4 * 2 * 16 * 6));
  const NetworkCase one(mlp(2, 5, 3));
  EXPECT_EQ(one.problem.work.bytes, 2 * (2 * 25 + 2 * 15));
}

TEST(Networks, HeadsDivideTheWidth) {
  EXPECT_THROW((void)shape_of(Network::transformer, params_of(transformer(1, 3, 8, 2, 1))),
               harness::sdk::Unsupported);
}

double error_of_threads(const Shape& shape) {
  NetworkCase one(shape);
  harness::sdk::DeviceTraits traits;
  traits.multiprocessors = 2;
  ThreadsNetwork network(shape.network, one.params, traits);
  network.bind({one.addresses, nullptr});
  network.run({});
  return one.error();
}

TEST(Networks, OnThreadsAgreeWithTheOracle) {
  for (const DType dtype : {DType::f16, DType::f32}) {
    EXPECT_LE(error_of_threads(mlp(1, 3, 2, dtype)), 1);
    EXPECT_LE(error_of_threads(mlp(3, 130, 7, dtype)), 1);
    EXPECT_LE(error_of_threads(conv(1, 2, 3, 1, dtype)), 1);
    EXPECT_LE(error_of_threads(conv(3, 10, 7, 2, dtype)), 1);
    EXPECT_LE(error_of_threads(transformer(1, 1, 2, 1, 1, dtype)), 1);
    EXPECT_LE(error_of_threads(transformer(2, 3, 24, 5, 2, dtype)), 1);
    EXPECT_LE(error_of_threads(transformer(1, 2, 64, 130, 1, dtype)), 1);
  }
  EXPECT_LE(error_of_threads(mlp(2, 64, 5, DType::f32)), 1e-3) << "f32 is far more precise";
}

float rounded_to_e4m3(float value) {
  return harness::sdk::float_from_e4m3(harness::sdk::e4m3_from_float(value));
}

// The FP8 variants of an mlp in plain C++. `size`: of x. Sets y, and tells the largest code of a chained
// result.
float run_fp8(NetworkCase& one, const Shape& shape, bool chained, float size = 1) {
  const auto width = static_cast<std::size_t>(shape.width), rows = static_cast<std::size_t>(shape.batch);
  std::vector<float> x(rows * width);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    one.tensors[x_index].set(at, one.tensors[x_index].at(at) * static_cast<double>(size));
    x[i] = static_cast<float>(one.tensors[x_index].at(at));
  }
  ChainedScales scales;
  float scale = 1, largest = 0;
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(shape.layers); ++layer) {
    const Fp8Weight weight = fp8_weight(shape, layer);
    const auto* const codes = reinterpret_cast<const std::uint8_t*>(weight.codes.data());
    const bool last = layer + 1 == static_cast<std::size_t>(shape.layers);
    if (!chained || layer == 0) {
      scale = kernels::scale_for(kernels::largest_magnitude(x.data(), shape.elements()), DType::e4m3);
      for (float& value : x) value = rounded_to_e4m3(value / scale);
    }
    const float factor = chained ? scales.factor(weight, last) * (last ? scale : 1) : weight.scale * scale;
    std::vector<float> y(x.size());
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < width; ++column) {
        float sum = 0;
        for (std::size_t k = 0; k < width; ++k)
          sum += x[row * width + k] * harness::sdk::float_from_e4m3(codes[column * width + k]);
        sum = std::max(sum * factor, 0.0F);
        if (chained && !last) largest = std::max(largest, sum = rounded_to_e4m3(sum));
        y[row * width + column] = sum;
      }
    x = y;
  }
  harness::sdk::HostTensor& y = one.tensors[y_index];
  for (std::size_t i = 0; i < x.size(); ++i) y.set(static_cast<std::int64_t>(i), static_cast<double>(x[i]));
  std::memcpy(one.addresses[y_index], y.data.data(), y.data.size());
  return largest;
}

// How far y is off, as a share of what FP8 may be.
double error_in_fp8(NetworkCase& one, const Shape& shape) {
  return one.error() * one.problem.tolerance.relative / fp8_tolerance(shape, one.problem.tolerance).relative;
}

TEST(NetworksInFp8, AreWithinTheirTolerance) {
  for (const Shape& shape : {mlp(1, 16, 3), mlp(4, 256, 8), mlp(8, 64, 33), mlp(4, 1024, 2)})
    for (const bool chained : {false, true}) {
      NetworkCase one(shape);
      const float largest = run_fp8(one, shape, chained);
      EXPECT_LT(largest, 448) << "nothing saturates";
      const double error = error_in_fp8(one, shape);
      EXPECT_LE(error, 1) << shape.width;
      EXPECT_GE(error, 0.1) << "FP8 is no closer";
      if (chained && shape.layers > 1) {
        EXPECT_GT(largest, 4) << "and no scale is far too large";
      }
    }
}

TEST(NetworksInFp8, ChainTheirScalesForEachSizeOfX) {
  const Shape shape = mlp(4, 128, 8);
  for (const float size : {0.002F, 300.0F}) {
    NetworkCase one(shape), of_size(shape);
    const float largest = run_fp8(one, shape, true), of_large = run_fp8(of_size, shape, true, size);
    EXPECT_NEAR(of_large, largest, 0.1 * static_cast<double>(largest));
    EXPECT_LE(error_in_fp8(of_size, shape), 1);
  }
}

TEST(NetworksInFp8, HaveWeightsWhoseColumnsAreRows) {
  const Shape shape = mlp(2, 32, 1);
  const Fp8Weight weight = fp8_weight(shape, 1);
  const std::vector<std::uint16_t> values = weight_values(shape, 1);
  ASSERT_EQ(weight.codes.size(), 32U * 32U / 2);
  const auto* const codes = reinterpret_cast<const std::uint8_t*>(weight.codes.data());
  float largest = 0;
  for (std::size_t row = 0; row < 32; ++row)
    for (std::size_t column = 0; column < 32; ++column) {
      const float value = harness::sdk::float_from_f16(values[row * 32 + column]),
                  code = harness::sdk::float_from_e4m3(codes[column * 32 + row]);
      EXPECT_NEAR(code * weight.scale, value, std::fabs(value) / 16 + 0x1p-10F * weight.scale);
      largest = std::max(largest, std::fabs(code));
    }
  EXPECT_EQ(largest, 448);
  EXPECT_NEAR(weight.gain, 1, 0.2) << "weights keep the size of the sums";
}

}  // namespace
}  // namespace backends
