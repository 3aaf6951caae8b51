#include "harness/measure/schedule/schedule.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string>

#include "tests/measure/cases.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

PlannedCase planned_on(const std::string& device, const std::string& variant, int processes) {
  PlannedCase planned = planned_line(variant);
  planned.id += "/" + device;
  planned.device = device;
  planned.sampling.processes = processes;
  return planned;
}

// "2 cuda:1 x3": process, device, number of cases.
std::vector<std::string> texts_of(const Lane& lane) {
  std::vector<std::string> texts;
  for (const Task& task : lane)
    texts.push_back(fmt::format("{} {} x{}", task.process, task.device, task.cases.size()));
  return texts;
}

TEST(Schedule, OfOneDeviceAKindIsOneProcessAfterTheOther) {
  Plan plan;
  plan.cases = {planned_on("cuda", "a", 2), planned_on("cpu", "a", 1), planned_on("cuda", "b", 1)};
  RunOptions options;
  options.devices["cuda"] = "cuda:3";
  const Schedule schedule = schedule_of(plan, options);
  ASSERT_THAT(schedule, SizeIs(1));
  ASSERT_THAT(schedule[0], SizeIs(1));
  EXPECT_THAT(texts_of(schedule[0][0]), ElementsAre("1 cuda:3 x2", "2 cuda:3 x1", "1 cpu x1"))
      << "a GPU does not idle between its processes while the CPU is measured";
}

TEST(Schedule, LeavesOutSkippedCasesAndWhatTheRunHasAlready) {
  Plan plan;
  plan.cases = {planned_on("cpu", "a", 2), planned_on("cpu", "b", 2)};
  plan.cases[1].skip = Cause{CauseCode::unsupported};
  RunOptions options;
  options.already = {{plan.cases[0].id, 1}};
  EXPECT_THAT(texts_of(schedule_of(plan, options).at(0).at(0)), ElementsAre("2 cpu x1"));
  options.already.insert({plan.cases[0].id, 2});
  EXPECT_THAT(schedule_of(plan, options), IsEmpty());
}

TEST(Schedule, CountsFreshProcessesBehindTheOthers) {
  Plan plan;
  plan.cases = {planned_on("cpu", "a", 2), planned_on("cpu", "b", 1)};
  RunOptions options;
  options.processes_before = last_plain_process;
  options.already = {{plan.cases[0].id, 1}, {plan.cases[0].id, last_plain_process + 2}};
  EXPECT_THAT(texts_of(schedule_of(plan, options).at(0).at(0)), ElementsAre("1000001 cpu x2"));
}

TEST(Schedule, OfALookIsOneProcessAKindInTheOrderOfThePlan) {
  Plan plan;
  for (int i = 0; i < 20; ++i) plan.cases.push_back(planned_on("cpu", std::to_string(i), 3));
  plan.cases.push_back(planned_on("cuda", "a", 5));
  RunOptions options;
  options.look = true;
  options.already = {{plan.cases[0].id, 1}, {plan.cases[1].id, 0}};
  options.side_by_side["cuda"] = {{"cuda:2", "u2"}, {"cuda:3", "u3"}};
  const Schedule schedule = schedule_of(plan, options);
  ASSERT_THAT(schedule, SizeIs(2));
  ASSERT_THAT(schedule[0], SizeIs(1));
  EXPECT_THAT(texts_of(schedule[0][0]), ElementsAre("0 cpu x19"));
  ASSERT_THAT(schedule[1], SizeIs(1));
  EXPECT_THAT(texts_of(schedule[1][0]), ElementsAre("0 cuda:2 x1"));
  EXPECT_EQ(schedule[0][0][0].cases[0], &plan.cases[0]);
  EXPECT_EQ(schedule[0][0][0].cases[1], &plan.cases[2]);
}

