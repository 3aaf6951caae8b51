// suites/probe.yaml: the nine cases of a GPU and what they claim, and that a CPU has some of each kind.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "harness/suite/load_suite.h"
#include "test_catalog.h"

namespace harness::test {
namespace {

namespace fs = std::filesystem;

Plan probe_plan() {
  const Checked<Suite> suite = load_suite((fs::path(HARNESS_SOURCE_DIR) / "suites/probe.yaml").string());
  EXPECT_TRUE(suite.has_value()) << text_of(suite.error());
  Checked<Plan> plan = make_plan(*suite, Catalog::built_in(), {});
  EXPECT_TRUE(plan.has_value()) << text_of(plan.error());
  return *plan;
}

std::vector<PlannedCase> cases_of(const Plan& plan, const std::string& device) {
  std::vector<PlannedCase> found;
  for (const PlannedCase& one : plan.cases)
    if (one.device == device) found.push_back(one);
  return found;
}

bool by_events(const PlannedCase& one) {
  return one.sampling.timing == TimingMode::events;
}

bool rotates(const PlannedCase& one) {
  return one.sampling.cache == CacheMode::rotate;
}

std::vector<PlannedCase> nine_probes() {
  std::vector<PlannedCase> cases = cases_of(probe_plan(), "cuda");
  std::erase_if(cases, [](const PlannedCase& one) { return !by_events(one) || rotates(one); });
  return cases;
}

TEST(ProbeSuite, HasTheShortOnesInBatchesToo) {
  std::vector<std::string> ids;
  for (const PlannedCase& one : cases_of(probe_plan(), "cuda"))
    if (!by_events(one)) ids.push_back(one.id);
  EXPECT_THAT(ids, testing::ElementsAre("probe_empty/launch/blocks=1/cache=hot/timing=batch",
                                        "probe_gemm/cublas/dtype=f16/n=512/cache=cold/timing=batch",
                                        "probe_gemm/cublas/dtype=f16/n=512/cache=hot/timing=batch"));
}

TEST(ProbeSuite, HasTheShortOnesAndTheProductsRotatingToo) {
  std::vector<std::string> ids;
  for (const PlannedCase& one : cases_of(probe_plan(), "cuda"))
    if (rotates(one)) ids.push_back(one.id);
  EXPECT_THAT(ids, testing::ElementsAre("probe_gelu/vector8/dtype=f16/n=8388608/factor=1/cache=rotate",
                                        "probe_gemm/cublas/dtype=f16/n=512/cache=rotate",
                                        "probe_gemm/cublas/dtype=f16/n=2048/cache=rotate",
                                        "probe_gemm/cublas/dtype=f16/n=4096/cache=rotate"));
}

TEST(ProbeSuite, HasTheNineProbesOfAGpuColdWithManyPlacements) {
  const std::vector<PlannedCase> cases = nine_probes();
  std::vector<std::string> ids;
  for (const PlannedCase& one : cases) {
    ids.push_back(one.id);
    EXPECT_EQ(one.sampling.processes, 5) << one.id;
    EXPECT_EQ(one.sampling.placements, one.id.ends_with("factor=1") ? 24 : 12) << one.id;
    EXPECT_EQ(one.sampling.samples, one.id.ends_with("n=4096") ? 8 : 12) << one.id;
    EXPECT_EQ(one.sampling.cache, CacheMode::cold) << one.id;
  }
  EXPECT_THAT(ids,
              testing::ElementsAre("probe_empty/launch/blocks=1", "probe_copy/float4/n=16777216",
                                   "probe_gelu/vector8/dtype=f16/n=8388608/factor=1",
                                   "probe_gelu/vector8/dtype=f16/n=8388608/factor=1.01",
                                   "probe_gelu/vector8/dtype=f16/n=8388608/factor=1.02",
                                   "probe_gelu/vector8/dtype=f16/n=8388608/factor=1.05",
                                   "probe_gemm/cublas/dtype=f16/n=512", "probe_gemm/cublas/dtype=f16/n=2048",
                                   "probe_gemm/cublas/dtype=f16/n=4096"));
}

TEST(ProbeSuite, TheSlowdownsAreTrueInBytes) {
  const std::vector<PlannedCase> cases = nine_probes();
  ASSERT_EQ(cases.size(), 9U);
  EXPECT_EQ(cases[1].bytes, 2.0 * 64 * 1024 * 1024);
  EXPECT_EQ(cases[2].bytes, 2.0 * 2 * 8388608);
  EXPECT_NEAR(cases[4].bytes / cases[2].bytes, 1.02, 1e-6);
  EXPECT_EQ(cases[8].flops, 2.0 * 4096 * 4096 * 4096);
}

TEST(ProbeSuite, ACpuHasAProbeOfEachKind) {
  std::set<std::string> workloads;
  for (const PlannedCase& one : cases_of(probe_plan(), "cpu")) {
    workloads.insert(one.workload);
    EXPECT_EQ(one.skip, std::nullopt) << one.id;
    EXPECT_EQ(one.sampling.cache, CacheMode::hot) << one.id;
  }
  EXPECT_THAT(workloads, testing::ElementsAre("probe_copy", "probe_empty", "probe_gelu", "probe_gemm"));
}

}  // namespace
}  // namespace harness::test
