// Sparse warpgroup products and transposed stores, against sums over the dense matrix.
#include "kernels/ptx/wgmma_sparse.cuh"

#include <gmock/gmock.h>

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
constexpr int columns = 64;
constexpr int depth = 64;  // two products

// The places of each four of A's columns: all six pairs take turns.
constexpr int pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
const int (&kept(int row, int group))[2] {
  return pairs[(row * 5 + group * 7) % 6];
}
int stored(int row, int i) {
  return (row * 7 + i * 3) % 11 - 5;
}
int of_b(int p, int column) {
  return (p * 5 + column * 3) % 7 - 3;
}

// As the PTX ISA has it: rows 16 w + g and 8 below, 16 columns a thread of a quad.
std::uint32_t word_of(int number) {
  std::uint32_t word = 0;
  for (int below = 0; below < 2; ++below)
    for (int group = 0; group < 4; ++group) {
      const int row = number / 32 * 16 + number % 32 / 4 + below * 8;
      const auto& places = kept(row, number % 4 * 4 + group);
      word |= static_cast<std::uint32_t>(places[0] | places[1] << 2) << (below * 16 + group * 4);
    }
  return word;
}

void put(unsigned char* memory, int row, int column, int value) {
  const std::uint32_t at = emulate::swizzle_128(static_cast<std::uint32_t>(row * 128 + column * 2));
  const std::uint16_t bits = F16::narrow(static_cast<float>(value));
  std::memcpy(memory + at, &bits, sizeof bits);
}

__global__ void sparse_product(std::uint32_t wrong, float* out) {
  KERNEL_DYNAMIC_SHARED(memory, 1024);
  const int number = static_cast<int>(threadIdx.x);
  if (number < 64) {
    for (int i = 0; i < depth / 2; ++i) put(memory, number, i, stored(number, i));
    for (int p = 0; p < depth; ++p) put(memory + 64 * 128, number, p, of_b(p, number));
  }
  ptx::fence_proxy_async();
  __syncthreads();
  const std::uint32_t a = ptx::shared_address(memory);
  const std::uint32_t b = a + 64 * 128;
  const std::uint32_t places = word_of(number) ^ wrong;
  float d[columns / 2];
  ptx::wgmma_fence();
  ptx::WgmmaSparse<F16, columns>::shared<0>(d, ptx::swizzled_descriptor(a, 16, 1024),
                                            ptx::swizzled_descriptor(b, 16, 1024), places, 0);
  ptx::WgmmaSparse<F16, columns>::shared<1>(d, ptx::swizzled_descriptor(a + 32, 16, 1024),
                                            ptx::swizzled_descriptor(b + 64, 16, 1024), places, 1);
  ptx::wgmma_commit();
  ptx::wgmma_wait<0>();
  const int row = number / 32 * 16 + number % 32 / 4;
  for (int i = 0; i < columns / 2; ++i)
    out[(row + i / 2 % 2 * 8) * columns + i / 4 * 8 + number % 4 * 2 + i % 2] = d[i];
}

TEST(SparseWgmma, PutsStoredElementsIntoTheirPlaces) {
  for (const Options& options : {early, late}) {
    const Buffer<float> out("out", std::size_t{64} * columns);
    launch(options, {1}, {128}, 2 * 64 * 128, sparse_product, 0U, out.data());
    for (int row = 0; row < 64; ++row)
      for (int column = 0; column < columns; ++column) {
        int sum = 0;
        for (int i = 0; i < depth / 2; ++i)
          sum += stored(row, i) * of_b(i / 2 * 4 + kept(row, i / 2)[i % 2], column);
        ASSERT_EQ(out[static_cast<std::size_t>(row * columns + column)], static_cast<float>(sum))
            << row << " " << column;
      }
  }
}

TEST(SparseWgmma, RefusesPlacesThatDoNotAscend) {
  const Buffer<float> out("out", std::size_t{64} * columns);
  EXPECT_THAT([&] { launch(late, {1}, {128}, 2 * 64 * 128, sparse_product, 0xFU, out.data()); },
              ThrowsMessage<Failure>(HasSubstr("do not ascend")));
}

// Stores four matrices transposed: matrix i has 64 i + 8 row + column at (row, column) of the registers.
__global__ void store_transposed(std::uint16_t* out) {
  KERNEL_DYNAMIC_SHARED(memory, 16);
  const std::uint32_t t = threadIdx.x;
  std::uint32_t from[4];
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t first = 64 * i + 8 * (t / 4) + 2 * (t % 4);
    from[i] = first | (first + 1) << 16;
  }
  ptx::stmatrix_x4_transposed(ptx::shared_address(memory + std::size_t{t} * 16), from);
  __syncwarp();
  std::uint32_t back[4];
  ptx::ldmatrix_x4_transposed(back, ptx::shared_address(memory + std::size_t{t} * 16));
  for (std::uint32_t i = 0; i < 8; ++i)
    out[t * 8 + i] = reinterpret_cast<const std::uint16_t*>(memory)[t * 8 + i];
  for (std::uint32_t i = 0; i < 4; ++i)
    if (back[i] != from[i]) out[t * 8] = 0xFFFF;
}

TEST(Stmatrix, TransposesWhatItStores) {
  const Buffer<std::uint16_t> out("out", 256);
  launch(late, {1}, {32}, 512, store_transposed, out.data());
  for (std::size_t i = 0; i < 256; ++i)
    EXPECT_EQ(out[i], i / 64 * 64 + i % 8 * 8 + i % 64 / 8) << "row i / 8 % 8 of a matrix is a column";
}

}  // namespace
