// The choice of probes: the cases of a campaign that tell whether a device is well.
#include <gmock/gmock.h>

#include <cstddef>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "harness/cli/farm/element/device_check.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PlannedCase case_of(std::string id, double bytes) {
  PlannedCase planned;
  planned.id = std::move(id);
  planned.bytes = bytes;
  return planned;
}

// Cases of 1, 2, ... bytes, which are their ids too. The largest is the first.
Plan plan_of(int cases) {
  Plan plan;
  for (int bytes = cases; bytes > 0; --bytes) plan.cases.push_back(case_of(std::to_string(bytes), bytes));
  return plan;
}

std::vector<PlannedCase> chosen_of(const Plan& plan, const std::set<std::string>& proven) {
  std::vector<const PlannedCase*> cases;
  for (const PlannedCase& one : plan.cases) cases.push_back(&one);
  return choose_probes(cases, proven);
}

std::vector<std::string> probes(const Plan& plan, const std::set<std::string>& proven = {}) {
  std::vector<std::string> ids;
  for (const PlannedCase& probe : chosen_of(plan, proven)) ids.push_back(probe.id);
  return ids;
}

TEST(ChooseProbes, TakesThreeCasesAtMost) {
  EXPECT_THAT(probes(Plan{}), IsEmpty());
  EXPECT_THAT(probes(plan_of(1)), ElementsAre("1"));
  EXPECT_THAT(probes(plan_of(2)), ElementsAre("1", "2"));
  EXPECT_THAT(probes(plan_of(3)), ElementsAre("1", "2", "3"));
  EXPECT_THAT(probes(plan_of(5)), ElementsAre("1", "3", "5")) << "spread by their bytes";
  EXPECT_THAT(probes(plan_of(6)), ElementsAre("1", "3", "6")) << "all of a small plan";
}

TEST(ChooseProbes, TakesTheHalfWithTheFewestBytesOfALargePlan) {
  EXPECT_THAT(probes(plan_of(7)), ElementsAre("1", "2", "3"));
  EXPECT_THAT(probes(plan_of(10)), ElementsAre("1", "3", "5"));
  EXPECT_THAT(probes(plan_of(1000)), ElementsAre("1", "250", "500"));
}

TEST(ChooseProbes, TakesProvenCasesFirst) {
  EXPECT_THAT(probes(plan_of(1000), {"900", "901", "902"}), ElementsAre("900", "901", "902"));
  EXPECT_THAT(probes(plan_of(1000), {"900"}), ElementsAre("900", "1", "499")) << "then others";
  EXPECT_THAT(probes(plan_of(4), {"4", "3"}), ElementsAre("3", "4", "1"));
  EXPECT_THAT(probes(plan_of(3), {"not of this plan"}), ElementsAre("1", "2", "3"));
}

TEST(ChooseProbes, TakesOnlyCasesThatMeasureOnOneGpuHere) {
  Plan plan = plan_of(4);
  plan.cases[1].gpus = 2;
  plan.cases[2].program = Program{"sort", {"./sort"}, "/", {}, {}, {}, {}};
  plan.cases[3].skip = Cause{CauseCode::unsupported};
  EXPECT_THAT(probes(plan), ElementsAre("4"));
  EXPECT_THAT(probes(plan, {"1", "2", "3", "4"}), ElementsAre("4")) << "proven or not";
}

TEST(ChooseProbes, MeasuresAProbeInOneProcessAndAlone) {
  Plan plan = plan_of(1);
  plan.cases[0].sampling.processes = 7;
  plan.cases[0].reference = "another";
  const std::vector<PlannedCase> chosen = chosen_of(plan, {});
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_EQ(chosen[0].sampling.processes, 1);
  EXPECT_EQ(chosen[0].reference, "");
}

}  // namespace
}  // namespace harness
