// The networks mlp, conv and transformer: their right answers are those of Python, and the CPU's threads
// agree with them.
#include <gmock/gmock.h>

#include <numeric>

#include "kernels/backends/cpu_network.h"
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

}  // namespace
}  // namespace backends
