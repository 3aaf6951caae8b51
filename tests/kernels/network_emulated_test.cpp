// The launches of the fused networks in the emulator, against the oracle.
#include <gmock/gmock.h>

#include "kernels/backends/fused_network.cuh"
#include "kernels/backends/im2col_kernel.cuh"
#include "kernels/backends/oracle.h"
#include "tests/emulate/block.h"
#include "tests/kernels/network_case.h"

namespace backends {
namespace {

const transformer_block::Device few_multiprocessors = {3, emulate::Block::most_shared_bytes};

double error_emulated(const Shape& shape, emulate::Order order = emulate::Order::shuffled) {
  NetworkCase one(shape);
  FusedNetwork network(shape, few_multiprocessors);
  const std::vector<std::uint16_t>& packed = network.weights().values();
  const emulate::Memory weights("weights", packed.size() * 2);
  std::memcpy(weights.data(), packed.data(), packed.size() * 2);
  const emulate::Memory values("values", static_cast<std::size_t>(network.value_elements()) * 2);
  network.bind(one.addresses, reinterpret_cast<std::uint16_t*>(weights.data()),
               reinterpret_cast<std::uint16_t*>(values.data()));
  network.each([&](const auto& step) {
    step.run([&](bool, auto* kernel, dim3 blocks, dim3 threads, std::size_t bytes, const auto&... arguments) {
      emulate::launch({emulate::Landing::late, order, 3}, blocks, threads, bytes, kernel, arguments...);
    });
  });
  return one.error();
}

Shape mlp(std::int64_t layers, std::int64_t width, std::int64_t batch) {
  return {.network = Network::mlp, .layers = layers, .batch = batch, .width = width};
}
Shape conv(std::int64_t layers, std::int64_t channels, std::int64_t size, std::int64_t batch) {
  Shape shape = {.network = Network::conv, .layers = layers, .batch = batch, .width = channels};
  shape.size = size;
  return shape;
}
Shape transformer(std::int64_t layers, std::int64_t heads, std::int64_t width, std::int64_t length,
                  std::int64_t batch) {
  return {.network = Network::transformer,
          .layers = layers,
          .batch = batch,
          .width = width,
          .heads = heads,
          .length = length};
}

int launches_of(const Shape& shape) {
  int count = 0;
  FusedNetwork(shape, few_multiprocessors).each([&](const auto&) { ++count; });
  return count;
}

TEST(FusedNetworks, OfFewRowsAgreeWithTheOracle) {
  EXPECT_LE(error_emulated(mlp(1, 64, 1), emulate::Order::first_warps), 1);
  EXPECT_LE(error_emulated(mlp(3, 128, 33), emulate::Order::last_warps), 1);
  EXPECT_LE(error_emulated(mlp(2, 192, 70)), 1);
}

TEST(FusedNetworks, OfOtherWidthsAgreeWithTheOracle) {
  EXPECT_LE(error_emulated(mlp(2, 72, 5)), 1);
  EXPECT_LE(error_emulated(mlp(2, 200, 130)), 1);
}

TEST(FusedNetworks, OfTokensAgreeWithTheOracle) {
  EXPECT_LE(error_emulated(transformer(1, 1, 32, 1, 1)), 1);
  EXPECT_LE(error_emulated(transformer(2, 2, 128, 20, 2)), 1);
  EXPECT_LE(error_emulated(transformer(1, 3, 96, 70, 1)), 1);
  EXPECT_LE(error_emulated(transformer(1, 1, 128, 130, 1)), 1);
}

TEST(FusedNetworks, OfPicturesAgreeWithTheOracle) {
  EXPECT_LE(error_emulated(conv(1, 8, 1, 1), emulate::Order::first_warps), 1);
  EXPECT_LE(error_emulated(conv(3, 8, 5, 3), emulate::Order::last_warps), 1);
  EXPECT_LE(error_emulated(conv(2, 64, 9, 1)), 1);
  EXPECT_LE(error_emulated(conv(1, 72, 6, 2)), 1) << "a tap of more than one slot";
  EXPECT_LE(error_emulated(conv(1, 136, 12, 1)), 1) << "large tiles";
}

TEST(FusedNetworks, HaveALaunchForEachProductAndNorm) {
  EXPECT_EQ(launches_of(mlp(4, 64, 2)), 4);
  EXPECT_EQ(launches_of(transformer(2, 2, 128, 4, 1)), 2 * 7);
  EXPECT_EQ(launches_of(conv(4, 8, 3, 1)), 4 + 2);
}

TEST(FusedNetworks, ShareMemoryAmongValuesThatAreGone) {
  EXPECT_EQ(FusedNetwork(mlp(9, 64, 2), few_multiprocessors).value_elements(), 128);
}

TEST(Im2col, HasTheNeighboursOfEachPointByTap) {
  const Shape shape = conv(1, 2, 17, 2);
  const std::int64_t points = shape.points(), planes = shape.batch * shape.width;
  std::vector<std::uint16_t> values(static_cast<std::size_t>(planes * points));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i + 1);
  const emulate::Buffer<std::uint16_t> x("x", values), y("y", values.size() * 9);
  const dim3 grid{static_cast<unsigned>((points + im2col_threads - 1) / im2col_threads),
                  static_cast<unsigned>(shape.width * 9), static_cast<unsigned>(shape.batch)};
  emulate::launch({}, grid, {im2col_threads, 1, 1}, 0, &im2col_kernel<std::uint16_t>, Pictures{2, 2, 17},
                  x.data(), y.data());
  for (std::int64_t plane = 0; plane < planes; ++plane)
    for (std::int64_t tap = 0; tap < 9; ++tap)
      for (std::int64_t point = 0; point < points; ++point) {
        const std::int64_t from = neighbour(point, tap, shape.size);
        ASSERT_EQ(y[static_cast<std::size_t>((plane * 9 + tap) * points + point)],
                  from < 0 ? 0 : values[static_cast<std::size_t>(plane * points + from)])
            << plane << " " << tap << " " << point;
      }
}

TEST(FusedNetworks, RefuseWhatTheyAreNotWrittenFor) {
  using harness::sdk::Unsupported;
  const auto make = [](const Shape& shape) { FusedNetwork network(shape, few_multiprocessors); };
  Shape wide = mlp(1, 64, 1);
  wide.dtype = harness::sdk::DType::f32;
  EXPECT_THROW(make(wide), Unsupported);
  EXPECT_THROW(make(mlp(1, 12, 1)), Unsupported);
  EXPECT_THROW(make(transformer(1, 4, 64, 1, 1)), Unsupported);
  EXPECT_THROW(make(conv(1, 64, 4096, 8)), Unsupported);
}

}  // namespace
}  // namespace backends
