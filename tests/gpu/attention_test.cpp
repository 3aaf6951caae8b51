// Every CUDA variant of attention against the float64 reference, on regular and odd shapes. The path shares
// nothing with the worker's verification. Each is compared with itself ten times, too. Also what sanitizers
// are run on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"

namespace harness::gpu {
namespace {

constexpr const char* workload_name = "attention";

class Attention : public VariantsTest {
 protected:
  Attention() : VariantsTest(workload_name) {}

  // Each variant must be right wherever it agrees to run. Our own variants must run; cuDNN may not be
  // installed.
  void expect_right(const std::string& dtype, bool causal) const;
};

struct Extents {
  std::int64_t b, h, s, d;
};

// The six small shapes of the suite; then one token, tails of every tile, all head sizes, more blocks than
// multiprocessors, and heads that only the simple variants take.
constexpr std::array<Extents, 21> shapes{
    {{2, 8, 128, 32},   {1, 1, 1, 32},    {2, 70, 257, 32},  {1, 1, 600, 32},  {1, 1, 32, 64},
     {1, 1, 64, 64},    {1, 1, 128, 64},  {1, 1, 256, 64},   {1, 1, 512, 64},  {2, 4, 128, 64},
     {1, 1, 1, 64},     {1, 2, 127, 64},  {1, 2, 129, 128},  {3, 2, 200, 128}, {1, 1, 1, 128},
     {1, 1, 1000, 128}, {2, 70, 257, 64}, {1, 90, 320, 128}, {1, 1, 2050, 64}, {1, 2, 77, 40},
     {2, 1, 65, 1}}};

sdk::Params params_of(const std::string& dtype, const Extents& shape, bool causal) {
  sdk::Params params;
  params.set("dtype", dtype);
  params.set("b", shape.b);
  params.set("h", shape.h);
  params.set("s", shape.s);
  params.set("d", shape.d);
  params.set("causal", causal);
  return params;
}

void Attention::expect_right(const std::string& dtype, bool causal) const {
  for (const std::string& variant : variants()) {
    int ran = 0;
    trying(variant);
    for (const Extents& shape : shapes) ran += is_right(variant, params_of(dtype, shape, causal)) ? 1 : 0;
    EXPECT_TRUE(ran > 0 || variant == "cudnn_sdpa" || device().traits().compute_major < 8)
        << variant << " supports none of the shapes";
  }
}

TEST_F(Attention, IsRightInHalfPrecision) {
  expect_right("f16", false);
}
TEST_F(Attention, IsRightInBfloat16) {
  expect_right("bf16", false);
}
TEST_F(Attention, IsRightInHalfPrecisionWhereCausal) {
  expect_right("f16", true);
}
TEST_F(Attention, IsRightInBfloat16WhereCausal) {
  expect_right("bf16", true);
}

// For sanitizers, under which everything takes many times as long: tails, all head sizes, tiles of every
// size.
TEST_F(Attention, OfOurOwnIsRightOnAFewSmallShapes) {
  for (const std::string& variant : variants()) {
    if (is_library(variant)) continue;
    trying(variant);
    for (const Extents& shape : {Extents{1, 2, 77, 40}, Extents{2, 1, 140, 32}, Extents{1, 1, 130, 64},
                                 Extents{1, 1, 200, 128}, Extents{2, 35, 129, 64}, Extents{2, 35, 129, 128}})
      for (const bool causal : {false, true}) is_right(variant, params_of("f16", shape, causal));
  }
}

TEST_F(Attention, GivesTheSameBitsTenTimesOver) {
  for (const std::string& variant : variants()) {
    if (is_library(variant)) continue;  // its promises are its own
    trying(variant);
    for (const Extents& shape : {Extents{1, 1, 512, 64}, Extents{2, 40, 300, 128}}) {
      const sdk::Params params = params_of("bf16", shape, true);
      SCOPED_TRACE(variant + "/" + params.text_id());
      try {
        Bound bound(device(), catalog(), workload_name, variant, params);
        sdk::HostBytes first;
        for (int call = 0; call < 10; ++call) {
          bound.poison_outputs();
          const auto elapsed = timer().time_first_call(bound.work());
          ASSERT_TRUE(elapsed) << elapsed.error().text();
          const sdk::HostBytes bits = bound.output().data;
          if (call == 0) first = bits;
          ASSERT_TRUE(bits == first) << "call " << call + 1;
        }
      } catch (const sdk::Unsupported& reason) {
        ADD_FAILURE() << "not supported: " << reason.what();
      }
    }
  }
}

TEST_F(Attention, IsMeasuredBehindTheGateByEveryVariant) {
  for (const std::string& variant : variants()) {
    PlannedCase planned;
    planned.workload = workload_name;
    planned.variant = variant;
    planned.device = "cuda";
    planned.params = params_of("f16", {2, 4, 128, 64}, false);
    planned.id = fmt::format("{}/{}/{}", workload_name, variant, planned.params.text_id());
    planned.sampling.placements = 2;
    planned.sampling.samples = 20;
    planned.sampling.preheat = 0;
    trying(variant);
    const ProcessResult result = measure_case(device(), catalog(), planned, 1);
    if (variant == "cudnn_sdpa" && result.outcome == Outcome::skipped) {
      std::printf("cudnn_sdpa: %s\n", result.reason ? result.reason->text("why").c_str() : "");
      continue;
    }
    ASSERT_EQ(result.outcome, Outcome::measured) << variant << ": " << result.reason;
    ASSERT_TRUE(result.verification) << variant;
    EXPECT_LE(result.verification->after, result.verification->tolerance) << variant;
    for (const Placement& placement : result.series.at(0).processes.at(0).placements)
      EXPECT_EQ(placement.forced_gates, 0) << variant;
  }
}

}  // namespace
}  // namespace harness::gpu
