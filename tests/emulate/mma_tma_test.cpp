// The products by mma.sync that the copy engine feeds, run by the emulator: every tiling, tails, rings that
// wrap, copies that land early and late.
#include <gmock/gmock.h>

#include <bit>
#include <limits>
#include <set>

#include "kernels/gemm/mma_tma.cuh"
#include "tests/emulate/gelu_case.h"
#include "tests/emulate/tma_product.h"

namespace {

using emulate::Block;
using emulate::every_schedule;
using emulate::Extents;
using emulate::Options;
using emulate::ProductCase;
using gemm::PlainEpilogue;
using linear_gelu::Gelu;
using ptx::BF16;
using ptx::F16;
using ptx::TF32;

template <int Bytes>
using Large = gemm::MmaTmaTiling<256, 128, 64, 64, 4, 1, Bytes>;
template <int Bytes>
using Square = gemm::MmaTmaTiling<128, 128, 64, 64, 3, 2, Bytes>;
// Not in use: warps of other sizes.
template <int Bytes>
using Small = gemm::MmaTmaTiling<64, 64, 32, 32, 4, 3, Bytes>;

template <class Element, template <int> class Tile>
void expect_right(const Extents& shape) {
  using Own = Tile<sizeof(typename Element::Storage)>;
  ProductCase<Element> c(shape);
  for (const Options& options : every_schedule())
    c.expect_right(options, [&](const gemm::Problem<Element>& problem) {
      emulate::run(options, gemm::mma_tma_launch_of<Element, Own, PlainEpilogue>(problem.m, problem.n),
                   problem, PlainEpilogue{});
    });
}

// More slots of k than the ring has and a tail, so that it wraps; a tile and a tail across and down.
TEST(MmaTma, SmallTilesAreRight) {
  expect_right<F16, Small>({72, 72, 648});
  expect_right<BF16, Small>({40, 136, 328});
  expect_right<TF32, Small>({70, 72, 328});
}
TEST(MmaTma, SquareTilesAreRight) {
  expect_right<F16, Square>({137, 72, 328});
  expect_right<BF16, Square>({120, 136, 456});
  expect_right<TF32, Square>({137, 136, 232});
}
TEST(MmaTma, LargeTilesAreRight) {
  expect_right<BF16, Large>({260, 136, 72});
  expect_right<F16, Large>({256, 128, 392});
  expect_right<TF32, Large>({257, 136, 200});
}
TEST(MmaTma, ExtentsShorterThanAnyTileAreRight) {
  expect_right<F16, Small>({1, 8, 8});
  expect_right<BF16, Large>({2, 8, 8});
  expect_right<TF32, Square>({2, 8, 8});
}

template <class Element, Gelu Form>
void expect_gelu_right(const Extents& shape) {
  emulate::expect_gelu_right<Element, Form>(
      shape, [](const Options& options, const gemm::Problem<Element>& problem, const auto& epilogue) {
        using Epilogue = std::decay_t<decltype(epilogue)>;
        emulate::run(options, gemm::mma_tma_launch<Element, Epilogue>(problem.m, problem.n, 132), problem,
                     epilogue);
      });
}

TEST(MmaTma, AddsTheBiasAndAppliesGelu) {
  expect_gelu_right<F16, Gelu::tanh_form>({70, 72, 40});
  expect_gelu_right<BF16, Gelu::erf_form>({33, 136, 72});
}

TEST(MmaTma, TakesTheLargestTilesThatFillTheDevice) {
  const auto rows_and_blocks = [](std::int64_t m, std::int64_t n) {
    const auto launch = gemm::mma_tma_launch<BF16, PlainEpilogue>(m, n, 132);
    return std::pair(launch.tile[0], launch.blocks);
  };
  EXPECT_EQ(rows_and_blocks(4096, 4096), std::pair(256, 512));
  EXPECT_EQ(rows_and_blocks(2048, 2048), std::pair(128, 256));
  EXPECT_EQ(rows_and_blocks(128, 28672), std::pair(128, 224)) << "as few rows as a square tile has";
  EXPECT_TRUE(gemm::fills_with_tma(2048, 2048, 132));
  EXPECT_FALSE(gemm::fills_with_tma(1024, 1024, 132));
}

TEST(MmaTma, FitsSharedMemory) {
  EXPECT_LE(Large<2>::shared_bytes, static_cast<int>(Block::most_shared_bytes));
  EXPECT_LE(Large<4>::shared_bytes, static_cast<int>(Block::most_shared_bytes));
  // Several blocks a multiprocessor: 228 KiB of which each block loses one.
  EXPECT_LE(Square<2>::shared_bytes, 113 * 1024);
}

TEST(MmaTma, EightThreadsReadFloatsFromEightGroupsOfBanks) {
  std::set<int> pieces;
  for (int g = 0; g < 8; g += 2) {
    std::set<int> banks;
    for (int thread = 0; thread < 8; ++thread)
      banks.insert(gemm::piece_offset<8>(thread % 4, gemm::float_piece_of(g + thread / 4)) / 16 % 8);
    EXPECT_EQ(banks.size(), 8U) << "columns from " << g;
    pieces.insert({gemm::float_piece_of(g), gemm::float_piece_of(g + 1)});
  }
  EXPECT_EQ(pieces.size(), 8U) << "two columns have one piece";
}

// The part of a number that a product sees: it drops the low 13 bits.
std::uint32_t seen(std::uint32_t bits) {
  return bits & 0xFFFFE000U;
}

TEST(NearTf32, RoundsAsTheConversionDoes) {
  std::mt19937 random(7);
  for (int i = 0; i < 100000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(value)) continue;
    EXPECT_EQ(seen(ptx::near_tf32(std::bit_cast<std::uint32_t>(value))), seen(ptx::to_tf32(value))) << value;
  }
}

TEST(NearTf32, KeepsWhatIsNoNumber) {
  for (const std::uint32_t bits : {0x7FFFFFFFU, 0x7FC00000U, 0xFFC00000U, 0x7F802000U})
    EXPECT_TRUE(std::isnan(std::bit_cast<float>(seen(ptx::near_tf32(bits))))) << bits;
  for (const float infinite :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()})
    EXPECT_EQ(seen(ptx::near_tf32(std::bit_cast<std::uint32_t>(infinite))),
              std::bit_cast<std::uint32_t>(infinite));
  // NaNs that arithmetic does not make.
  EXPECT_EQ(seen(ptx::near_tf32(0x7F800001U)), 0x7F800000U);
  EXPECT_EQ(seen(ptx::near_tf32(0xFFFFF000U)), 0U);
}

}  // namespace
