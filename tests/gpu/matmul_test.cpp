// Every CUDA variant of matmul against the float64 reference, on random shapes with tails, and bit for bit
// the same over ten runs. Also what sanitizers are run on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

constexpr const char* workload_name = "matmul";

struct Shape {
  std::int64_t m, n, k;
};

sdk::Params params_of(const std::string& dtype, const Shape& shape) {
  sdk::Params params;
  params.set("dtype", sdk::Value{dtype});
  params.set("m", sdk::Value{shape.m});
  params.set("n", sdk::Value{shape.n});
  params.set("k", sdk::Value{shape.k});
  return params;
}

class Matmul : public VariantsTest {
 protected:
  Matmul() : VariantsTest(workload_name) {}

  // One element, one row, one column, primes; whole tiles and a little more; then at random, half of them
  // with rows of whole 16 bytes.
  static std::vector<Shape> shapes() {
    std::vector<Shape> all = {{1, 1, 1},      {1, 256, 64},    {256, 1, 64},     {7, 13, 5},
                              {1, 8, 8},      {3, 4104, 1030}, {2, 8456, 77},    {128, 256, 64},
                              {16, 512, 512}, {129, 264, 72},  {300, 136, 1000}, {513, 1032, 520}};
    std::mt19937_64 random(20240607);
    for (int i = 0; i < 12; ++i) {
      const std::int64_t multiple = i % 2 == 0 ? 8 : 1;
      const auto draw = [&](std::int64_t of) {
        return of * (1 + static_cast<std::int64_t>(random() % 600) / of);
      };
      all.push_back({draw(1), draw(multiple), draw(multiple)});
    }
    return all;
  }

