// The tasks of a campaign: how many cases each has, and in which order.
#include <gmock/gmock.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/cli/farm/campaign_tasks.h"

namespace harness {
namespace {

using testing::ElementsAre;

std::vector<int> tasks(int cases, int block, int elements) {
  CampaignSide side;
  for (int i = 0; i < cases; ++i) side.plan.cases.emplace_back().id = std::to_string(i);
  Campaign campaign{.block = block, .elements = elements};
  campaign.suites.push_back({.sides = {side}});
  std::vector<int> sizes;
  for (const FarmTask& task : tasks_of(campaign)) sizes.push_back(task.cases);
  return sizes;
}

TEST(CampaignTasks, AreBlocksWhereOneElementMeasures) {
  EXPECT_THAT(tasks(40, 12, 1), ElementsAre(12, 12, 12, 4));
}

TEST(CampaignTasks, GetSmallerWhereSeveralElementsShouldEndTogether) {
  EXPECT_THAT(tasks(48, 12, 2), ElementsAre(12, 9, 6, 5, 4, 4, 4, 4));
}

// A task starts processes of its own, so one of a single case costs as much as several cases.
TEST(CampaignTasks, HaveFourCasesAtLeastOrAThirdOfASmallBlock) {
  EXPECT_THAT(tasks(10, 12, 8), ElementsAre(4, 4, 2));
  EXPECT_THAT(tasks(10, 48, 8), ElementsAre(4, 4, 2));
  EXPECT_THAT(tasks(7, 9, 8), ElementsAre(3, 3, 1));
  EXPECT_THAT(tasks(4, 2, 8), ElementsAre(1, 1, 1, 1));
}

TEST(CampaignTasks, AreOfOneGpuFirstAndOfTheCpuLast) {
  CampaignSide side;
  const auto add = [&](const char* device, int gpus) {
    PlannedCase& one = side.plan.cases.emplace_back();
    one.id = std::to_string(side.plan.cases.size());
    one.device = device;
    one.gpus = gpus;
  };
  add("cpu", 1), add("cuda", 4), add("cuda", 2), add("cuda", 1);
  Campaign campaign{.block = 4};
  campaign.suites.push_back({.sides = {side}});
  std::vector<int> gpus;
  for (const FarmTask& task : tasks_of(campaign)) gpus.push_back(task.gpus);
  EXPECT_THAT(gpus, ElementsAre(1, 2, 4, 0));
}

// So that all elements of GPUs end at about the same time, whatever the CPU has to do then.
TEST(CampaignTasks, GetSmallerForGpusAlthoughTheCpuComesLast) {
  CampaignSide side;
  for (int i = 0; i < 24; ++i) {
    PlannedCase& one = side.plan.cases.emplace_back();
    one.id = std::to_string(i);
    one.device = i < 16 ? "cuda" : "cpu";
  }
  Campaign campaign{.block = 6, .elements = 2};
  campaign.suites.push_back({.sides = {side}});
  std::vector<std::pair<int, int>> tasks;
  for (const FarmTask& task : tasks_of(campaign)) tasks.emplace_back(task.gpus, task.cases);
  using Task = std::pair<int, int>;
  EXPECT_THAT(tasks, ElementsAre(Task(1, 4), Task(1, 3), Task(1, 2), Task(1, 2), Task(1, 2), Task(1, 2),
                                 Task(1, 1), Task(0, 2), Task(0, 2), Task(0, 2), Task(0, 2)));
}

// Two suites, whose cases take these seconds; a negative time is not known.
struct TimedSuites {
  std::vector<std::vector<double>> seconds;

  [[nodiscard]] Campaign campaign(int block, int elements) const {
    Campaign all{.block = block, .elements = elements};
    for (const std::vector<double>& times : seconds) {
      CampaignSide side;
      CampaignSuite& suite = all.suites.emplace_back();
      for (const double time : times) {
        PlannedCase& one = side.plan.cases.emplace_back();
        one.id = std::to_string(side.plan.cases.size());
        if (time >= 0) suite.seconds.emplace(one.id, time);
      }
      suite.sides.push_back(std::move(side));
    }
    return all;
  }
};

// Suite, first case, cases.
using Block = std::tuple<int, int, int>;

std::vector<Block> blocks(const Campaign& campaign) {
  std::vector<Block> blocks;
  for (const FarmTask& task : tasks_of(campaign)) blocks.emplace_back(task.suite, task.first, task.cases);
  return blocks;
}

TEST(CampaignTasks, OfLongCasesHaveFewAndComeFirst) {
  const TimedSuites suites{{{2, 2, 2, 2}, {40, 20, 1, 1, 1, 1}}};
  // The mean is 7.2 s, and each of two elements has 5 cases of it to measure.
  EXPECT_THAT(blocks(suites.campaign(6, 2)),
              ElementsAre(Block(1, 0, 1), Block(1, 1, 1), Block(0, 0, 4), Block(1, 2, 4)));
}

TEST(CampaignTasks, AreBlocksForOneElementWhateverCasesTake) {
  const TimedSuites suites{{{2, 2}, {40, 20, 1}}};
  EXPECT_THAT(blocks(suites.campaign(6, 1)), ElementsAre(Block(1, 0, 3), Block(0, 0, 2)));
}

TEST(CampaignTasks, CountACaseOfUnknownTimeAsOneOfMeanTime) {
  const TimedSuites suites{{{30, 10, -1, -1}}};
  EXPECT_THAT(blocks(suites.campaign(3, 2)),
              ElementsAre(Block(0, 0, 1), Block(0, 1, 1), Block(0, 2, 1), Block(0, 3, 1)));
}

// The cases that promise most are measured first, because the time may end.
TEST(CampaignTasks, KeepTheOrderOfABudget) {
  Campaign campaign = TimedSuites{{{2, 2}, {40, 20}}}.campaign(6, 1);
  campaign.budget = 60;
  EXPECT_THAT(blocks(campaign), ElementsAre(Block(0, 0, 2), Block(1, 0, 2)));
}

// Four cases take 1 s in a process. One is measured in ten processes.
TEST(CampaignTasks, OfManyProcessesAreLong) {
  const Campaign campaign = TimedSuites{{{1, 1}, {1, 1}}}.campaign(6, 1);
  const CampaignWork work{{0, {{0, {5, 1, {}}}, {1, {5, 1, {}}}}}, {1, {{0, {5, 10, {}}}, {1, {5, 1, {}}}}}};
  std::vector<Block> blocks;
  for (const FarmTask& task : tasks_of(campaign, work))
    blocks.emplace_back(task.suite, task.first, task.processes);
  EXPECT_THAT(blocks, ElementsAre(Block(1, 0, 10), Block(0, 0, 1), Block(1, 1, 1)));
}

}  // namespace
}  // namespace harness
