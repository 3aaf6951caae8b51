// The products on wgmma, run by the emulator with the launches that they plan for a GPU: tails, rings that
// wrap, blocks that take several tiles.
#include <gmock/gmock.h>

#include "kernels/gemm/wgmma_specialised.cuh"
#include "kernels/gemm/wgmma_tma.cuh"
#include "tests/emulate/gelu_case.h"
#include "tests/emulate/tma_product.h"

namespace {

using emulate::Block;
using emulate::every_schedule;
using emulate::Extents;
using emulate::Options;
using emulate::ProductCase;
using emulate::run;
using gemm::PlainEpilogue;
using gemm::WgmmaTiling;
using linear_gelu::Gelu;
using ptx::BF16;
using ptx::F16;

template <class Element>
void expect_tma_right(const Extents& shape) {
  ProductCase<Element> c(shape);
  for (const Options& options : every_schedule())
    c.expect_right(options, [&](const gemm::Problem<Element>& problem) {
      run(options, gemm::wgmma_tma_launch<Element, PlainEpilogue>(problem.m, problem.n, 132), problem,
          PlainEpilogue{});
    });
}

// On a device of so many multiprocessors: few make a block take several tiles.
template <class Element, class Tile>
void expect_specialised_right(const Extents& shape, int multiprocessors) {
  ProductCase<Element> c(shape);
  for (const Options& options : every_schedule())
    c.expect_right(options, [&](const gemm::Problem<Element>& problem) {
      run(options,
          gemm::wgmma_specialised_launch_of<Element, Tile, PlainEpilogue>(problem.m, problem.n,
                                                                          multiprocessors),
          problem, PlainEpilogue{});
    });
}

TEST(WgmmaTma, IsRight) {
  expect_tma_right<F16>({130, 136, 328});
  expect_tma_right<BF16>({64, 128, 64});
  expect_tma_right<BF16>({1, 8, 8});
}
TEST(WgmmaSpecialised, WideTilesAreRight) {
  expect_specialised_right<BF16, WgmmaTiling<128, 256, 4>>({140, 264, 72}, 132);
  expect_specialised_right<F16, WgmmaTiling<128, 256, 4>>({128, 256, 320}, 132);
}
TEST(WgmmaSpecialised, NarrowerTilesAreRight) {
  expect_specialised_right<F16, WgmmaTiling<128, 128, 6>>({129, 120, 136}, 132);
  expect_specialised_right<BF16, WgmmaTiling<128, 64, 8>>({100, 72, 600}, 132);
  expect_specialised_right<F16, WgmmaTiling<128, 64, 8>>({1, 8, 8}, 132);
}
TEST(WgmmaSpecialised, LowTilesAreRight) {
  expect_specialised_right<F16, WgmmaTiling<64, 64, 12>>({65, 72, 904}, 132);
  expect_specialised_right<BF16, WgmmaTiling<64, 64, 12>>({1, 200, 72}, 2);
}
TEST(WgmmaSpecialised, TilesForTuningAreRight) {
  expect_specialised_right<BF16, WgmmaTiling<128, 192, 5>>({130, 200, 456}, 132);
  expect_specialised_right<F16, WgmmaTiling<64, 256, 5>>({65, 264, 72}, 1);
  expect_specialised_right<BF16, WgmmaTiling<64, 192, 6>>({60, 392, 136}, 2);
  expect_specialised_right<F16, WgmmaTiling<64, 128, 8>>({129, 136, 584}, 2);
}
TEST(WgmmaSpecialised, BlocksThatTakeSeveralTilesAreRight) {
  expect_specialised_right<F16, WgmmaTiling<128, 64, 2>>({300, 136, 200}, 2);
  expect_specialised_right<BF16, WgmmaTiling<128, 128, 3>>({260, 264, 72}, 1);
}

TEST(WgmmaSpecialised, AddsTheBiasAndAppliesGelu) {
  emulate::expect_gelu_right<F16, Gelu::tanh_form>(
      {70, 136, 72}, [](const Options& options, const gemm::Problem<F16>& problem, const auto& epilogue) {
        using Epilogue = std::decay_t<decltype(epilogue)>;
        run(options, gemm::wgmma_specialised_launch<F16, Epilogue>(problem.m, problem.n, 132), problem,
            epilogue);
      });
}

TEST(WgmmaSpecialised, TakesTheWidestTilesThatFillTheDevice) {
  const auto blocks_and_bytes = [](std::int64_t m, std::int64_t n) {
    const auto launch = gemm::wgmma_specialised_launch<BF16, PlainEpilogue>(m, n, 132);
    return std::pair(launch.blocks, launch.shared_bytes);
  };
  EXPECT_EQ(blocks_and_bytes(8192, 8192), std::pair(132, WgmmaTiling<128, 256, 4>::shared_bytes));
  EXPECT_EQ(blocks_and_bytes(2048, 1024), std::pair(128, WgmmaTiling<128, 128, 6>::shared_bytes));
  EXPECT_EQ(blocks_and_bytes(4096, 768), std::pair(128, WgmmaTiling<128, 192, 5>::shared_bytes));
  EXPECT_EQ(blocks_and_bytes(4096, 2304), std::pair(132, WgmmaTiling<128, 192, 5>::shared_bytes));
  EXPECT_EQ(blocks_and_bytes(1024, 1024), std::pair(128, WgmmaTiling<128, 64, 8>::shared_bytes));
  EXPECT_EQ(blocks_and_bytes(512, 512), std::pair(64, WgmmaTiling<64, 64, 12>::shared_bytes));
  EXPECT_EQ(blocks_and_bytes(16, 14336), std::pair(132, WgmmaTiling<64, 64, 12>::shared_bytes));
}

TEST(WgmmaTiling, FitsSharedMemory) {
  EXPECT_LE((WgmmaTiling<128, 256, 4>::shared_bytes), static_cast<int>(Block::most_shared_bytes));
  EXPECT_LE((WgmmaTiling<128, 128, 6>::shared_bytes), static_cast<int>(Block::most_shared_bytes));
  EXPECT_LE((WgmmaTiling<128, 64, 8>::shared_bytes), static_cast<int>(Block::most_shared_bytes));
  EXPECT_LE((WgmmaTiling<64, 64, 12>::shared_bytes), static_cast<int>(Block::most_shared_bytes));
  EXPECT_LE((WgmmaTiling<128, 192, 5>::shared_bytes), static_cast<int>(Block::most_shared_bytes));
  EXPECT_LE((WgmmaTiling<64, 256, 5>::shared_bytes), static_cast<int>(Block::most_shared_bytes));
  // Two blocks a multiprocessor: 228 KiB of which each block loses one.
  EXPECT_LE((WgmmaTiling<128, 128, 3>::shared_bytes), 113 * 1024);
}

}  // namespace
