// Every CUDA variant of sparse_gemm against the float64 reference, on regular and odd shapes, by a path that
// shares nothing with the worker's own verification. Also what sanitizers are run on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

struct Extents {
  std::int64_t m, n, k;
};

// Tiles of each width, one row, tails of tiles, of blocks and of 16 bytes.
constexpr std::array<Extents, 10> extents{{{1024, 1024, 1024},
                                           {2048, 4096, 512},
                                           {1, 256, 512},
                                           {64, 128, 64},
                                           {3, 8, 8},
                                           {70, 264, 456},
                                           {129, 136, 200},
                                           {257, 392, 328},
                                           {300, 1000, 1040},
                                           {1000, 2056, 4104}}};

class SparseGemm : public VariantsTest {
 protected:
  SparseGemm() : VariantsTest("sparse_gemm") {}

  // Right wherever it agrees to run, and it must agree to run on something; a library may be missing.
  void expect_right(const std::string& variant, const std::vector<std::string>& weights) const {
    if (std::find(variants().begin(), variants().end(), variant) == variants().end())
      GTEST_SKIP() << variant << " is not for this device";
    for (const std::string& stored : weights) {
      trying(fmt::format("{} on {} weights", variant, stored));
      int ran = 0;
      for (const Extents& shape : extents) {
        sdk::Params params;
        params.set("weights", sdk::Value{stored});
        params.set("m", sdk::Value{shape.m});
        params.set("n", sdk::Value{shape.n});
        params.set("k", sdk::Value{shape.k});
        ran += is_right(variant, params) ? 1 : 0;
      }
      if (ran == 0 && variant == "cusparselt") GTEST_SKIP() << "no cuSPARSELt here";
      EXPECT_GT(ran, 0) << variant << " supports none of the shapes with " << stored << " weights";
    }
  }
};

TEST_F(SparseGemm, OfCublasLtIsRight) {
  expect_right("cublaslt", {"dense"});
}
TEST_F(SparseGemm, OfCusparseLtIsRight) {
  expect_right("cusparselt", {"dense"});
}
TEST_F(SparseGemm, OnSparseWgmmaIsRight) {
  expect_right("wgmma_sp", {"compressed", "dense"});
}

}  // namespace
}  // namespace harness::gpu
