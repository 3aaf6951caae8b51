// A campaign as a store keeps it: its cases are not in its text, because each element reads that text whole.
#include "harness/cli/farm/campaign.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/base/files.h"
#include "harness/store/store.h"

namespace harness {
namespace {

Campaign campaign_of(int cases, bool alike) {
  Campaign campaign{.tool = "harness"};
  CampaignSide side{"r-1", "/bin/harness", "/", {}, "i", {}};
  for (int i = 0; i < cases; ++i) {
    PlannedCase& one = side.plan.cases.emplace_back();
    one.id = std::to_string(i);
    one.workload = "w";
    one.device = i == 0 ? "cpu" : "cuda";
    one.gpus = i == 1 ? 4 : 1;
  }
  CampaignSide other = side;
  if (!alike) other.plan.cases.back().bytes = 7;
  CampaignSuite suite;
  suite.sides = {side, other};
  suite.seconds["1"] = 2.5;
  suite.kinds = kinds_of(campaign, side.plan);
  campaign.suites = {suite};
  return campaign;
}

TEST(CampaignText, HoldsNoCases) {
  const std::string few = encode(campaign_of(3, true)), many = encode(campaign_of(300, true));
  EXPECT_EQ(few.size(), many.size());
}

TEST(CampaignCases, AreReadByTaskAndWhole) {
  TemporaryFolder folder;
  const auto store = Store::open((folder.path() / "farm.db").string());
  const auto farm = FarmStore::open((folder.path() / "farm.db").string());
  const Campaign planned = campaign_of(5, false);
  const StoredCampaign stored{"c-1", "now", encode(planned)};
  ASSERT_TRUE((*farm)->plan(stored, {}, {{}, cases_of(planned)}));
  Campaign read = decode_campaign(stored).value();
  ASSERT_EQ(read.suites.front().kinds.size(), 2U);
  EXPECT_EQ(read.suites.front().kinds.back().gpus, 4);

  FarmTask task{.first = 3, .cases = 2, .processes = 9};
  const auto plans = load_task(**farm, "c-1", read, task);
  ASSERT_TRUE(plans) << plans.error().text();
  ASSERT_EQ(plans->size(), 2U);
  EXPECT_EQ(plans->at(0).cases.at(0).id + plans->at(1).cases.at(1).id, "34");
  EXPECT_EQ(plans->at(0).cases.at(1).bytes, 0);
  EXPECT_EQ(plans->at(1).cases.at(1).bytes, 7);
  EXPECT_EQ(plans->at(1).cases.at(1).sampling.processes, 9);
  task.first = 4;
  EXPECT_EQ(load_task(**farm, "c-1", read, task).error().kind, ErrorKind::missing);

  ASSERT_TRUE(load_cases(**farm, "c-1", read));
  ASSERT_TRUE(load_cases(**farm, "c-1", read)) << "again changes nothing";
  EXPECT_EQ(read.suites.front().current().plan.cases.size(), 5U);
  EXPECT_EQ(read.suites.front().seconds, planned.suites.front().seconds);
}

}  // namespace
}  // namespace harness
