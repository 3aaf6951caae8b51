// The operators on rows and the optimizer step against the float64 reference, on tails. Also what sanitizers
// are run on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

class Operators : public GpuTest {
 protected:
  static void expect_right(const char* workload) {
    for (const char* const variant : {"fused", "separate"}) {
      trying(fmt::format("{}/{}", workload, variant));
      for (const char* const dtype : {"f16", "bf16", "f32"})
        for (const auto& [rows, columns] : shapes) {
          sdk::Params params;
          params.set("dtype", std::string(dtype));
          params.set("rows", rows);
          params.set("columns", columns);
          EXPECT_TRUE(is_right(workload, variant, params));
        }
    }
  }

 private:
  struct Shape {
    std::int64_t rows, columns;
  };
  // A warp and a block a row, each number of chunks of a thread, whole chunks and others, several rows in
  // turn.
  static constexpr Shape shapes[] = {{1, 1},    {7, 13},   {130, 64},  {67, 256},  {33, 1000},   {20, 2049},
                                     {9, 4096}, {5, 8200}, {3, 16384}, {9000, 41}, {3000, 2049}, {10, 3},
                                     {5, 1},    {5, 384},  {5, 700},   {5, 768},   {3, 1500}};
};

TEST_F(Operators, RmsNormIsRight) {
  expect_right("rms_norm");
}
TEST_F(Operators, LayerNormIsRight) {
  expect_right("layer_norm");
}
TEST_F(Operators, SoftmaxIsRight) {
  expect_right("softmax");
}
TEST_F(Operators, SwiGluIsRight) {
  expect_right("swiglu");
}

// Tiles and tails of m, n and k; few rows; and what the fused kernel refuses.
TEST_F(Operators, RmsNormWithAProductIsRight) {
  for (const char* const variant : {"separate", "fused"})
    for (const char* const dtype : {"f16", "bf16"}) {
      trying(fmt::format("rms_norm_linear/{} on {}", variant, dtype));
      int ran = 0;
      for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 8, 8},
                                    {7, 13, 5},
                                    {16, 1024, 2048},
                                    {65, 72, 904},
                                    {130, 264, 136},
                                    {257, 136, 4096},
                                    {300, 4096, 512}}) {
        sdk::Params params;
        params.set("dtype", std::string(dtype));
        params.set("m", m);
        params.set("n", n);
        params.set("k", k);
        ran += is_right("rms_norm_linear", variant, params) ? 1 : 0;
      }
      EXPECT_TRUE(ran > 0 || device().traits().compute_major != 9);
    }
}

TEST_F(Operators, AProductWithRotaryPositionsIsRight) {
  for (const char* const variant : {"separate", "fused"})
    for (const char* const dtype : {"f16", "bf16"}) {
      trying(fmt::format("qkv_rope/{} on {}", variant, dtype));
      int ran = 0;
      for (const auto& [m, d, k, s, head] : {std::array<std::int64_t, 5>{1, 8, 8, 1, 2},
                                             {7, 6, 5, 3, 6},
                                             {16, 1024, 2048, 5, 128},
                                             {129, 40, 136, 300, 20},
                                             {300, 1024, 512, 128, 64}}) {
        sdk::Params params;
        params.set("dtype", std::string(dtype));
        params.set("m", m);
        params.set("d", d);
        params.set("k", k);
        params.set("s", s);
        params.set("head", head);
        ran += is_right("qkv_rope", variant, params) ? 1 : 0;
      }
      EXPECT_TRUE(ran > 0 || device().traits().compute_major != 9);
    }
}

void expect_spectral(const char* variant) {
  for (const auto& [b, c, n] :
       {std::array<std::int64_t, 3>{1, 1, 64}, {2, 19, 64}, {17, 3, 128}, {33, 40, 64}, {4, 64, 128}}) {
    sdk::Params params;
    params.set("b", b);
    params.set("c", c);
    params.set("n", n);
    params.set("modes", std::int64_t{16});
    trying(fmt::format("spectral_convolution/{}/{}", variant, params.text_id()));
    EXPECT_TRUE(is_right("spectral_convolution", variant, params));
  }
}
TEST_F(Operators, ASpectralConvolutionIsRight) {
  expect_spectral("fused");
}

TEST_F(Operators, ASpectralConvolutionOfTheLibraryIsRight) {
  sdk::Params params;
  params.set("b", std::int64_t{1});
  params.set("c", std::int64_t{1});
  params.set("n", std::int64_t{64});
  params.set("modes", std::int64_t{16});
  if (!is_right("spectral_convolution", "cufft", params)) GTEST_SKIP() << "no cuFFT here";
  expect_spectral("cufft");
}

// The worker's own check: three tensors change in place.
void expect_right_step(const std::string& workload, const std::string& variant, const sdk::Params& params) {
  PlannedCase planned;
  planned.workload = workload;
  planned.variant = variant;
  planned.device = "cuda";
  planned.params = params;
  planned.id = fmt::format("{}/{}/{}", workload, variant, planned.params.text_id());
  planned.sampling.placements = 2;
  planned.sampling.samples = 10;
  planned.sampling.preheat = 0;
  trying(planned.id);
  expect_measured(measure_case(device(), catalog(), planned, 1), planned.id);
}

TEST_F(Operators, AnOptimizerStepIsRight) {
  for (const char* const variant : {"fused", "separate"})
    for (const std::int64_t n : {1, 1023, 1'000'001})
      expect_right_step("adamw", variant, sdk::Params({{"n", sdk::Value{n}}}));
}

// Seven pieces and a part of one, so that each place is taken twice.
TEST_F(Operators, AStepWhoseMomentsLieInTheHostsMemoryIsRight) {
  for (const char* const variant : {"mapped", "pieces"})
    for (const std::int64_t n : {1, 1023, 15'000'001})
      expect_right_step("offloaded_adamw", variant, sdk::Params({{"n", sdk::Value{n}}}));
  for (const std::int64_t n : {1, 5'000'001})
    expect_right_step("host_copy", "copy_engines", sdk::Params({{"n", sdk::Value{n}}}));
}

}  // namespace
}  // namespace harness::gpu
