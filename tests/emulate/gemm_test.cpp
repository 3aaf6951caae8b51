// The Tensor Core products of kernels/gemm on the emulator, plain and with GELU: every tiling, tails, rings
// that wrap, copies that land early and late.
#include <gmock/gmock.h>

#include <set>

#include "kernels/gemm/mma_tile.cuh"
#include "tests/emulate/gelu_case.h"

namespace {

using emulate::every_schedule;
using emulate::Extents;
using emulate::Options;
using emulate::ProductCase;
using gemm::MmaLaunch;
using gemm::PlainEpilogue;
using gemm::TilingChoice;
using linear_gelu::Gelu;
using ptx::BF16;
using ptx::F16;
using ptx::TF32;

template <class Element, class Epilogue>
void run(const Options& options, const MmaLaunch<Element, Epilogue>& launch,
         const gemm::Problem<Element>& problem, const Epilogue& epilogue) {
  emulate::launch(options, {static_cast<unsigned>(launch.tiles_down * launch.tiles_across), 1, 1},
                  {static_cast<unsigned>(launch.threads), 1, 1},
                  static_cast<std::size_t>(launch.shared_bytes), launch.kernel, problem, epilogue,
                  launch.tiles_down, launch.tiles_across);
}

template <class Element, class Tile, bool Aligned>
void expect_tile_right(const Extents& shape) {
  ProductCase<Element> c(shape);
  for (const Options& options : every_schedule())
    c.expect_right(options, [&](const gemm::Problem<Element>& problem) {
      run(options, gemm::mma_launch_of<Element, Tile, Aligned, PlainEpilogue>(problem.m, problem.n), problem,
          PlainEpilogue{});
    });
}

// More slots of k than the ring has and a tail, so that it wraps; a tile and a tail across.
TEST(MmaTile, SmallTilesAreRight) {
  expect_tile_right<F16, gemm::SmallTiling, true>({72, 72, 328});
  expect_tile_right<BF16, gemm::SmallTiling, true>({40, 72, 328});
}
TEST(MmaTile, SquareTilesAreRight) {
  expect_tile_right<F16, gemm::SquareTiling, true>({137, 72, 168});
  expect_tile_right<BF16, gemm::SquareTiling, true>({120, 136, 168});
}
TEST(MmaTile, WideTilesAreRight) {
  expect_tile_right<BF16, gemm::WideTiling, true>({65, 264, 72});
  expect_tile_right<F16, gemm::WideTiling, true>({128, 256, 160});
}
TEST(MmaTile, TilesOfFloatsAreRight) {
  expect_tile_right<TF32, gemm::SmallTilingOf4, true>({70, 76, 196});
  expect_tile_right<TF32, gemm::SquareTilingOf4, true>({137, 132, 68});
}
TEST(MmaTile, OddExtentsAreRight) {
  expect_tile_right<F16, gemm::SmallTiling, false>({1, 1, 1});
  expect_tile_right<BF16, gemm::SmallTiling, false>({3, 5, 7});
  expect_tile_right<F16, gemm::SmallTiling, false>({17, 33, 65});
  expect_tile_right<BF16, gemm::SmallTiling, false>({33, 67, 331});
  expect_tile_right<TF32, gemm::SmallTilingOf4, false>({1, 1, 1});
  expect_tile_right<TF32, gemm::SmallTilingOf4, false>({33, 67, 131});
}
TEST(MmaTile, ExtentsShorterThanAnyTileAreRight) {
  expect_tile_right<F16, gemm::SmallTiling, true>({1, 8, 8});
  expect_tile_right<F16, gemm::WideTiling, true>({2, 8, 8});
  expect_tile_right<TF32, gemm::SquareTilingOf4, true>({2, 4, 4});
}

template <class Element, Gelu Form>
void expect_gelu_right(const Extents& shape) {
  emulate::expect_gelu_right<Element, Form>(
      shape, [](const Options& options, const gemm::Problem<Element>& problem, const auto& epilogue) {
        using Epilogue = std::decay_t<decltype(epilogue)>;
        run(options, gemm::mma_launch<Element, Epilogue>(problem.m, problem.n, problem.k, 132), problem,
            epilogue);
      });
}

TEST(MmaTile, AddsTheBiasAndAppliesGelu) {
  expect_gelu_right<F16, Gelu::tanh_form>({70, 72, 40});
  expect_gelu_right<BF16, Gelu::erf_form>({33, 67, 35});
}

template <int Pieces>
void expect_no_bank_conflicts() {
  std::set<int> all;
  for (int row = 0; row < 64; ++row)
    for (int piece = 0; piece < Pieces; ++piece) {
      const int offset = gemm::piece_offset<Pieces>(row, piece);
      EXPECT_TRUE(offset >= 0 && offset < 64 * Pieces * 16 && offset % 16 == 0);
      all.insert(offset);
    }
  EXPECT_EQ(all.size(), 64U * Pieces) << "two pieces share a place";
  for (int row = 0; row < 64; row += 8)
    for (int piece = 0; piece < Pieces; ++piece) {
      std::set<int> banks;
      for (int r = 0; r < 8; ++r) banks.insert(gemm::piece_offset<Pieces>(row + r, piece) / 16 % 8);
      EXPECT_EQ(banks.size(), 8U) << Pieces << " pieces, rows from " << row << ", piece " << piece;
    }
}

TEST(PieceOffset, EightRowsOfAColumnLieInEightGroupsOfBanks) {
  expect_no_bank_conflicts<4>();
  expect_no_bank_conflicts<8>();
  expect_no_bank_conflicts<16>();
  expect_no_bank_conflicts<32>();
}

TEST(TilePosition, EveryTileHasExactlyOneBlock) {
  for (const int down : {1, 7, 8, 9, 23})
    for (const int across : {1, 2, 13}) {
      std::set<std::pair<int, int>> seen;
      for (int block = 0; block < down * across; ++block) {
        const gemm::TilePosition at = gemm::tile_position(block, down, across);
        EXPECT_TRUE(at.down >= 0 && at.down < down && at.across >= 0 && at.across < across);
        seen.emplace(at.down, at.across);
      }
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(down * across)) << down << " x " << across;
    }
}

TEST(TilePosition, NeighbouringBlocksShareAGroupOfEightRows) {
  for (int block = 0; block < 8 * 5; ++block) EXPECT_LT(gemm::tile_position(block, 16, 5).down, 8);
  EXPECT_EQ(gemm::tile_position(40, 16, 5).down, 8);
}

TEST(ChooseTiling, TakesTheLargestTilesThatFillTheDevice) {
  EXPECT_EQ(gemm::choose_tiling(8192, 4096, 4096, 132), TilingChoice::wide);
  EXPECT_EQ(gemm::choose_tiling(2048, 1152, 1024, 132), TilingChoice::square);
  EXPECT_EQ(gemm::choose_tiling(512, 1024, 1024, 132), TilingChoice::small);
  EXPECT_EQ(gemm::choose_tiling(8192, 4095, 4096, 132), TilingChoice::small_unaligned);
  EXPECT_EQ(gemm::choose_tiling(8192, 4096, 4100, 132), TilingChoice::small_unaligned);
  EXPECT_EQ(gemm::choose_tiling(8192, 4096, 4100, 132, 4), TilingChoice::square);
}

}  // namespace
