// Whole runs that end as planned.
#include "tests/measure/run_plan.h"

#include "harness/base/process.h"
#include "harness/base/stack_padding.h"
#include "harness/measure/worker/probe.h"

namespace harness {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST_F(RunPlan, MeasuresEveryCaseOnceInEachProcess) {
  add("right");
  add("right_too");
  EXPECT_FALSE(run().interrupted);
  ASSERT_THAT(results_, SizeIs(4));
  for (const char* variant : {"right", "right_too"})
    for (const int process : {1, 2}) {
      const ProcessResult& one = result(variant, process);
      EXPECT_EQ(one.outcome, Outcome::measured) << one.reason;
      ASSERT_THAT(one.series, SizeIs(1));
      EXPECT_EQ(one.series[0].processes.at(0).process, process);
    }
  EXPECT_NE(result("right", 1).series[0].processes[0].placements[0].samples,
            result("right", 2).series[0].processes[0].placements[0].samples);
}

TEST_F(RunPlan, LooksAtEachCaseOnceAndMeasuresNothing) {
  script(
      R"({"version": 1, "cases": [{"match": "*/right/*", "identity": {"digest": "abc"}}], "default": {"us": 100}})");
  add("right").sampling.preheat = 0.3;
  add("crash");
  add("right_too");
  options_.look = true;
  EXPECT_FALSE(run().interrupted);
  ASSERT_THAT(results_, SizeIs(3));
  const ProcessResult& right = result("right", 0);
  EXPECT_EQ(right.outcome, Outcome::looked_at) << right.reason;
  EXPECT_TRUE(right.identity && !right.identity->digest.empty());
  EXPECT_THAT(right.series, IsEmpty());
  for (const Phase& phase : right.phases) EXPECT_NE(phase.name, "preheat");
  EXPECT_EQ(result("crash", 0).outcome, Outcome::failed);
  EXPECT_EQ(result("right_too", 0).outcome, Outcome::looked_at);
  EXPECT_FALSE(result("right_too", 0).identity);
  EXPECT_EQ(progress_.back().done, 3U);
  EXPECT_EQ(progress_.back().total, 3U);
  ASSERT_THAT(machines_, SizeIs(1));
  EXPECT_THAT(machines_[0].second.ceilings, IsEmpty());
}

TEST_F(RunPlan, KeepsWhatAProcessSpentBeforeItsFirstCaseWithThatCase) {
  add("right").sampling.preheat = 0.3;
  add("right_too").sampling.preheat = 0.3;
  run();
  ASSERT_THAT(results_, SizeIs(4));
  for (const int process : {1, 2}) {
    std::vector<const ProcessResult*> in_order;
    for (const ProcessResult& one : results_)
      if (one.process == process) in_order.push_back(&one);
    ASSERT_THAT(in_order, SizeIs(2));
    const std::vector<Phase>& first = in_order[0]->phases;
    ASSERT_GE(first.size(), 4U);
    // On the virtual clock nothing but preheating takes time.
    EXPECT_EQ(first[0], (Phase{"process_start", 0}));
    EXPECT_EQ(first[1], (Phase{"process_fingerprint", 0}));
    EXPECT_EQ(first[2].name, "process_preheat");
    EXPECT_NEAR(first[2].duration, 0.3, 1e-9);
    EXPECT_EQ(first[3].name, "construct");
    EXPECT_EQ(in_order[1]->phases.front().name, "construct");
  }
}

TEST_F(RunPlan, TimesACaseInEachProcessAsTheFirstOneChose) {
  script(R"({"version": 1, "batch_below_us": 30, "default": {"process_us": [29, 31]}})");
  add("right");
  run();
  EXPECT_EQ(result("right", 1).timing, TimingMode::batch);
  EXPECT_TRUE(result("right", 2).batching) << "though it would have chosen events";
}

TEST_F(RunPlan, MakesTheChoiceOfTheFirstProcessInEach) {
  add("chooses");
  add("right");
  run();
  EXPECT_THAT(result("chooses", 1).choice, testing::StartsWith("way "));
  EXPECT_EQ(result("chooses", 2).choice, result("chooses", 1).choice);
  EXPECT_EQ(result("right", 1).choice, "");
}

TEST_F(RunPlan, MakesTheChoiceOfThePlanWhereItCan) {
  add("chooses").choice = "way 7";
  run();
  EXPECT_EQ(result("chooses", 1).choice, "way 7");
  results_.clear();
  plan_.cases[0].choice = "of another version";
  run();
  EXPECT_THAT(result("chooses", 1).choice, testing::StartsWith("way "));
  EXPECT_EQ(result("chooses", 2).choice, result("chooses", 1).choice) << "chosen anew, once";
}

TEST_F(RunPlan, ReportsTheMachineOnceWithItsCeilings) {
  add("right");
  run();
  ASSERT_THAT(machines_, SizeIs(1));
  EXPECT_EQ(machines_[0].first, "cpu");
  EXPECT_EQ(machines_[0].second.device_uuid, "uuid-7");
  EXPECT_EQ(machines_[0].second.ceilings.at("copy_bytes_per_s"), 5);
}

TEST_F(RunPlan, CountsProgressToTheEnd) {
  add("right");
  add("right_too").skip = told_cause("not here");
  run();
  ASSERT_THAT(progress_, Not(IsEmpty()));
  EXPECT_EQ(progress_.back().done, 2U);
  EXPECT_EQ(progress_.back().total, 2U);
  EXPECT_EQ(progress_.back().left, 0);
  EXPECT_EQ(progress_.front().done, 0U);
  EXPECT_EQ(progress_.front().case_id, "line/right/n=100");
}

// Two builds have the same numbers of processes, and so the same places.
TEST_F(RunPlan, PutsTheStackOfEachWorkerElsewhere) {
  const std::filesystem::path seen = folder_.path() / "seen";
  options_.worker_command = {"/bin/sh", "-c", R"(echo "$HARNESS_STACK_PADDING" >>"$0"; exec "$1")", seen,
                             TEST_WORKER};
  add("right");
  run();
  for (const int process : {1, 2}) EXPECT_EQ(result("right", process).outcome, Outcome::measured);
  const Result<std::string> text = read_file(seen);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, stack_padding(1) + "\n" + stack_padding(2) + "\n");
}

TEST_F(RunPlan, MeasuresInAnOrderOfItsOwnInEachProcess) {
  for (int i = 0; i < 8; ++i) {
    PlannedCase& planned = add("right");
    planned.params.set("n", std::int64_t{i + 1});
    planned.id = "line/right/n=" + std::to_string(i + 1);
  }
  const auto order_of = [&](std::uint64_t seed) {
    results_.clear();
    options_.order_seed = seed;
    run();
    std::vector<std::string> first;
    std::vector<std::string> second;
    for (const ProcessResult& one : results_) (one.process == 1 ? first : second).push_back(one.case_id);
    EXPECT_THAT(first, SizeIs(8));
    EXPECT_NE(first, second);
    return std::pair{first, second};
  };
  const auto once = order_of(1);
  EXPECT_EQ(order_of(1), once);
  EXPECT_NE(order_of(2), once);
}

TEST_F(RunPlan, LeavesOutWhatAContinuedRunHasAndWhatThePlanSkips) {
  add("right");
  add("right_too").skip = told_cause("not here");
  options_.already = {{"line/right/n=100", 1}};
  run();
  ASSERT_THAT(results_, SizeIs(1));
  EXPECT_EQ(results_[0].process, 2);
  EXPECT_EQ(progress_.back().done, 2U);
}

TEST_F(RunPlan, ProbesADeviceInAWorker) {
  const Result<DeviceProbe> probe = probe_device(options_.devices["cpu"], {TEST_WORKER});
  ASSERT_TRUE(probe) << probe.error().text();
  EXPECT_EQ(probe->machine.device_uuid, "uuid-7");
  EXPECT_THAT(probe->machine.ceilings, IsEmpty());
  const Result<DeviceProbe> nothing = probe_device("abacus", {TEST_WORKER});
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().message, HasSubstr("`abacus`"));
  EXPECT_FALSE(probe_device("cpu", {"/bin/false"}));
}

TEST_F(RunPlan, MeasuresOnTheRealCpu) {
  options_.devices["cpu"] = "cpu";
  add("right").sampling.processes = 1;
  plan_.cases[0].sampling.cache = CacheMode::cold;
  run();
  const ProcessResult& one = result("right", 1);
  ASSERT_EQ(one.outcome, Outcome::measured) << one.reason;
  EXPECT_EQ(one.series.at(0).metric, "wall_time");
  ASSERT_THAT(machines_, SizeIs(1));
  EXPECT_GT(machines_[0].second.ceilings.at("copy_bytes_per_s"), 0);
  EXPECT_GT(machines_[0].second.ceilings.at("gemm_flops_per_s"), 0);
}

TEST(Worker, SaysWhoStartsItWhenAPersonDoes) {
  // The program that runs the tests may hold the worker's descriptor open, as ctest does.
  const Result<Output> output = run_command({{"sh", "-c", "exec \"$0\" 3>&-", TEST_WORKER}});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->exit.code, 64);
  EXPECT_THAT(output->err, HasSubstr("`harness run`"));
}

}  // namespace
}  // namespace harness
