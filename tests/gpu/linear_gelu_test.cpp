// Every CUDA variant of linear_gelu against the float64 reference, on regular and odd shapes, by a
// path that shares nothing with the worker's own verification. Also what sanitizers are run on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"

namespace harness::gpu {
namespace {

constexpr const char* workload_name = "linear_gelu";

class LinearGelu : public VariantsTest {
 protected:
  LinearGelu() : VariantsTest(workload_name) {}

  // Each variant must be right wherever it agrees to run, and must agree to run on something.
  void expect_right(const std::string& dtype, const std::string& gelu, bool some_must_run) const;
};

struct Shape {
  std::int64_t m, n, k;
};

// Tile multiples, one element, one row, one column, primes, one more and one less than a tile.
constexpr std::array<Shape, 13> shapes{{{128, 128, 64},
                                        {256, 384, 192},
                                        {512, 256, 1024},
                                        {1, 1, 1},
                                        {1, 256, 64},
                                        {256, 1, 64},
                                        {7, 13, 5},
                                        {64, 72, 40},
                                        {127, 129, 65},
                                        {129, 127, 63},
                                        {130, 264, 136},
                                        {257, 131, 97},
                                        {31, 1000, 8}}};

// Parameters the workload may gain keep their defaults; one without a default fails here, loudly.
sdk::Params params_of(const std::string& dtype, const std::string& gelu, const Shape& shape) {
  const std::map<std::string, sdk::Value> given{
      {"dtype", dtype}, {"gelu", gelu}, {"m", shape.m}, {"n", shape.n}, {"k", shape.k}};
  sdk::Params params;
  for (const sdk::ParamSpec& spec : catalog().workload(workload_name)->params()) {
    const auto found = given.find(spec.name);
    params.set(spec.name, found != given.end() ? found->second : spec.fallback.at(0));
  }
  return params;
}

void LinearGelu::expect_right(const std::string& dtype, const std::string& gelu, bool some_must_run) const {
  for (const std::string& variant : variants()) {
    int ran = 0;
    trying(variant + " on " + dtype);
    for (const Shape& shape : shapes) ran += is_right(variant, params_of(dtype, gelu, shape)) ? 1 : 0;
    EXPECT_TRUE(ran > 0 || !some_must_run) << variant << " supports none of the " << dtype << " shapes";
  }
}

TEST_F(LinearGelu, IsRightInHalfPrecision) {
  expect_right("f16", "tanh", true);
}
TEST_F(LinearGelu, IsRightInBfloat16) {
  expect_right("bf16", "tanh", device().traits().compute_major >= 8);
}
TEST_F(LinearGelu, IsRightInSinglePrecisionWhereSupported) {
  expect_right("f32", "tanh", false);
}
TEST_F(LinearGelu, IsRightWithTheExactFormWhereSupported) {
  expect_right("f16", "erf", false);
}

// For sanitizers, under which everything takes many times as long; where a library multiplies, bias and GELU
// are ours.
TEST_F(LinearGelu, IsRightOnAFewSmallShapes) {
  for (const std::string& variant : variants()) {
    trying(variant);
    for (const Shape& shape : {Shape{7, 13, 5}, Shape{127, 129, 65}, Shape{130, 264, 136}})
      for (const char* const dtype : {"f16", "bf16"}) is_right(variant, params_of(dtype, "tanh", shape));
  }
}

TEST_F(LinearGelu, IsMeasuredBehindTheGateByEveryVariant) {
  for (const std::string& variant : variants()) {
    PlannedCase planned;
    planned.workload = workload_name;
    planned.variant = variant;
    planned.device = "cuda";
    planned.params = params_of("f16", "tanh", {512, 1024, 1024});
    planned.id = fmt::format("{}/{}/{}", workload_name, variant, planned.params.text_id());
    planned.sampling.placements = 2;
    planned.sampling.samples = 20;
    planned.sampling.preheat = 0;
    trying(variant);
    const ProcessResult result = measure_case(device(), catalog(), planned, 1);
    ASSERT_EQ(result.outcome, Outcome::measured) << variant << ": " << result.reason;
    ASSERT_TRUE(result.verification) << variant;
    EXPECT_LE(result.verification->before, result.verification->tolerance) << variant;
    EXPECT_LE(result.verification->after, result.verification->tolerance) << variant;
    const ProcessSamples& samples = result.series.at(0).processes.at(0);
    for (const Placement& placement : samples.placements) EXPECT_EQ(placement.forced_gates, 0) << variant;
  }
}

}  // namespace
}  // namespace harness::gpu
