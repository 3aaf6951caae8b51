// Whole runs with real worker processes: the test_worker program, a plugin that misbehaves, and scripted
// time, so that what is waited for is a hang and nothing else.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/measure/schedule/run.h"
#include "harness/measure/worker/probe.h"
#include "tests/measure/cases.h"

namespace harness {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// A run of some variants on a scripted device, and all that came out of it.
class RunPlan : public testing::Test {
 protected:
  RunPlan() {
    plan_.modules = {TEST_PLUGIN};
    options_.worker_command = {TEST_WORKER};
    options_.on_result = [&](EncodedResult one) -> Status {
      results_.push_back(std::move(one.result));
      if (after_result_) return after_result_();
      return {};
    };
    options_.on_machine = [&](const std::string& kind, const Machine& machine) {
      machines_.emplace_back(kind, machine);
    };
    options_.on_progress = [&](const Progress& progress) { progress_.push_back(progress); };
    script(R"({"version": 1, "device_uuid": "uuid-7", "ceilings": {"copy_bytes_per_s": 5},
               "default": {"us": 100, "process_sd": 0.01}})");
  }

  void script(const std::string& text) {
    const std::filesystem::path path = folder_.path() / "script.json";
    std::ofstream(path) << text;
    options_.devices["cpu"] = "scripted:" + path.string();
  }
  PlannedCase& add(const std::string& variant) { return plan_.cases.emplace_back(planned_line(variant)); }
  RunReport run() {
    Result<RunReport> report = run_plan(plan_, options_);
    if (!report) {
      ADD_FAILURE() << report.error().text();
      return {};
    }
    return *report;
  }
  [[nodiscard]] const ProcessResult& result(const std::string& variant, int process) const {
    for (const ProcessResult& one : results_)
      if (one.case_id == planned_line(variant).id && one.process == process) return one;
    static const ProcessResult none;
    ADD_FAILURE() << "no result of " << variant << " in process " << process;
    return none;
  }

  TemporaryFolder folder_;
  Plan plan_;
  RunOptions options_;
  std::vector<ProcessResult> results_;
  std::vector<std::pair<std::string, Machine>> machines_;
  std::vector<Progress> progress_;
  std::function<Status()> after_result_;
};

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

TEST_F(RunPlan, SurvivesACrashAndBlamesTheRightCase) {
  for (const char* variant : {"right", "crash", "right_too"}) add(variant);
  run();
  EXPECT_THAT(results_, SizeIs(6));
  EXPECT_EQ(result("crash", 1).outcome, Outcome::failed);
  EXPECT_THAT(result("crash", 1).reason,
              FactIs(CauseCode::crashed, {{"signal", SIGSEGV}, {"printed", "about to\\u001b[31m fall"}}));
  for (const char* variant : {"right", "right_too"})
    for (const int process : {1, 2}) EXPECT_EQ(result(variant, process).outcome, Outcome::measured);
}

TEST_F(RunPlan, DoesNotTryAFailedCaseAgain) {
  for (const char* variant : {"crash", "throw", "wrong", "leave"}) add(variant);
  run();
  EXPECT_THAT(result("leave", 1).reason, FactIs(CauseCode::crashed, {{"status", 3}}));
  EXPECT_THAT(result("throw", 1).reason,
              FactIs(CauseCode::threw, {{"what", "out of ideas"}, {"step", "first_call"}}));
  EXPECT_EQ(result("wrong", 1).outcome, Outcome::incorrect);
  for (const char* variant : {"crash", "throw", "wrong", "leave"}) {
    EXPECT_EQ(result(variant, 2).outcome, Outcome::skipped);
    EXPECT_THAT(result(variant, 2).reason, FactIs(CauseCode::not_tried_again, {{"process", 1}}));
  }
  CaseRecord record = planned_record(plan_.cases[2]);
  for (const int process : {1, 2}) add_result(record, result("wrong", process));
  EXPECT_EQ(record.outcome, Outcome::incorrect);
}

