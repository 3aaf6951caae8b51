// Hardware counters in suites: looked up where somebody can, and informative unless told otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../model/fact_matchers.h"
#include "test_catalog.h"

namespace harness::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string gemm =
    "  - workload: gemm\n    variants: [plain, library]\n    axes: {dtype: f32, m: 1, n: 1}\n    metrics: ";

PlanOptions with_lookup(std::vector<std::vector<std::string>>* asked = nullptr) {
  PlanOptions options;
  options.plan_counters = [asked](const std::vector<std::string>& names) {
    if (asked != nullptr) asked->push_back(names);
    CounterPlan plan;
    plan.outcome = {CounterCode::looked_up, {{"chip", "GH100"}}};
    for (const std::string& name : names)
      if (name == "dram__bytes_raed.sum") plan.unknown.push_back({name, "dram__bytes_read.sum"});
    plan.passes = plan.unknown.empty() ? 2 : 0;
    return plan;
  };
  return options;
}

const MetricGate* gate_of(const PlannedCase& planned, const std::string& metric) {
  for (const MetricGate& one : planned.gate.metrics)
    if (one.metric == metric) return &one;
  return nullptr;
}

TEST(SuiteCounters, TellTheReplaysThatTheyTakeOnTheGpu) {
  std::vector<std::vector<std::string>> asked;
  const auto plan = plan_of(suite_text(gemm + "[time, dram__bytes_read.sum, sm__cycles_elapsed.max]\n"),
                            with_lookup(&asked));
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->cases[0].counter_passes, 0) << "the CPU has none";
  EXPECT_EQ(plan->cases[1].counter_passes, 2);
  EXPECT_THAT(plan->counters, FactIs(CounterCode::looked_up, {{"chip", "GH100"}}));
  EXPECT_THAT(asked.back(), ElementsAre("dram__bytes_read.sum", "sm__cycles_elapsed.max"));
}

TEST(SuiteCounters, ThatTheChipDoesNotHaveAreRefusedAtTheirPlaceWithTheNearest) {
  const std::string errors = errors_of(suite_text(gemm + "[time, dram__bytes_raed.sum]\n"), with_lookup());
  for (const char* figure :
       {"suite.yaml:7:21: ", "`dram__bytes_raed.sum`", "GH100", "`dram__bytes_read.sum`"})
    EXPECT_THAT(errors, HasSubstr(figure));
}

TEST(SuiteCounters, WithoutTheirEndingAreToldHowToWriteThem) {
  EXPECT_THAT(errors_of(suite_text(gemm + "[dram__bytes_read]\n"), with_lookup()),
              HasSubstr("`dram__bytes_read.sum`"));
}

TEST(SuiteCounters, AreTakenAsTheyStandWhereNobodyCanLookThemUp) {
  const auto plan = plan_of(suite_text(gemm + "[time, dram__bytes_raed.sum]\n"));
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->cases[1].counter_passes, 0);
  EXPECT_THAT(plan->counters, FactIs(CounterCode::not_asked));
}

TEST(SuiteCounters, AreInformativeUnlessTheSuiteGatesThem) {
  const auto plan = plan_of(suite_text(gemm + "[dram__bytes_read.sum, sm__cycles_elapsed.max]\n"
                                              "    gate: {metrics: {dram__bytes_read.sum: {margin: 2%}}}\n"),
                            with_lookup());
  ASSERT_TRUE(plan) << plan.error();
  for (const PlannedCase& planned : plan->cases) {
    ASSERT_NE(gate_of(planned, "sm__cycles_elapsed.max"), nullptr);
    EXPECT_TRUE(gate_of(planned, "sm__cycles_elapsed.max")->informative);
    ASSERT_NE(gate_of(planned, "dram__bytes_read.sum"), nullptr);
    EXPECT_FALSE(gate_of(planned, "dram__bytes_read.sum")->informative);
    EXPECT_EQ(gate_of(planned, "dram__bytes_read.sum")->margin, 0.02);
  }
}

}  // namespace
}  // namespace harness::test
