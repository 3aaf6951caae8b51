// The tasks of a campaign: how many cases each has, and in which order.
#include <gmock/gmock.h>

#include <algorithm>
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

TEST(CampaignTasks, GrowFromOneToTheNextWhereTheirProcessesAreShort) {
  const auto sizes = [](Seconds process) {
    const NextTask next = next_task_after(24, process);
    return std::pair(next.least, next.most);
  };
  EXPECT_EQ(sizes(0), std::pair(48, 48));
  EXPECT_EQ(sizes(0.2), std::pair(30, 48));
  EXPECT_EQ(sizes(0.8), std::pair(7, 30));
  EXPECT_EQ(sizes(2), std::pair(3, 12));
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

constexpr double unknown = -1;

// Suites, whose cases take these seconds. Each is a point of its own, or `variants` neighbours are one.
struct TimedSuites {
  std::vector<std::vector<double>> seconds;
  std::size_t variants = 1;

  [[nodiscard]] Campaign campaign(int block, int elements) const {
    Campaign all{.block = block, .elements = elements};
    for (const std::vector<double>& times : seconds) {
      CampaignSide side;
      CampaignSuite& suite = all.suites.emplace_back();
      for (const double time : times) {
        PlannedCase& one = side.plan.cases.emplace_back();
        one.id = std::to_string(side.plan.cases.size());
        one.workload = "point " + std::to_string((side.plan.cases.size() - 1) / variants);
        if (time != unknown) suite.seconds.emplace(one.id, time);
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

// Each task starts processes of its own, which takes longer than to measure a few such cases.
TEST(CampaignTasks, OfShortCasesAreAnElementsShareAtMost) {
  const std::vector<double> times(300, 0.001);
  EXPECT_THAT(blocks(TimedSuites{{times}}.campaign(0, 4)),
              ElementsAre(Block(0, 0, 75), Block(0, 75, 75), Block(0, 150, 75), Block(0, 225, 75)));
  const std::vector<double> longer(300, 0.05);
  const std::vector<Block> tasks = blocks(TimedSuites{{longer}}.campaign(0, 4));
  EXPECT_EQ(std::get<2>(tasks.front()), 24);
  EXPECT_GE(std::get<2>(tasks.at(tasks.size() - 2)), 20) << "a second, twice the start of a process";
  EXPECT_THAT(blocks(TimedSuites{{std::vector<double>(4, 0.001)}}.campaign(1, 2)),
              ElementsAre(Block(0, 0, 1), Block(0, 1, 1), Block(0, 2, 1), Block(0, 3, 1)))
      << "no more than it was told";
}

// Where somebody ends elements, little of their time is lost.
TEST(CampaignTasks, TakeAQuarterOfTheTimeOfAnElementAtMost) {
  const TimedSuites suites{{{10, 10, 10, 10, 10, 10}}};
  Campaign campaign = suites.campaign(6, 1);
  campaign.time = 400;  // five processes of a case take 50 s
  EXPECT_THAT(blocks(campaign), ElementsAre(Block(0, 0, 2), Block(0, 2, 2), Block(0, 4, 2)));
  campaign.time = 40;
  EXPECT_THAT(blocks(campaign), testing::SizeIs(6)) << "one case at least";
}

TEST(CampaignTasks, AreBlocksForOneElementWhateverCasesTake) {
  const TimedSuites suites{{{2, 2}, {40, 20, 1}}};
  EXPECT_THAT(blocks(suites.campaign(6, 1)), ElementsAre(Block(1, 0, 3), Block(0, 0, 2)));
}

TEST(CampaignTasks, CountACaseOfUnknownTimeAsOneOfMeanTime) {
  const TimedSuites suites{{{30, 10, unknown, unknown}}};
  EXPECT_THAT(blocks(suites.campaign(3, 2)),
              ElementsAre(Block(0, 0, 1), Block(0, 1, 1), Block(0, 2, 1), Block(0, 3, 1)));
}

TEST(CampaignTasks, AreOfCasesInOrderOfTheirPointsTimes) {
  Campaign campaign{.elements = 2};
  CampaignSuite& suite = campaign.suites.emplace_back();
  suite.sides.resize(2);
  const auto add = [&](const char* id, const char* point, double seconds) {
    for (CampaignSide& side : suite.sides) {
      PlannedCase& one = side.plan.cases.emplace_back();
      one.id = id;
      one.workload = point;
      one.device = "cuda";
    }
    suite.seconds.emplace(id, seconds);
  };
  add("a1", "a", 1), add("b1", "b", 2), add("c1", "c", 1), add("a2", "a", 3), add("b2", "b", 2);
  suite.sides[0].plan.cases[2].gpus = suite.sides[1].plan.cases[2].gpus = 2;
  const auto ids = [&](std::size_t side) {
    std::string all;
    for (const PlannedCase& one : suite.sides[side].plan.cases) all += one.id + " ";
    return all;
  };
  order_cases(campaign, suite);
  EXPECT_EQ(ids(0), "a2 a1 b1 b2 c1 ");
  EXPECT_EQ(ids(1), ids(0));
  for (CampaignSide& side : suite.sides) std::reverse(side.plan.cases.begin(), side.plan.cases.end());
  campaign.budget = 60;
  order_cases(campaign, suite);
  EXPECT_EQ(ids(0), "b2 b1 a1 a2 c1 ") << "a budget has chosen the order of all but the number of GPUs";
}

// They share inputs and right answers.
TEST(CampaignTasks, KeepTheVariantsOfAPointTogether) {
  const TimedSuites suites{{std::vector<double>(24, 1)}, 3};
  EXPECT_THAT(blocks(suites.campaign(12, 2)),
              ElementsAre(Block(0, 0, 6), Block(0, 6, 3), Block(0, 9, 3), Block(0, 12, 3), Block(0, 15, 3),
                          Block(0, 18, 3), Block(0, 21, 3)));
  EXPECT_THAT(blocks(suites.campaign(8, 1)),
              ElementsAre(Block(0, 0, 6), Block(0, 6, 6), Block(0, 12, 6), Block(0, 18, 6)));
}

TEST(CampaignTasks, ComeSuiteBySuiteWhereNoTimeIsKnown) {
  Campaign campaign =
      TimedSuites{{std::vector<double>(2, unknown), std::vector<double>(6, unknown)}, 3}.campaign(6, 2);
  EXPECT_THAT(blocks(campaign),
              ElementsAre(Block(0, 0, 2), Block(1, 0, 2), Block(1, 2, 1), Block(1, 3, 2), Block(1, 5, 1)));
}

TEST(CampaignTasks, CutAPointThatIsTooLargeForOne) {
  const TimedSuites suites{{{9, 1, 1, 1}}, 4};
  EXPECT_THAT(blocks(suites.campaign(3, 2)), ElementsAre(Block(0, 0, 1), Block(0, 1, 3)));
  EXPECT_THAT(blocks(suites.campaign(3, 1)), ElementsAre(Block(0, 0, 3), Block(0, 3, 1)));
}

// Cases of two GPUs are short against those of one, and are still shared by all elements.
TEST(CampaignTasks, AreCutByTheMeanTimeOfTheirNumberOfGpus) {
  Campaign campaign = TimedSuites{{std::vector<double>(8, 100), std::vector<double>(8, 1)}}.campaign(24, 2);
  for (PlannedCase& one : campaign.suites[1].sides[0].plan.cases) one.gpus = 2;
  for (CampaignSuite& suite : campaign.suites)
    for (PlannedCase& one : suite.sides[0].plan.cases) one.device = "cuda";
  EXPECT_THAT(blocks(campaign), ElementsAre(Block(0, 0, 4), Block(0, 4, 4), Block(1, 0, 4), Block(1, 4, 4)));
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
