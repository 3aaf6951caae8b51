// Tensor Core primitives against plain products, and asynchronous copies against programs that forget to
// wait for them. The fragments are filled here element by element, from the figures of the PTX ISA.
#include "kernels/ptx/mma.cuh"

#include <gmock/gmock.h>

#include "kernels/ptx/wgmma.cuh"

namespace {

using emulate::Buffer;
using emulate::Failure;
using emulate::Landing;
using emulate::launch;
using emulate::Options;
using emulate::Order;
using ptx::F16;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Options late{Landing::late, Order::shuffled, 3};
constexpr Options early{Landing::early, Order::forward, 1};

// Small integers, exact in every type, different enough to tell places apart.
float value(int row, int column) {
  return static_cast<float>((row * 7 + column * 3) % 11 - 5);
}

// a and b as fragments of m16n8k16, written out as the tables of the PTX ISA have them.
__global__ void mma16(float* out) {
  const int g = static_cast<int>(threadIdx.x) / 4;
  const int q = static_cast<int>(threadIdx.x) % 4;
  const std::uint32_t a[4] = {F16::narrow(value(g, 2 * q), value(g, 2 * q + 1)),
                              F16::narrow(value(g + 8, 2 * q), value(g + 8, 2 * q + 1)),
                              F16::narrow(value(g, 2 * q + 8), value(g, 2 * q + 9)),
                              F16::narrow(value(g + 8, 2 * q + 8), value(g + 8, 2 * q + 9))};
  const std::uint32_t b[2] = {F16::narrow(value(2 * q, g), value(2 * q + 1, g)),
                              F16::narrow(value(2 * q + 8, g), value(2 * q + 9, g))};
  float d[4] = {1, 1, 1, 1};
  ptx::mma_m16n8k16(F16{}, d, a, b);
  out[g * 8 + 2 * q] = d[0];
  out[g * 8 + 2 * q + 1] = d[1];
  out[(g + 8) * 8 + 2 * q] = d[2];
  out[(g + 8) * 8 + 2 * q + 1] = d[3];
}

__global__ void mma_tf32(float* out) {
  const int g = static_cast<int>(threadIdx.x) / 4;
  const int q = static_cast<int>(threadIdx.x) % 4;
  const std::uint32_t a[4] = {ptx::to_tf32(value(g, q)), ptx::to_tf32(value(g + 8, q)),
                              ptx::to_tf32(value(g, q + 4)), ptx::to_tf32(value(g + 8, q + 4))};
  const std::uint32_t b[2] = {ptx::to_tf32(value(q, g)), ptx::to_tf32(value(q + 4, g))};
  float d[4] = {1, 1, 1, 1};
  ptx::mma_m16n8k8_tf32(d, a, b);
  out[g * 8 + 2 * q] = d[0];
  out[g * 8 + 2 * q + 1] = d[1];
  out[(g + 8) * 8 + 2 * q] = d[2];
  out[(g + 8) * 8 + 2 * q + 1] = d[3];
}

void expect_product(const Buffer<float>& out, int depth) {
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      float sum = 1;
      for (int p = 0; p < depth; ++p) sum += value(row, p) * value(p, column);
      EXPECT_EQ(out[static_cast<std::size_t>(row * 8 + column)], sum) << row << ", " << column;
    }
}

TEST(Mma, MultipliesFragmentsOfTheIsa) {
  const Buffer<float> out("out", std::size_t{16} * 8);
  launch(late, {1}, {32}, 0, mma16, out.data());
  expect_product(out, 16);
  launch(late, {1}, {32}, 0, mma_tf32, out.data());
  expect_product(out, 8);
}

TEST(Mma, RoundsToTf32ToNearest) {
  EXPECT_EQ(ptx::to_tf32(1.0F), 0x3F800000U);
  EXPECT_EQ(ptx::to_tf32(std::bit_cast<float>(0x3F801000U)), 0x3F802000U) << "a tie goes away from zero";
  EXPECT_EQ(ptx::to_tf32(std::bit_cast<float>(0xBF800FFFU)), 0xBF800000U);
}