TEST(Schedule, OfALookAtManyCasesOfAGpuHasSeveralWorkersAtOnce) {
  Plan plan;
  for (int n = 0; n < 24; ++n)
    for (const char* variant : {"a", "b", "c"}) {
      plan.cases.push_back(planned_on("cuda", variant, 3));
      plan.cases.back().params.set("n", std::int64_t{n});
    }
  RunOptions options;
  options.look = true;
  const Schedule schedule = schedule_of(plan, options);
  ASSERT_THAT(schedule, SizeIs(1));
  ASSERT_THAT(schedule[0], SizeIs(4));
  std::vector<const PlannedCase*> all;
  for (const Lane& lane : schedule[0]) {
    ASSERT_THAT(lane, SizeIs(1));
    EXPECT_EQ(lane[0].process, 0);
    EXPECT_EQ(lane[0].cases.size(), 18U);
    EXPECT_EQ(lane[0].cases.front()->variant, "a") << "the variants of a point share inputs";
    all.insert(all.end(), lane[0].cases.begin(), lane[0].cases.end());
  }
  for (std::size_t i = 0; i < plan.cases.size(); ++i) EXPECT_EQ(all.at(i), &plan.cases[i]);
  plan.cases.resize(20);
  EXPECT_THAT(schedule_of(plan, options).at(0), SizeIs(1)) << "a worker takes time to start";
}

// A worker holds the plans of all its cases in memory.
TEST(Schedule, OfALookAtVeryManyCasesHasOneWorkerAfterTheOther) {
  Plan plan;
  for (int n = 0; n < 1250; ++n)
    for (const char* variant : {"a", "b"}) {
      plan.cases.push_back(planned_on("cpu", variant, 3));
      plan.cases.back().params.set("n", std::int64_t{n});
    }
  RunOptions options;
  options.look = true;
  const Stage stage = schedule_of(plan, options).at(0);
  ASSERT_THAT(stage, SizeIs(1));
  EXPECT_THAT(texts_of(stage[0]), ElementsAre("0 cpu x1000", "0 cpu x1000", "0 cpu x500"));
  for (const Task& task : stage[0]) EXPECT_EQ(task.cases.front()->variant, "a");
}

TEST(Schedule, OfALookAtTwoBuildsInTurnsIsOneProcessOfEach) {
  Plan plan;
  plan.cases = {planned_on("cpu", "a", 5)};
  RunOptions options;
  options.look = true;
  const Schedule schedule = schedule_in_turns({plan, options}, {plan, options}, 1);
  ASSERT_THAT(schedule, SizeIs(2));
  for (std::size_t turn = 0; turn < 2; ++turn) {
    EXPECT_THAT(texts_of(schedule[turn].at(0)), ElementsAre("0 cpu x1"));
    EXPECT_EQ(schedule[turn][0][0].turn, turn);
  }
}

TEST(Schedule, GivesEachProcessAnOrderOfItsOwnThatTheSeedFixes) {
  Plan plan;
  for (int i = 0; i < 20; ++i) plan.cases.push_back(planned_on("cpu", std::to_string(i), 2));
  RunOptions options;
  const Lane lane = schedule_of(plan, options).at(0).at(0), again = schedule_of(plan, options).at(0).at(0);
  EXPECT_EQ(lane[0].cases, again[0].cases);
  EXPECT_NE(lane[0].cases, lane[1].cases);
  options.order_seed = 2;
  EXPECT_NE(schedule_of(plan, options).at(0).at(0)[0].cases, lane[0].cases);
}

TEST(Schedule, KeepsTheVariantsOfAPointTogetherInAnOrderOfEachProcess) {
  Plan plan;
  for (const std::string variant : {"a", "b", "c"})
    for (std::int64_t n = 0; n < 6; ++n) {
      plan.cases.push_back(planned_on("cpu", variant, 4));
      plan.cases.back().variant = variant;
      plan.cases.back().params.set("n", n);
    }
  std::set<std::string> orders_of_points, orders_of_variants;
  const Lane lane = schedule_of(plan, {}).at(0).at(0);
  for (const Task& task : lane) {
    ASSERT_THAT(task.cases, SizeIs(18));
    std::string points, variants;
    for (std::size_t i = 0; i < task.cases.size(); ++i) {
      const PlannedCase& one = *task.cases[i];
      EXPECT_EQ(one.params.integer("n"), task.cases[i / 3 * 3]->params.integer("n"));
      if (i % 3 == 0) points += std::to_string(one.params.integer("n"));
      variants += one.variant;
    }
    orders_of_points.insert(points);
    orders_of_variants.insert(variants);
  }
  EXPECT_THAT(orders_of_points, SizeIs(4));
  EXPECT_THAT(orders_of_variants, SizeIs(4));
}

