// The rungs of matmul on CUDA cores, wmma and mma.sync, run on the CPU by the emulator with the launches that
// they plan for a GPU, against the float64 oracle: random shapes with tails, both landings, every order.
#include "kernels/matmul/rungs/coalesced.cuh"
#include "kernels/matmul/rungs/gemv.cuh"
#include "kernels/matmul/rungs/naive.cuh"
#include "kernels/matmul/rungs/register_tiles.cuh"
#include "kernels/matmul/rungs/shared.cuh"
#include "kernels/matmul/rungs/wmma.cuh"
#include "tests/emulate/product.h"

namespace {

using emulate::every_schedule;
using emulate::Extents;
using emulate::Options;
using emulate::ProductCase;
using emulate::Shapes;

template <class Rung, class Element>
void expect_rung_right(const Extents& shape, const Options& options, int multiprocessors = 132) {
  ProductCase<Element> c(shape);
  const auto launch = Rung::template plan<Element>(c.problem(), multiprocessors);
  c.expect_right(options, [&](const gemm::Problem<Element>& problem) {
    emulate::launch(options, launch.grid, launch.threads, static_cast<std::size_t>(launch.shared_bytes),
                    launch.kernel, problem);
  });
}

template <class Rung, class... Elements>
void expect_right_everywhere(std::uint64_t seed, int largest, int multiple = 1) {
  Shapes shapes(seed, largest, multiple);
  for (const Options& options : every_schedule())
    (expect_rung_right<Rung, Elements>(shapes.next(), options), ...);
  (expect_rung_right<Rung, Elements>({1, 1, 1}, {}), ...);
}

TEST(MatmulRung, NaiveIsRight) {
  expect_right_everywhere<matmul::Naive, ptx::F32, ptx::F16, ptx::BF16>(1, 70);
}
TEST(MatmulRung, CoalescedIsRight) {
  expect_right_everywhere<matmul::Coalesced, ptx::F32, ptx::F16, ptx::BF16>(2, 70);
}
TEST(MatmulRung, SharedIsRight) {
  expect_right_everywhere<matmul::Shared, ptx::F32, ptx::F16, ptx::BF16>(3, 70);
}
TEST(MatmulRung, RegisterTilesAreRightOnOddShapes) {
  expect_right_everywhere<matmul::RegisterTiles, ptx::F32>(4, 150);
}
TEST(MatmulRung, RegisterTilesAreRightOnWholePieces) {
  expect_right_everywhere<matmul::RegisterTiles, ptx::F32>(5, 150, 4);
}
TEST(MatmulRung, LargeRegisterTilesAreRight) {
  for (const Options& options : every_schedule()) {
    expect_rung_right<matmul::RegisterTiles, ptx::F32>({150, 140, 72}, options, 1);
    expect_rung_right<matmul::RegisterTiles, ptx::F32>({3, 260, 4}, options, 1);
  }
}
// With so many multiprocessors two large tiles are too few.
TEST(MatmulRung, RegisterTilesOfMiddlingSizeAreRight) {
  for (const Options& options : every_schedule()) {
    expect_rung_right<matmul::RegisterTiles, ptx::F32>({70, 72, 21}, options, 2);
    expect_rung_right<matmul::RegisterTiles, ptx::F32>({70, 71, 40}, options, 2);
    expect_rung_right<matmul::RegisterTiles, ptx::F32>({128, 64, 48}, options, 2);
  }
}
TEST(MatmulRung, WholeRegisterTilesAreRight) {
  for (const Options& options : every_schedule()) {
    expect_rung_right<matmul::RegisterTiles, ptx::F32>({256, 128, 80}, options, 1);
    expect_rung_right<matmul::RegisterTiles, ptx::F32>({128, 256, 16}, options, 1);
    expect_rung_right<matmul::RegisterTiles, ptx::F32>({64, 128, 32}, options);
  }
}
TEST(MatmulRung, RegisterTilesAreTheLargestThatFillTheDevice) {
  const auto threads_and_blocks = [](int m, int n) {
    const gemm::Problem<ptx::F32> problem{nullptr, nullptr, nullptr, m, n, 512};
    const auto launch = matmul::RegisterTiles::plan(problem, 132);
    return std::pair(launch.threads.x, launch.grid.x);
  };
  EXPECT_EQ(threads_and_blocks(4096, 4096), std::pair(128U, 1024U));
  EXPECT_EQ(threads_and_blocks(2048, 2048), std::pair(128U, 256U));
  EXPECT_EQ(threads_and_blocks(1024, 1024), std::pair(64U, 256U));
  EXPECT_EQ(threads_and_blocks(512, 512), std::pair(64U, 256U));
}
TEST(MatmulRung, WmmaIsRight) {
  expect_right_everywhere<matmul::Wmma, ptx::F16, ptx::BF16>(6, 100);
}
TEST(MatmulRung, WmmaIsRightOnWholePieces) {
  expect_right_everywhere<matmul::Wmma, ptx::F16, ptx::BF16>(7, 200, 8);
}
TEST(MatmulRung, LargeWmmaTilesAreRight) {
  for (const Options& options : every_schedule())
    expect_rung_right<matmul::Wmma, ptx::BF16>({150, 200, 72}, options, 1);
}

// Few multiprocessors make blocks of few threads.
TEST(MatmulRung, GemvIsRight) {
  for (const Options& options : every_schedule()) {
    expect_rung_right<matmul::Gemv, ptx::BF16>({1, 136, 300}, options);
    expect_rung_right<matmul::Gemv, ptx::F16>({2, 64, 1030}, options, 1);
    expect_rung_right<matmul::Gemv, ptx::BF16>({3, 40, 77}, options);
    expect_rung_right<matmul::Gemv, ptx::F16>({4, 104, 513}, options, 1);
    expect_rung_right<matmul::Gemv, ptx::F16>({1, 8, 1}, options);
  }
}
TEST(MatmulRung, GemvRefusesWhatItDoesNotMultiply) {
  gemm::Problem<ptx::F16> problem{nullptr, nullptr, nullptr, 4, 64, 7};
  EXPECT_EQ(matmul::Gemv::refusal(problem), nullptr);
  problem.m = 5;
  EXPECT_NE(matmul::Gemv::refusal(problem), nullptr);
  problem = {nullptr, nullptr, nullptr, 1, 68, 7};
  EXPECT_NE(matmul::Gemv::refusal(problem), nullptr);
}

}  // namespace
