// `tune` of a suite: the fixed and the tuned case of a point, and the arms that `harness tune` measures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/suite/plan/tuned_points.h"
#include "test_catalog.h"

namespace harness::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const cases = R"(
  - workload: gemm
    variants: [plain]
    axes: {dtype: [f32], n: [64]}
    tune: {m: [1, 2, 3], fast: [false, true]}
    exclude: [{m: 3, fast: true}]
)";

const std::string fixed_id = "gemm/plain/dtype=f32/m=1/n=64/scale=1/fast=false/form=tanh";
const std::string tuned_case = "gemm/plain/dtype=f32/m=tuned/n=64/scale=1/fast=tuned/form=tanh";

sdk::Params values(std::int64_t m, bool fast) {
  return sdk::Params({{"m", m}, {"fast", fast}});
}

PlanOptions pinned(const sdk::Params& to) {
  PlanOptions options;
  TunedSuite& tuned = options.tuned["cpu"];
  tuned.machine_class = "cpu-a";
  TunedCase one;
  one.id = tuned_case;
  one.values = to;
  tuned.cases = {one};
  return options;
}

TEST(Tune, APointHasItsFixedAndItsTunedCase) {
  const auto plan = plan_of(suite_text(cases), pinned(values(2, true)));
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_THAT(ids(*plan), ElementsAre(fixed_id, tuned_case));
  EXPECT_TRUE(plan->cases[0].tuned.empty());
  const PlannedCase& tuned = plan->cases[1];
  EXPECT_FALSE(tuned.skip);
  EXPECT_EQ(tuned.reference, fixed_id);
  EXPECT_EQ(tuned.tuned, values(2, true));
  EXPECT_EQ(sdk::to_string(*tuned.params.find("m")), "tuned");
  EXPECT_EQ(with_tuned(tuned.params, tuned.tuned).integer("m"), 2);
  EXPECT_EQ(tuned.items, 2);  // the work of a call is that of the values that run
}

TEST(Tune, WithoutAPinTheTunedCaseIsSkippedWithAdvice) {
  PlanOptions options;
  options.tuned["cpu"].machine_class = "cpu-a";
  const auto plan = plan_of(suite_text(cases), options);
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->cases[1].skip,
            (Cause{CauseCode::not_tuned, {{"class", "cpu-a"}, {"suite", "suite.yaml"}}}));
}

TEST(Tune, APinThatTheSuiteNoLongerTriesIsNotRun) {
  for (const auto& old : {values(4, false), values(3, true)}) {
    const auto plan = plan_of(suite_text(cases), pinned(old));
    ASSERT_TRUE(plan) << plan.error();
    ASSERT_TRUE(plan->cases[1].skip);
    EXPECT_EQ(plan->cases[1].skip->code, CauseCode::tuned_to_other);
    EXPECT_EQ(plan->cases[1].skip->text("values"), old.text_id());
    EXPECT_TRUE(plan->cases[1].tuned.empty());
  }
}

TEST(Tune, ArmsAreEveryCombinationTheFixedOneFirst) {
  PlanOptions options;
  options.arms = true;
  const auto plan = plan_of(suite_text(std::string(cases) + "  - {workload: nop, variant: only}\n"), options);
  ASSERT_TRUE(plan) << plan.error();
  std::vector<std::string> tried;
  for (const PlannedCase& arm : plan->cases) {
    tried.push_back(arm.tuned.text_id());
    EXPECT_EQ(tuned_id(arm), tuned_case);
    EXPECT_EQ(with_tuned(arm.params, arm.tuned), arm.params);
  }
  EXPECT_THAT(tried, ElementsAre("m=1/fast=false", "m=1/fast=true", "m=2/fast=false", "m=2/fast=true",
                                 "m=3/fast=false"));
  EXPECT_EQ(plan->cases[0].id, fixed_id);
}

TEST(Tune, AFilterSelectsPointsWithAllTheirArms) {
  PlanOptions options;
  options.arms = true;
  const std::string text = suite_text(R"(
  - {workload: gemm, variants: [plain], axes: {dtype: [f32], n: [64, 65]}, tune: {m: [1, 2]}}
)");
  options.filters = {"*/n=65/*"};
  const auto plan = plan_of(text, options);
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_THAT(ids(*plan), ElementsAre(HasSubstr("/m=1/n=65"), HasSubstr("/m=2/n=65")));
  options.filters = {"*/m=1/*"};
  EXPECT_THAT(errors_of(text, options), HasSubstr("*/m=1/*"));
}

TEST(Tune, AnOverrideMatchesTunedCasesOrOneOfTheValues) {
  const std::string text = suite_text(R"(
  - workload: gemm
    variant: plain
    axes: {dtype: [f32], n: [64]}
    tune: {m: [1, 2]}
    overrides:
      - {match: {m: tuned}, sampling: {processes: 7}}
      - {match: {m: 2}, sampling: {processes: 8}}
)");
  const auto run = plan_of(text);
  ASSERT_TRUE(run) << run.error();
  EXPECT_EQ(run->cases[0].sampling.processes, 5);
  EXPECT_EQ(run->cases[1].sampling.processes, 7);
  PlanOptions options;
  options.arms = true;
  const auto arms = plan_of(text, options);
  ASSERT_TRUE(arms) << arms.error();
  EXPECT_EQ(arms->cases[1].sampling.processes, 8);
}

TEST(Tune, IncludedPointsAreTunedAlone) {
  PlanOptions options;
  options.arms = true;
  const auto plan = plan_of(
      suite_text(
          "\n  - {workload: gemm, variant: plain, include: [{dtype: f16, n: 8}], tune: {m: [1, 2]}}\n"),
      options);
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->cases.size(), 2u);
}

}  // namespace
}  // namespace harness::test