  bool is_right(const std::string& variant, const sdk::Params& params) const {
    return VariantsTest::is_right(variant, params, 100'000);
  }

  void expect_right(const std::string& dtype) const {
    for (const std::string& variant : variants()) {
      trying(variant + " on " + dtype);
      for (const Shape& shape : shapes()) is_right(variant, params_of(dtype, shape));
    }
  }
};

TEST_F(Matmul, IsRightInHalfPrecision) {
  expect_right("f16");
}
TEST_F(Matmul, IsRightInBfloat16) {
  expect_right("bf16");
}
TEST_F(Matmul, IsRightInTf32) {
  expect_right("tf32");
}
TEST_F(Matmul, IsRightInSinglePrecision) {
  expect_right("f32");
}

TEST_F(Matmul, EveryVariantSupportsAnAlignedShapeInSomeType) {
  for (const std::string& variant : variants()) {
    bool some = false;
    for (const char* const dtype : {"f16", "f32"})
      for (const std::int64_t m : {1, 256}) some |= is_right(variant, params_of(dtype, {m, 256, 128}));
    EXPECT_TRUE(some) << variant;
  }
}

// Many tiles a block, a ring that wraps often: what only large problems meet.
TEST_F(Matmul, TakesAnEarlierChoiceOfAnAlgorithmAndNoStrangeOne) {
  Bound bound(device(), catalog(), workload_name, "cublaslt_best", params_of("f16", {1024, 1024, 1024}));
  const std::string chosen = bound.choose();
  ASSERT_FALSE(chosen.empty());
  EXPECT_TRUE(bound.kernel().take_choice(chosen));
  const std::string version = chosen.substr(0, chosen.rfind(' ') + 1);
  for (const std::string& strange : {std::string("tile 3"), version + "00", version + std::string(128, 'x'),
                                     version + std::string(128, 'f')})
    EXPECT_FALSE(bound.kernel().take_choice(strange)) << strange;
  EXPECT_LT(bound.median({}, 5), 1e-3) << "it runs all the same";
  Bound library(device(), catalog(), workload_name, "cublaslt_default", params_of("f16", {64, 64, 64}));
  EXPECT_EQ(library.choose(), "");
}

TEST_F(Matmul, IsRightOnALargeShapeWithTails) {
  for (const std::string& variant : variants()) {
    trying(variant);
    for (const char* const dtype : {"bf16", "tf32"}) is_right(variant, params_of(dtype, {2049, 4104, 1032}));
  }
}

// One infinity and one NaN in A: rounding to TF32 must not hide them.
TEST_F(Matmul, KeepsWhatIsNoNumber) {
  for (const std::string& variant : variants())
    for (const char* const dtype : {"f16", "bf16", "tf32", "f32"})
      for (const Shape& shape : {Shape{130, 264, 72}, Shape{1290, 2568, 136}}) {
        const sdk::Params params = params_of(dtype, shape);
        SCOPED_TRACE(variant + "/" + params.text_id());
        trying(variant + "/" + params.text_id());
        try {
          Bound bound(device(), catalog(), workload_name, variant, params);
          bound.set_first_input(3, std::numeric_limits<double>::infinity());
          bound.set_first_input(shape.k + 5, std::numeric_limits<double>::quiet_NaN());
          bound.poison_outputs();
          const auto elapsed = timer().time_first_call(bound.work());
          ASSERT_TRUE(elapsed) << elapsed.error().text();
          const sdk::HostTensor output = bound.output();
          for (std::int64_t column = 0; column < shape.n; ++column) {
            ASSERT_FALSE(std::isfinite(output.at(column))) << "column " << column;
            ASSERT_TRUE(std::isnan(output.at(shape.n + column))) << "column " << column;
            ASSERT_TRUE(std::isfinite(output.at(2 * shape.n + column))) << "column " << column;
          }
        } catch (const sdk::Unsupported&) {
        }
      }
}

// Large enough for each size of tile of the FP32 rungs, where all tiles are whole and where none is; rows of
// whole 16 bytes and not.
TEST_F(Matmul, IsRightInSinglePrecisionWithTilesOfEverySize) {
  for (const std::string& variant : variants()) {
    trying(variant + " on f32");
    for (const Shape& shape : {Shape{2048, 2048, 72}, Shape{1930, 2052, 70}, Shape{1024, 1024, 48},
                               Shape{1001, 1020, 52}, Shape{1290, 2567, 135}, Shape{512, 512, 32}})
      is_right(variant, params_of("f32", shape));
  }
}

// For sanitizers, under which everything takes many times as long: tails of every kind, and more than one
// tile of every size.
TEST_F(Matmul, OfOurOwnIsRightOnAFewSmallShapes) {
  for (const std::string& variant : variants()) {
    if (is_library(variant)) continue;
    trying(variant);
    for (const char* const dtype : {"f16", "tf32", "f32"})
      for (const Shape& shape :
           {Shape{7, 13, 5}, Shape{3, 4104, 70}, Shape{129, 264, 72}, Shape{1290, 2568, 136}})
        is_right(variant, params_of(dtype, shape));
  }
}

TEST_F(Matmul, GivesTheSameBitsInTenRuns) {
  for (const std::string& variant : variants())
    for (const char* const dtype : {"bf16", "f32", "tf32"}) {
      const sdk::Params params = params_of(dtype, {1930, 2056, 1032});
      trying(variant + " on " + dtype);
      SCOPED_TRACE(variant + "/" + params.text_id());
      try {
        Bound bound(device(), catalog(), workload_name, variant, params);
        sdk::HostBytes first;
        for (int run = 0; run < 10; ++run) {
          bound.poison_outputs();
          const auto elapsed = timer().time_first_call(bound.work());
          ASSERT_TRUE(elapsed) << elapsed.error().text();
          const sdk::HostTensor output = bound.output();
          if (run == 0) first = output.data;
          EXPECT_EQ(output.data, first) << "run " << run;
        }
      } catch (const sdk::Unsupported&) {
      }
    }
}

// Each tile of suites/tune_gemm.yaml: tails, rings that wrap, more tiles than blocks.
TEST_F(GpuTest, EveryTileOfTiledMatmulIsRight) {
  for (const char* const tile :
       {"automatic", "128x256x4", "128x256x3", "128x192x5", "128x128x6", "128x128x4", "128x64x8", "128x64x5",
        "64x256x5", "64x192x6", "64x128x8", "64x64x12", "64x64x6"}) {
    trying(fmt::format("tiled_matmul/wgmma/tile={}", tile));
    for (const char* const dtype : {"f16", "bf16"})
      for (const Shape& shape : {Shape{1, 8, 8}, Shape{129, 264, 72}, Shape{300, 136, 1000},
                                 Shape{17, 2048, 520}, Shape{2049, 4104, 1032}}) {
        sdk::Params params = params_of(dtype, shape);
        params.set("tile", std::string(tile));
        EXPECT_TRUE(is_right("tiled_matmul", "wgmma", params, 100'000));
      }
  }
}

TEST_F(GpuTest, TiledMatmulHasNoOtherTiles) {
  sdk::Params params = params_of("bf16", {256, 256, 256});
  params.set("tile", std::string("128x256x9"));
  EXPECT_FALSE(is_right("tiled_matmul", "wgmma", params));
}

}  // namespace
}  // namespace harness::gpu
