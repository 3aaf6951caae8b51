// sparse_gemm: W has two of four neighbours, its blocks are laid out as the PTX ISA says, and the CPU
// variants agree with the oracle on tails.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "kernels/sparse_gemm/cusparselt_library.h"
#include "tests/kernels/sparse_gemm_case.h"

namespace sparse_gemm {
namespace {

using harness::sdk::HostTensor;

constexpr std::size_t threads_dense = 0, threads_sparse = 1;

double error_of(FilledSparseGemm& one, std::size_t variant, int threads = 3) {
  harness::sdk::DeviceTraits traits;
  traits.multiprocessors = threads;
  const auto kernel = one.registry.variants[variant].make(one.params, one.problem, traits);
  std::vector<void*> addresses;
  for (HostTensor& tensor : one.tensors) addresses.push_back(tensor.data.data());
  std::fill(one.output().data.begin(), one.output().data.end(), std::byte{0xFF});
  kernel->bind({addresses, nullptr});
  kernel->run({});
  return one.error();
}

using Extents = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
class SparseTails : public testing::TestWithParam<Extents> {};

TEST_P(SparseTails, OfEveryVariantAgreeWithTheOracle) {
  const auto [m, n, k] = GetParam();
  FilledSparseGemm dense("dense", m, n, k), compressed("compressed", m, n, k);
  EXPECT_LE(error_of(dense, threads_dense), dense.problem.tolerance.relative);
  EXPECT_LE(error_of(dense, threads_sparse), dense.problem.tolerance.relative);
  EXPECT_LE(error_of(compressed, threads_sparse), compressed.problem.tolerance.relative);
  EXPECT_THROW((void)error_of(compressed, threads_dense), harness::sdk::Unsupported);
}

INSTANTIATE_TEST_SUITE_P(SparseGemm, SparseTails,
                         testing::Values(Extents{1, 1, 4}, Extents{1, 129, 64}, Extents{3, 5, 68},
                                         Extents{17, 128, 128}, Extents{33, 257, 132}, Extents{5, 64, 300}));

// The same W, whichever way it is stored, two of each four neighbours.
TEST(SparseGemm, StoresTheSameWeightsBothWays) {
  FilledSparseGemm dense("dense", 1, 150, 140), compressed("compressed", 1, 150, 140);
  const CompressedRows rows(compressed.shape.extents(), compressed.tensors[w_index].data.data());
  for (std::int64_t row = 0; row < 150; ++row)
    for (std::int64_t column = 0; column < 140; column += 4) {
      double kept[4] = {};
      const std::uint32_t places = rows.places(row, column);
      ASSERT_LT(places & 3U, places >> 2);
      for (int which = 0; which < 2; ++which)
        kept[places >> (2 * which) & 3U] =
            static_cast<double>(harness::sdk::float_from_f16(rows.value(row, column, which)));
      int zeros = 0;
      for (int i = 0; i < 4; ++i) {
        ASSERT_EQ(kept[i], dense.tensors[w_index].at(row * 140 + column + i)) << row << " " << column + i;
        zeros += kept[i] == 0 ? 1 : 0;
      }
      ASSERT_EQ(zeros, 2);
    }
}

TEST(SparseGemm, KeepsTheTwoLargestOfFour) {
  FilledSparseGemm one("dense", 1, 64, 256);
  double kept = 0;
  for (std::int64_t i = 0; i < one.tensors[w_index].spec.elements(); ++i) {
    const double value = one.tensors[w_index].at(i);
    kept += value * value;
  }
  // The squares of the two largest of four are 80 % of all four squares: 16/15 against 4/3.
  const double size = 3.35 / 16;  // over sqrt(k)
  EXPECT_NEAR(kept / (size * size * 64 * 256 / 4), 16.0 / 15, 0.02);
}

// PTX ISA, "Sparse wgmma.mma_async.sp with half-precision and .bf16 type": figures of the metadata of 64
// x 32.
TEST(SparseGemm, LaysOutPlacesAsTheInstructionReadsThem) {
  const auto expect = [](std::int64_t row, std::int64_t column, int word, int shift) {
    const PlaceBits at = place_bits(row, column);
    EXPECT_EQ(at.word, word) << row << " " << column;
    EXPECT_EQ(at.shift, shift) << row << " " << column;
  };
  expect(0, 0, 0, 0);
  expect(0, 4, 0, 4);
  expect(0, 12, 0, 12);
  expect(8, 0, 0, 16);  // eight rows below: the upper half of the word
  expect(8, 12, 0, 28);
  expect(0, 16, 1, 0);  // the second thread of a quad
  expect(0, 32, 2, 0);  // the next instruction: the other pair of threads
  expect(0, 48, 3, 0);
  expect(1, 0, 4, 0);  // the next quad
  expect(7, 60, 31, 12);
  expect(16, 0, 32, 0);  // the next warp
  expect(63, 60, 127, 28);
  expect(64, 0, 128, 0);  // the next warpgroup
  expect(128, 64, 0, 0);  // another block
}

TEST(SparseGemm, GivesEveryPairOfPlacesItsOwnBits) {
  std::set<std::pair<int, int>> seen;
  for (std::int64_t row = 0; row < block_rows; ++row)
    for (std::int64_t column = 0; column < block_depth; column += 4) {
      const PlaceBits at = place_bits(row, column);
      EXPECT_TRUE(at.word >= 0 && at.word < 256 && at.shift >= 0 && at.shift < 32);
      seen.emplace(at.word, at.shift);
    }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(block_rows * block_depth / 4));
}

// Every choice of at most two of four is kept, and places ascend.
TEST(SparseGemm, KeepsWhateverIsNotZero) {
  for (std::uint32_t some = 0; some < 16; ++some) {
    std::uint32_t words[2] = {};
    int count = 0;
    for (std::uint32_t i = 0; i < 4; ++i)
      if ((some >> i & 1U) != 0) {
        words[i / 2] |= (0x3C00U + i) << (i % 2 * 16);
        ++count;
      }
    const std::uint32_t places = places_of(words[0], words[1]);
    EXPECT_LT(places & 3U, places >> 2) << some;
    if (count > 2) continue;
    std::uint32_t kept = 0;
    for (const std::uint32_t place : {places & 3U, places >> 2})
      if (half_of(words[0], words[1], place) != 0) kept |= 1U << place;
    EXPECT_EQ(kept, some);
  }
  EXPECT_EQ(places_of(0x80000000U, 0x8000U), places_of(0, 0)) << "a negative zero is a zero";
}

TEST(SparseGemm, CountsExecutedOperationsAndStoredBytes) {
  FilledSparseGemm dense("dense", 16, 256, 512), compressed("compressed", 16, 256, 512);
  EXPECT_EQ(dense.problem.work.flops, 16.0 * 256 * 512);
  EXPECT_EQ(dense.problem.work.bytes, 2.0 * (16 * 512 + 16 * 256 + 256 * 512));
  EXPECT_EQ(compressed.problem.work.bytes, 2.0 * (16 * 512 + 16 * 256) + 256 * 512 * 9.0 / 8);
  EXPECT_EQ(compressed.tensors[w_index].spec.bytes(), 256U * 512 * 9 / 8);
}

TEST(SparseGemm, DoesNotDependOnThreads) {
  FilledSparseGemm one("compressed", 5, 67, 300);
  (void)error_of(one, threads_sparse, 1);
  const auto alone = one.output().data;
  (void)error_of(one, threads_sparse, 8);
  EXPECT_EQ(one.output().data, alone);
}

TEST(SparseGemm, RefusesRowsWithoutGroupsOfFour) {
  EXPECT_THROW(FilledSparseGemm("dense", 1, 1, 6), harness::sdk::Unsupported);
}

TEST(CusparseLt, ThatIsNotHereIsToldHowToName) {
  EXPECT_THAT(
      [] { CusparseLtLibrary({"/nowhere/libcusparseLt.so.0"}); },
      testing::ThrowsMessage<harness::sdk::Unsupported>(testing::HasSubstr("HARNESS_CUSPARSELT_PATH")));
}
TEST(CusparseLt, SkipsShapesThatItDoesNotTake) {
  EXPECT_NO_THROW(CusparseLtLibrary::check(0, "call"));
  EXPECT_THROW(CusparseLtLibrary::check(CusparseLtLibrary::not_supported, "call"), harness::sdk::Unsupported);
  EXPECT_THROW(CusparseLtLibrary::check(6, "call"), std::runtime_error);
  try {
    CusparseLtLibrary::check(6, "call");
  } catch (const harness::sdk::Unsupported&) {
    ADD_FAILURE() << "a kernel that fails is no missing support";
  } catch (const std::runtime_error&) {
  }
}

}  // namespace
}  // namespace sparse_gemm
