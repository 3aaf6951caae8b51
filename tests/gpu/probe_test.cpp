// The CUDA variants of the probes against the float64 reference, on regular sizes and on tails, by a path
// that shares nothing with the worker's own verification. Also what sanitizers are run on.
#include <gtest/gtest.h>

#include <utility>

#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"

namespace harness::gpu {
namespace {

class Probe : public GpuTest {
 protected:
  // The parameters of a probe: what is not given has its fallback; without one it fails here, loudly.
  static sdk::Params params_of(const std::string& workload, const std::string& dtype, std::int64_t n) {
    sdk::Params params;
    for (const sdk::ParamSpec& spec : catalog().workload(workload)->params()) {
      if (spec.name == "dtype")
        params.set(spec.name, dtype);
      else if (spec.name == "n")
        params.set(spec.name, n);
      else
        params.set(spec.name, spec.fallback.at(0));
    }
    return params;
  }

  static void expect_right(const std::string& workload, const std::string& variant, std::int64_t n) {
    EXPECT_TRUE(is_right(workload, variant, params_of(workload, "f16", n))) << workload << " of " << n;
  }
};

TEST_F(Probe, CopiesExactlyWithTails) {
  for (const std::int64_t n : {1, 3, 4, 5, 1023, 4096, 4099, 1'048'577})
    expect_right("probe_copy", "float4", n);
}

TEST_F(Probe, AppliesGeluWithTails) {
  for (const std::int64_t n : {1, 7, 8, 9, 2047, 2048, 2055, 100'003})
    expect_right("probe_gelu", "vector8", n);
}

// So that their placements are on streams that are further apart than those that wait for the default stream.
TEST_F(Probe, KeepsToTheStreamThatItIsGiven) {
  for (const auto& [workload, variant] :
       {std::pair{"probe_empty", "launch"}, std::pair{"probe_copy", "float4"},
        std::pair{"probe_gelu", "vector8"}, std::pair{"probe_gemm", "cublas"}}) {
    const Bound one(device(), catalog(), workload, variant, params_of(workload, "f16", 512));
    ASSERT_TRUE(timer().time_first_call(one.work())) << variant;
    const Result<bool> kept = timer().keeps_to_stream(one.work());
    ASSERT_TRUE(kept) << variant << ": " << kept.error().text();
    EXPECT_TRUE(*kept) << variant;
  }
}

TEST_F(Probe, MultipliesWithTails) {
  for (const std::int64_t n : {1, 2, 7, 8, 64, 65, 128, 250, 512}) expect_right("probe_gemm", "cublas", n);
}

TEST_F(Probe, TakesOnlyTheTypeThatItIsMadeFor) {
  for (const auto& [workload, variant] :
       {std::pair{"probe_gelu", "vector8"}, std::pair{"probe_gemm", "cublas"}})
    EXPECT_THROW(Bound(device(), catalog(), workload, variant, params_of(workload, "f32", 64)),
                 sdk::Unsupported)
        << workload;
}

TEST_F(Probe, IsMeasuredBehindTheGate) {
  for (const auto& [workload, variant] :
       {std::pair{"probe_empty", "launch"}, std::pair{"probe_copy", "float4"},
        std::pair{"probe_gelu", "vector8"}, std::pair{"probe_gemm", "cublas"}}) {
    SCOPED_TRACE(workload);
    PlannedCase planned;
    planned.workload = workload;
    planned.variant = variant;
    planned.device = "cuda";
    planned.params = params_of(workload, "f16", 512);
    planned.id = planned.workload + "/" + planned.variant + "/" + planned.params.text_id();
    planned.sampling.placements = 2;
    planned.sampling.samples = 20;
    planned.sampling.preheat = 0;
    const ProcessResult result = measure_case(device(), catalog(), planned, 1);
    ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
    const ProcessSamples& samples = result.series.at(0).processes.at(0);
    ASSERT_EQ(samples.placements.size(), 2U);
    for (const Placement& placement : samples.placements) {
      EXPECT_EQ(placement.samples.size(), 20U);
      EXPECT_EQ(placement.forced_gates, 0);
    }
  }
}

}  // namespace
}  // namespace harness::gpu
