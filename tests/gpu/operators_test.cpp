// The operators on rows and the optimizer step against the float64 reference, on tails. Also what sanitizers
// are run on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"

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
  static constexpr Shape shapes[] = {{1, 1},    {7, 13},   {130, 64},  {67, 256},  {33, 1000},  {20, 2049},
                                     {9, 4096}, {5, 8200}, {3, 16384}, {9000, 41}, {3000, 2049}};
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

// The worker's own check: three tensors change in place.
TEST_F(Operators, AnOptimizerStepIsRight) {
  for (const char* const variant : {"fused", "separate"})
    for (const std::int64_t n : {1, 1023, 1'000'001}) {
      PlannedCase planned;
      planned.workload = "adamw";
      planned.variant = variant;
      planned.device = "cuda";
      planned.params.set("n", n);
      planned.id = fmt::format("adamw/{}/{}", variant, planned.params.text_id());
      planned.sampling.placements = 2;
      planned.sampling.samples = 10;
      planned.sampling.preheat = 0;
      trying(planned.id);
      const ProcessResult result = measure_case(device(), catalog(), planned, 1);
      ASSERT_EQ(result.outcome, Outcome::measured) << planned.id << ": " << result.reason;
      ASSERT_TRUE(result.verification) << planned.id;
    }
}

}  // namespace
}  // namespace harness::gpu
