// Training steps and short trainings on CUDA, by the worker's own check: tensors change in place. Also what
// sanitizers are run on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

using Values = std::vector<std::pair<const char*, sdk::Value>>;

class Training : public GpuTest {
 protected:
  // The values of `metrics`, in their order.
  static std::vector<double> expect_right(const std::string& workload, const std::string& variant,
                                          const Values& values,
                                          const std::vector<std::string>& metrics = {}) {
    PlannedCase planned;
    planned.metrics = metrics;
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
    expect_measured(result, planned.id);
    std::vector<double> told;
    for (const std::string& metric : metrics)
      for (const Series& series : result.series)
        if (series.metric == metric)
          told.push_back(series.processes.front().placements.front().samples.front());
    EXPECT_EQ(told.size(), metrics.size());
    return told;
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

Values sparse_loss(const char* pattern, const char* trained) {
  return {{"d", std::int64_t{32}},
          {"heads", std::int64_t{2}},
          {"layers", std::int64_t{2}},
          {"s", std::int64_t{32}},
          {"batch", std::int64_t{4}},
          {"train_steps", std::int64_t{60}},
          {"held_out_batches", std::int64_t{2}},
          {"block", std::int64_t{1}},
          {"pattern", std::string(pattern)},
          {"trained", std::string(trained)}};
}

// Parts of tiles, of blocks and of warps; one sequence and several.
TEST_F(Training, OfAStepIsRightOnAFewSmallShapes) {
  for (const std::string variant : {"bf16", "bf16_recomputed", "fp8_current"}) {
    expect_right("training_step", variant, step(32, 2, 2, 16, 3, 48));
    expect_right("training_step", variant, step(80, 5, 1, 48, 1, 0));
  }
}

// Checked without being measured: a sanitizer takes seconds for each call of three steps.
TEST_F(Training, OfACourseIsRightOnAFewSmallShapes) {
  sdk::Params params;
  for (const auto& [name, value] : course(32, 16, 5)) params.set(name, value);
  for (const std::string variant :
       {"bf16", "fp8_current", "fp8_delayed", "bf16_top_1", "bf16_top_10", "bf16_int8"})
    EXPECT_TRUE(is_right("convergence", variant, params)) << variant;
}

TEST_F(Training, OfAModelWithFewerBlocksIsRightOnAFewSmallShapes) {
  sdk::Params params;
  for (const auto& [name, value] : sparse_loss("learned", "dense")) params.set(name, value);
  EXPECT_TRUE(is_right("sparse_loss", "bf16", params));
}

// Blocks that are fixed, chosen between the kernels of a layer, learned, and trained with. Sums of gradients
// are in no fixed order, so two trainings of one model differ in their last digits.
TEST_F(Training, OfAModelWithFewerBlocksTellsLossesOfEachPattern) {
  std::vector<double> dense;
  for (const auto& [pattern, trained] :
       {std::pair{"banded", "dense"}, std::pair{"strided", "dense"}, std::pair{"threshold", "dense"},
        std::pair{"learned", "dense"}, std::pair{"banded", "sparse"}}) {
    const std::vector<double> told =
        expect_right("sparse_loss", "bf16", sparse_loss(pattern, trained), {"held_out_loss", "loss_90"});
    ASSERT_EQ(told.size(), 2U);
    EXPECT_LT(told[0], 4.5) << "nats, of 4.56 before it is trained";
    EXPECT_NEAR(told[1], told[0], 0.5);
    EXPECT_NE(told[1], told[0]);
    if (trained == std::string_view("dense")) dense.push_back(told[0]);
  }
  const auto [least, most] = std::minmax_element(dense.begin(), dense.end());
  EXPECT_LT(*most - *least, 0.1) << "nats between trainings of the same model";
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
