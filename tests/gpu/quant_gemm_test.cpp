// Every CUDA variant of quant_gemm against the float64 reference, on regular and odd shapes, by a path that
// shares nothing with the worker's own verification. Also what sanitizers are run on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

class QuantGemm : public VariantsTest {
 protected:
  QuantGemm() : VariantsTest("quant_gemm") {}

  // Each variant must be right wherever it agrees to run, and must agree to run on something.
  void expect_right(const std::string& variant, const std::vector<std::string>& weights) const;
  [[nodiscard]] bool has(const std::string& variant) const {
    return std::find(variants().begin(), variants().end(), variant) != variants().end();
  }
};

struct Extents {
  std::int64_t m, n, k;
};

// Tiles, one token, tokens of every kernel for few of them, several tiles a block, tails of tiles, of groups
// and of pieces.
constexpr std::array<Extents, 15> extents{{{1, 256, 512},
                                           {16, 256, 512},
                                           {256, 384, 512},
                                           {512, 512, 4096},
                                           {1, 16, 32},
                                           {3, 200, 320},
                                           {8, 72, 1056},
                                           {2, 2888, 4128},
                                           {9, 40, 544},
                                           {17, 264, 96},
                                           {33, 136, 2048},
                                           {64, 8, 640},
                                           {65, 520, 528},
                                           {130, 264, 400},
                                           {300, 1000, 1040}}};

void QuantGemm::expect_right(const std::string& variant, const std::vector<std::string>& weights) const {
  if (!has(variant)) GTEST_SKIP() << variant << " is not for this device";
  for (const std::string& type : weights)
    for (const std::string quantise : {"inside", "outside"}) {
      if (quantise == "outside" && (type == "f16" || type == "i4")) continue;
      trying(fmt::format("{} on {}, quantised {}", variant, type, quantise));
      int ran = 0;
      for (const Extents& shape : extents) {
        sdk::Params params;
        params.set("weights", sdk::Value{type});
        params.set("m", sdk::Value{shape.m});
        params.set("n", sdk::Value{shape.n});
        params.set("k", sdk::Value{shape.k});
        params.set("quantise", sdk::Value{quantise});
        ran += is_right(variant, params) ? 1 : 0;
      }
      const bool widens = variant == "weight_only_mma" && quantise == "outside";
      EXPECT_TRUE(ran > 0 || widens) << variant << " supports none of the shapes in " << type;
    }
}

TEST_F(QuantGemm, OfTheLibraryIsRight) {
  expect_right("cublaslt_f16", {"f16"});
  expect_right("cublaslt_int8", {"i8"});
  expect_right("cublaslt_e4m3", {"e4m3", "e4m3_block"});
}
TEST_F(QuantGemm, OfWidenedWeightsIsRight) {
  expect_right("weight_only_mma", {"i8", "i4"});
}
TEST_F(QuantGemm, OfInt8OnWgmmaIsRight) {
  expect_right("wgmma_int8", {"i8"});
}
TEST_F(QuantGemm, OfE4m3OnWgmmaIsRight) {
  expect_right("wgmma_e4m3", {"e4m3", "e4m3_block"});
}

}  // namespace
}  // namespace harness::gpu
