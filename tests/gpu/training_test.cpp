// Training steps and short trainings on CUDA, by the worker's own check: tensors change in place. Also what
// sanitizers are run on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"

namespace harness::gpu {
namespace {

using Values = std::vector<std::pair<const char*, std::int64_t>>;

class Training : public GpuTest {
 protected:
  static void expect_right(const std::string& workload, const std::string& variant, const Values& values) {
    PlannedCase planned;
    planned.workload = workload;
    planned.variant = variant;
    planned.device = "cuda";
    for (const auto& [name, value] : values) planned.params.set(name, value);
    planned.id = fmt::format("{}/{}/{}", workload, variant, planned.params.text_id());
    planned.sampling.placements = 2;
    planned.sampling.samples = 5;
    planned.sampling.preheat = 0;
    trying(planned.id);
    const ProcessResult result = measure_case(device(), catalog(), planned, 1);
    ASSERT_EQ(result.outcome, Outcome::measured) << planned.id << ": " << result.reason;
    ASSERT_TRUE(result.verification) << planned.id;
  }
};

Values step(std::int64_t d, std::int64_t heads, std::int64_t layers, std::int64_t s, std::int64_t batch,
            std::int64_t vocabulary) {
  return {{"d", d}, {"heads", heads}, {"layers", layers},
          {"s", s}, {"batch", batch}, {"vocabulary", vocabulary}};
}

Values course(std::int64_t d, std::int64_t s, std::int64_t train_steps) {
  return {{"d", d},
          {"heads", 4},
          {"layers", 2},
          {"s", s},
          {"batch", 5},
          {"steps", 3},
          {"train_steps", train_steps}};
}

// Parts of tiles, of blocks and of warps; one sequence and several.
TEST_F(Training, OfAStepIsRightOnAFewSmallShapes) {
  for (const std::string variant : {"bf16", "bf16_recomputed", "fp8_current"}) {
    expect_right("training_step", variant, step(32, 2, 2, 16, 3, 48));
    expect_right("training_step", variant, step(80, 5, 1, 48, 1, 0));
  }
}

TEST_F(Training, OfACourseIsRightOnAFewSmallShapes) {
  for (const std::string variant :
       {"bf16", "fp8_current", "fp8_delayed", "bf16_top_1", "bf16_top_10", "bf16_int8"})
    expect_right("convergence", variant, course(32, 16, 5));
}

// Several blocks a row, more rows than blocks, weights that repeat, and the widest model.
TEST_F(Training, IsRightOnWideAndLongShapes) {
  for (const std::string variant : {"bf16", "fp8_current"}) {
    expect_right("training_step", variant, step(768, 12, 2, 512, 2, 2000));
    expect_right("training_step", variant, step(4096, 32, 1, 256, 1, 0));
    expect_right("training_step", variant, step(128, 2, 1, 4096, 1, 0));
  }
  for (const std::string variant : {"bf16", "fp8_current", "fp8_delayed"})
    expect_right("convergence", variant, course(256, 128, 50));
}

}  // namespace
}  // namespace harness::gpu