TEST_F(RunPlan, KillsAHangAndMeasuresTheRest) {
  add("hang").sampling.timeout = 0.3;
  add("right");
  run();
  EXPECT_EQ(result("hang", 1).outcome, Outcome::timed_out);
  EXPECT_THAT(result("hang", 1).reason,
              FactIs(CauseCode::timed_out, {{"limit", 0.3}, {"printed", "waiting for ever"}}));
  EXPECT_EQ(result("right", 1).outcome, Outcome::measured);
  EXPECT_EQ(result("right", 2).outcome, Outcome::measured);
}

TEST_F(RunPlan, SkipsWhatAVariantCannotDo) {
  add("unable");
  run();
  for (const int process : {1, 2}) {
    EXPECT_EQ(result("unable", process).outcome, Outcome::skipped);
    EXPECT_THAT(result("unable", process).reason,
                FactIs(CauseCode::unsupported, {{"why", "only on Tuesdays"}}));
  }
}

TEST_F(RunPlan, IsNotConfusedByWhatAWorkloadPrints) {
  for (const char* variant : {"chatter", "spawn", "right"}) add(variant);
  plan_.cases[1].sampling.samples = 2;
  run();
  EXPECT_THAT(results_, SizeIs(6));
  for (const ProcessResult& one : results_)
    EXPECT_EQ(one.outcome, Outcome::measured) << one.case_id << one.reason;
}