TEST(Schedule, HasALaneADeviceAfterTheKindsThatHaveOne) {
  Plan plan;
  plan.cases = {planned_on("cuda", "a", 5), planned_on("cpu", "a", 2)};
  RunOptions options;
  options.side_by_side["cuda"] = {{"cuda:0", "GPU-0"}, {"cuda:1", "GPU-1"}};
  const Schedule schedule = schedule_of(plan, options);
  ASSERT_THAT(schedule, SizeIs(2));
  EXPECT_THAT(texts_of(schedule[0].at(0)), ElementsAre("1 cpu x1", "2 cpu x1"));
  ASSERT_THAT(schedule[1], SizeIs(2));
  EXPECT_THAT(texts_of(schedule[1][0]), ElementsAre("1 cuda:0 x1", "3 cuda:0 x1", "5 cuda:0 x1"));
  EXPECT_THAT(texts_of(schedule[1][1]), ElementsAre("2 cuda:1 x1", "4 cuda:1 x1"));
  EXPECT_EQ(schedule[1][1][0].device_uuid, "GPU-1");
}

TEST(Schedule, CasesOfSeveralGpusHaveProcessesOfTheirOwn) {
  Plan plan;
  plan.cases = {planned_on("cuda", "a", 2), planned_on("cuda", "b", 1), planned_on("cuda", "c", 1)};
  plan.cases[0].gpus = 3;
  plan.cases[2].gpus = 5;
  RunOptions options;
  options.devices["cuda"] = "cuda:4";
  options.peers["cuda"] = {"cuda:5", "cuda:6", "cuda:7"};
  const Schedule schedule = schedule_of(plan, options);
  ASSERT_THAT(schedule, SizeIs(1));
  const Lane& lane = schedule[0].at(0);
  EXPECT_THAT(texts_of(lane), ElementsAre("1 cuda:4 x1", "2 cuda:4 x1", "1 cuda:4 x1", "1 cuda:4 x1"));
  EXPECT_THAT(lane[0].peers, ElementsAre("cuda:5", "cuda:6"));
  EXPECT_THAT(lane[1].peers, SizeIs(2));
  EXPECT_THAT(lane[2].peers, IsEmpty());
  EXPECT_THAT(lane[3].peers, ElementsAre("cuda:5", "cuda:6", "cuda:7"))
      << "the worker says that one is missing";
}

TEST(Schedule, CasesOfSeveralGpusDoNotTakeTurnsOnThem) {
  Plan plan;
  plan.cases = {planned_on("cuda", "a", 2), planned_on("cuda", "b", 2)};
  plan.cases[0].gpus = 2;
  RunOptions options;
  options.devices["cuda"] = "cuda:0";
  options.side_by_side["cuda"] = {{"cuda:0", "GPU-0"}, {"cuda:1", "GPU-1"}};
  options.peers["cuda"] = {"cuda:1"};
  const Schedule schedule = schedule_of(plan, options);
  ASSERT_THAT(schedule, SizeIs(2));
  ASSERT_THAT(schedule[0], SizeIs(1));
  EXPECT_THAT(texts_of(schedule[0][0]), ElementsAre("1 cuda:0 x1", "2 cuda:0 x1"));
  EXPECT_THAT(schedule[0][0][0].peers, ElementsAre("cuda:1"));
  ASSERT_THAT(schedule[1], SizeIs(2));
  EXPECT_THAT(schedule[1][1][0].peers, IsEmpty());
}

TEST(Schedule, InTurnsPairsTheProcessesOfBothBuilds) {
  Plan plan;
  plan.cases = {planned_on("cpu", "a", 4)};
  RunOptions options;
  const Schedule schedule = schedule_in_turns({plan, options}, {plan, options}, 1);
  const Lane& lane = schedule.at(0).at(0);
  ASSERT_THAT(lane, SizeIs(8));
  for (std::size_t i = 0; i < lane.size(); i += 2) {
    EXPECT_EQ(lane[i].process, lane[i + 1].process);
    EXPECT_NE(lane[i].turn, lane[i + 1].turn);
  }
  EXPECT_NE(lane[0].turn, lane[2].turn) << "two pairs are a block: A B B A";
}

}  // namespace
}  // namespace harness
