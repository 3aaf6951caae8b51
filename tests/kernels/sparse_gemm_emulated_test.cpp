// The CUDA kernels of sparse_gemm in the emulator: compression byte by byte against the host's, and the
// product on wgmma.sp on tails against the workload's oracle.
#include <gmock/gmock.h>

#include <cstring>

#include "kernels/sparse_gemm/compress_kernel.cuh"
#include "kernels/sparse_gemm/sparse_tile.cuh"
#include "tests/emulate/memory.h"
#include "tests/kernels/sparse_gemm_case.h"

namespace sparse_gemm {
namespace {

using emulate::Buffer;
using emulate::Landing;
using emulate::Options;
using emulate::Order;

constexpr Options schedules[] = {{Landing::late, Order::shuffled, 7},
                                 {Landing::early, Order::backward, 1},
                                 {Landing::late, Order::first_warps, 1},
                                 {Landing::late, Order::last_warps, 1}};

template <class T>
Buffer<T> on_device(const char* name, const harness::sdk::HostTensor& tensor) {
  return Buffer<T>(name,
                   std::span(reinterpret_cast<const T*>(tensor.data.data()), tensor.data.size() / sizeof(T)));
}

void expect_compressed(std::int64_t n, std::int64_t k) {
  SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(k));
  FilledSparseGemm dense("dense", 1, n, k), compressed("compressed", 1, n, k);
  const CompressedExtents extents = dense.shape.extents();
  const auto w = on_device<std::uint16_t>("w", dense.tensors[w_index]);
  const Buffer<unsigned char> blocks("blocks", static_cast<std::size_t>(extents.bytes()));
  emulate::launch(
      schedules[0],
      {static_cast<unsigned>(extents.blocks_across()), static_cast<unsigned>(extents.blocks_down())},
      {compress_threads}, 0, compress_kernel, w.data(), blocks.data(), static_cast<int>(n),
      static_cast<int>(k));
  const CompressedRows made(extents, reinterpret_cast<const std::byte*>(blocks.data()));
  const CompressedRows expected(extents, compressed.tensors[w_index].data.data());
  for (std::int64_t row = 0; row < extents.blocks_down() * block_rows; ++row)
    for (std::int64_t column = 0; column < extents.blocks_across() * block_depth; column += 4) {
      ASSERT_LT(made.places(row, column) & 3U, made.places(row, column) >> 2);
      if (row < n && column < k) {
        ASSERT_EQ(made.places(row, column), expected.places(row, column)) << row << " " << column;
      }
      for (int which = 0; which < 2; ++which)
        ASSERT_EQ(made.value(row, column, which), expected.value(row, column, which)) << row << " " << column;
    }
}

TEST(CompressKernel, MakesTheBlocksThatTheHostMakes) {
  expect_compressed(128, 64);
  expect_compressed(150, 200);
  expect_compressed(8, 8);
}

// On two multiprocessors, so that a block takes several tiles.
template <class Tile>
void expect_product(std::int64_t m, std::int64_t n, std::int64_t k) {
  SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k));
  FilledSparseGemm one("compressed", m, n, k);
  const auto x = on_device<std::uint16_t>("x", one.tensors[x_index]);
  const auto w = on_device<std::uint16_t>("w", one.tensors[w_index]);
  const Buffer<std::uint16_t> y("y", static_cast<std::size_t>(m * n));
  TransposedProblem problem;
  problem.y = y.data();
  problem.m = static_cast<int>(n);
  problem.n = static_cast<int>(m);
  problem.k = static_cast<int>(k);
  const SparseLaunch launch = sparse_launch_of<Tile>(n, m, 2);
  for (const Options& options : schedules) {
    std::memset(y.data(), 0xFF, y.size() * 2);
    emulate::launch(options, {static_cast<unsigned>(launch.blocks)}, {static_cast<unsigned>(launch.threads)},
                    static_cast<std::size_t>(launch.shared_bytes), launch.kernel,
                    ptx::make_tensor_map<ptx::F16>(w.data(), layout_of_blocks(problem)),
                    ptx::make_tensor_map<ptx::F16>(x.data(), layout_of_rows(problem, launch.columns)),
                    problem);
    std::memcpy(one.output().data.data(), y.data(), one.output().data.size());
    EXPECT_LE(one.error(), one.problem.tolerance.relative);
  }
}

TEST(SparseProduct, MultipliesOnTails) {
  expect_product<SparseTiling<64, 12>>(64, 128, 64);
  expect_product<SparseTiling<64, 12>>(1, 8, 8);
  expect_product<SparseTiling<64, 3>>(70, 264, 456);
  expect_product<SparseTiling<128, 8>>(129, 136, 200);
  expect_product<SparseTiling<256, 5>>(257, 392, 328);
}

TEST(SparseProduct, TakesWideTilesWhereThereAreEnough) {
  EXPECT_EQ(sparse_launch(8192, 8192, 132).columns, 256);
  EXPECT_EQ(sparse_launch(4096, 512, 132).columns, 128);
  EXPECT_EQ(sparse_launch(4096, 16, 132).columns, 64);
  EXPECT_EQ(sparse_launch(8192, 8192, 132).blocks, 132);
}

}  // namespace
}  // namespace sparse_gemm