TEST_F(RunPlan, StartsAFreshWorkerAfterADeviceError) {
  script(
      R"({"version": 1, "cases": [{"match": "*/right/*", "error": {"process": 1, "message": "fell off the bus"}}]})");
  for (const char* variant : {"right", "right_too", "chatter"}) add(variant);
  run();
  EXPECT_EQ(result("right", 1).outcome, Outcome::failed);
  EXPECT_THAT(result("right", 1).reason, FactIs(CauseCode::device_error, {{"problem", "fell off the bus"}}));
  for (const char* variant : {"right_too", "chatter"})
    for (const int process : {1, 2}) EXPECT_EQ(result(variant, process).outcome, Outcome::measured);
}

TEST_F(RunPlan, SkipsAllCasesOfADeviceThatIsNotThere) {
  options_.devices["cpu"] = "scripted:/no/such/script.json";
  add("right");
  run();
  ASSERT_THAT(results_, SizeIs(2));
  for (const ProcessResult& one : results_) {
    EXPECT_EQ(one.outcome, Outcome::skipped);
    EXPECT_THAT(one.reason, FactIs(CauseCode::device_refused));
    EXPECT_THAT(one.reason->text("problem"), HasSubstr("no such file"));
  }
  EXPECT_THAT(machines_, IsEmpty());
}

TEST_F(RunPlan, FailsWhenADeviceGoesAway) {
  add("right");
  after_result_ = [&]() -> Status {
    std::filesystem::remove(folder_.path() / "script.json");
    return {};
  };
  run();
  EXPECT_EQ(result("right", 1).outcome, Outcome::measured);
  EXPECT_EQ(result("right", 2).outcome, Outcome::failed);
}

TEST_F(RunPlan, FailsCasesWhosePluginDoesNotLoad) {
  plan_.modules = {"/no/such/plugin.so"};
  add("right");
  run();
  EXPECT_EQ(result("right", 1).outcome, Outcome::failed);
  EXPECT_THAT(result("right", 1).reason, FactIs(CauseCode::worker_ended, {{"status", 64}}));
  EXPECT_THAT(result("right", 1).reason->text("printed"), HasSubstr("/no/such/plugin.so"));
}

TEST_F(RunPlan, FailsWhenNoWorkerCanBeStarted) {
  options_.worker_command = {"/no/such/program"};
  add("right");
  const Result<RunReport> report = run_plan(plan_, options_);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::environment);
}

TEST_F(RunPlan, FailsCasesWhoseWorkerSpeaksNoProtocol) {
  options_.worker_command = {"/bin/sh", "-c", "echo hello >&3"};
  add("right");
  run();
  EXPECT_THAT(result("right", 1).reason, FactIs(CauseCode::worker_unintelligible));
}

TEST_F(RunPlan, StopsWhenTheSinkFails) {
  add("right");
  add("right_too");
  after_result_ = [] { return Status(fail(ErrorKind::environment, "disk full")); };
  const Result<RunReport> report = run_plan(plan_, options_);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "disk full");
  EXPECT_THAT(results_, SizeIs(1));
}

TEST_F(RunPlan, StopsAtAnInterruptAndKeepsWhatIsDone) {
  add("right");
  add("hang");
  options_.order_seed = 1;
  options_.already = {{"line/hang/n=100", 1}};
  after_result_ = []() -> Status {
    raise(SIGINT);
    return {};
  };
  EXPECT_TRUE(run().interrupted);
  ASSERT_THAT(results_, SizeIs(1));
  EXPECT_EQ(results_[0].outcome, Outcome::measured);
}

TEST_F(RunPlan, StopsInTheMiddleOfACase) {
  add("hang");
  options_.on_progress = [&](const Progress& progress) {
    if (!progress.case_id.empty()) raise(SIGTERM);
    options_.on_progress = {};
  };
  EXPECT_TRUE(run().interrupted);
  EXPECT_THAT(results_, IsEmpty());
}

TEST(InterruptGuard, EndsTheProgramAtTheSecondSignal) {
  const auto twice = [] {
    const InterruptGuard guard;
    raise(SIGINT);
    raise(SIGINT);
  };
  EXPECT_EXIT(twice(), testing::ExitedWithCode(130), "");
}

TEST(InterruptGuard, ForgetsAndGivesBackTheSignals) {
  // Not what is there already: a program that a script starts in the background ignores SIGINT.
  void (*const earlier)(int) = [](int) {};
  struct sigaction before {};
  struct sigaction own {};
  own.sa_handler = earlier;
  sigaction(SIGINT, &own, &before);
  {
    const InterruptGuard guard;
    raise(SIGINT);
    EXPECT_TRUE(InterruptGuard::interrupted());
  }
  EXPECT_FALSE(InterruptGuard::interrupted());
  struct sigaction now {};
  sigaction(SIGINT, &before, &now);
  EXPECT_EQ(now.sa_handler, earlier);
}

TEST(InterruptGuard, WithinAnotherForgetsNothing) {
  const InterruptGuard outer;
  raise(SIGINT);
  {
    const InterruptGuard inner;
    EXPECT_TRUE(InterruptGuard::interrupted());
  }
  EXPECT_TRUE(InterruptGuard::interrupted());
}

// A process that ended, whether or not somebody has collected it.
bool is_gone(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text(std::istreambuf_iterator<char>(in), {});
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos || text.at(name_end + 2) == 'Z';
}

template <class Condition>
bool eventually(Condition&& holds) {
  for (int i = 0; i < 3000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return holds();
}

TEST_F(RunPlan, LeavesNoWorkerBehindWhenItIsKilled) {
  const std::string pid_file = (folder_.path() / "pid").string();
  setenv("HARNESS_TEST_PID_FILE", pid_file.c_str(), 1);
  add("hang").sampling.timeout = 300;
  const pid_t parent = fork();
  if (parent == 0) {
    static_cast<void>(run_plan(plan_, options_));
    _exit(0);
  }
  pid_t worker = 0;
  EXPECT_TRUE(eventually([&] { return static_cast<bool>(std::ifstream(pid_file) >> worker); }));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  ASSERT_GT(worker, 0);
  EXPECT_TRUE(eventually([&] { return is_gone(worker); }));
  unsetenv("HARNESS_TEST_PID_FILE");
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
