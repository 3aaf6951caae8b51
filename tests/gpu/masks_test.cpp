// Every CUDA variant of masks against the float64 reference, on regular and odd shapes. Also what sanitizers
// are run on: only kernels of our own, with a limit on shapes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"

namespace harness::gpu {
namespace {

constexpr const char* workload_name = "masks";
constexpr const char* alibi = "score - exp2(-8.0 * (head + 1) / heads) * (q - k)";

struct Tried {
  const char* mask;
  const char* score = "score";
  std::int64_t documents = 1;
};

// The six masks of the suite; then all and nothing to see, heads that differ, and documents in a score.
constexpr Tried rules[] = {{"k <= q"},
                           {"k <= q && q - k < 200"},
                           {"document(q) == document(k)", "score", 5},
                           {"k < 100 || k <= q"},
                           {"k <= q", alibi},
                           {"k <= q", "20 * tanh(score / 20)"},
                           {"true"},
                           {"k < q && q % 2 == 1 || q == 0"},
                           {"q - k < 150 * head && k <= q"},
                           {"k <= q", "document(q) == document(k) ? score : score - 1", 4}};

struct Extents {
  std::int64_t b, h, s, d;
};

sdk::Params params_of(const std::string& dtype, const Extents& shape, const Tried& tried) {
  sdk::Params params;
  params.set("dtype", dtype);
  params.set("b", shape.b);
  params.set("h", shape.h);
  params.set("s", shape.s);
  params.set("d", shape.d);
  params.set("mask", std::string(tried.mask));
  params.set("score", std::string(tried.score));
  params.set("documents", tried.documents);
  return params;
}

class Masks : public VariantsTest {
 protected:
  Masks() : VariantsTest(workload_name) {}

  // Our own must run where NVRTC is; cuDNN has some of the masks.
  void expect_right(const std::string& dtype, std::initializer_list<Extents> shapes) const {
    for (const std::string& variant : variants()) {
      int ran = 0;
      for (const Tried& tried : rules) {
        trying(fmt::format("{} {} {}", variant, tried.mask, tried.score));
        for (const Extents& shape : shapes) ran += is_right(variant, params_of(dtype, shape, tried)) ? 1 : 0;
      }
      EXPECT_TRUE(ran > 0 || is_library(variant) || device().traits().compute_major != 9) << variant;
    }
  }
};

TEST_F(Masks, AreRightInHalfPrecision) {
  expect_right("f16", {{1, 2, 1, 64}, {2, 3, 300, 64}, {1, 2, 1025, 128}});
}
TEST_F(Masks, AreRightInBfloat16) {
  expect_right("bf16", {{1, 2, 129, 128}, {3, 2, 1000, 64}});
}
// For sanitizers, under which everything takes many times as long.
TEST_F(Masks, OfOurOwnAreRightOnAFewSmallShapes) {
  for (const std::string& variant : variants()) {
    if (is_library(variant)) continue;
    for (const Tried& tried : {rules[0], rules[2], rules[4], rules[7]}) {
      trying(fmt::format("{} {} {}", variant, tried.mask, tried.score));
      is_right(variant, params_of("f16", {1, 2, 200, 64}, tried));
      is_right(variant, params_of("bf16", {1, 1, 300, 128}, tried));
    }
  }
}

// The suite's longest, where lists have hundreds of tiles.
TEST_F(Masks, AreRightOnLongSequences) {
  for (const std::string& variant : variants())
    for (const Tried& tried :
         {Tried{"k <= q && q - k < 1024"}, Tried{"document(q) == document(k)", "score", 12}}) {
      trying(fmt::format("{} {}", variant, tried.mask));
      is_right(variant, params_of("bf16", {1, 4, 16384, 128}, tried), 256);
    }
}

TEST_F(Masks, AreMeasuredBehindTheGateByEveryVariant) {
  for (const std::string& variant : variants()) {
    PlannedCase planned;
    planned.workload = workload_name;
    planned.variant = variant;
    planned.device = "cuda";
    planned.params = params_of("f16", {2, 4, 512, 64}, {"k <= q"});
    planned.id = fmt::format("{}/{}/{}", workload_name, variant, planned.params.text_id());
    planned.sampling.placements = 2;
    planned.sampling.samples = 20;
    planned.sampling.preheat = 0;
    trying(variant);
    const ProcessResult result = measure_case(device(), catalog(), planned, 1);
    if (result.outcome == Outcome::skipped) {
      std::printf("%s: %s\n", variant.c_str(), result.reason ? result.reason->text("why").c_str() : "");
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