// Loads four matrices whose element (row, column) of matrix i is 64 i + 8 row + column.
template <bool Transposed>
__global__ void load(std::uint32_t* out) {
  KERNEL_DYNAMIC_SHARED(memory, 16);
  auto* const elements = reinterpret_cast<std::uint16_t*>(memory);
  for (int i = 0; i < 8; ++i) elements[threadIdx.x * 8 + i] = static_cast<std::uint16_t>(threadIdx.x * 8 + i);
  __syncwarp();
  std::uint32_t to[4];
  const std::uint32_t from = ptx::shared_address(memory + std::size_t{threadIdx.x} * 16);
  if constexpr (Transposed)
    ptx::ldmatrix_x4_transposed(to, from);
  else
    ptx::ldmatrix_x4(to, from);
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = to[i];
}

TEST(Ldmatrix, GivesEachThreadItsElements) {
  const Buffer<std::uint32_t> out("out", 128);
  const auto at = [&](int t, int i) {
    return out[static_cast<std::size_t>(t) * 4 + static_cast<std::size_t>(i)];
  };
  launch(late, {1}, {32}, 512, load<false>, out.data());
  for (int t = 0; t < 32; ++t)
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t first = static_cast<std::uint32_t>(64 * i + 8 * (t / 4) + 2 * (t % 4));
      EXPECT_EQ(at(t, i), first | (first + 1) << 16);
    }
  launch(late, {1}, {32}, 512, load<true>, out.data());
  for (int t = 0; t < 32; ++t)
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t first = static_cast<std::uint32_t>(64 * i + 8 * (2 * (t % 4)) + t / 4);
      EXPECT_EQ(at(t, i), first | (first + 8) << 16);
    }
}

template <bool Waits>
__global__ void copies(const float* in, float* out, int bytes) {
  KERNEL_DYNAMIC_SHARED(memory, 16);
  ptx::cp_async_16(ptx::shared_address(memory + std::size_t{threadIdx.x} * 16),
                   in + std::size_t{threadIdx.x} * 4, bytes);
  ptx::cp_async_commit();
  if constexpr (Waits) ptx::cp_async_wait<0>();
  for (int i = 0; i < 4; ++i)
    out[threadIdx.x * 4 + i] = reinterpret_cast<float*>(memory)[threadIdx.x * 4 + i];
}

TEST(CpAsync, CopiesAndFillsWithZeros) {
  const Buffer<float> in("in", 16);
  const Buffer<float> out("out", 16);
  for (int i = 0; i < 16; ++i) in[static_cast<std::size_t>(i)] = static_cast<float>(i + 1);
  for (const Options& options : {early, late}) {
    launch(options, {1}, {4}, 64, copies<true>, in.data(), out.data(), 8);
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(out[static_cast<std::size_t>(i)], i % 4 < 2 ? static_cast<float>(i + 1) : 0.0F);
  }
}
TEST(CpAsync, ThatNobodyWaitsForIsNotThereYet) {
  const Buffer<float> in("in", 16);
  const Buffer<float> out("out", 16);
  for (std::size_t i = 0; i < 16; ++i) in[i] = 1;
  launch(late, {1}, {4}, 64, copies<false>, in.data(), out.data(), 16);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_TRUE(std::isnan(out[i]));
}
TEST(CpAsync, PastABufferOrPastSharedMemoryIsNoticed) {
  const Buffer<float> in("in", 14);
  const Buffer<float> out("out", 16);
  EXPECT_THAT([&] { launch(late, {1}, {4}, 64, copies<true>, in.data(), out.data(), 16); },
              ThrowsMessage<Failure>(HasSubstr("cp.async reads 16 bytes at byte 48 of `in`, which has 56")));
  EXPECT_THAT([&] { launch(late, {1}, {4}, 48, copies<true>, in.data(), out.data(), 0); },
              ThrowsMessage<Failure>(HasSubstr("cp.async of 16 bytes at shared address")));
}

}  // namespace
