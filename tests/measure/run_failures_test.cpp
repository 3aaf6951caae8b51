// Runs of plans whose cases, workers or devices fail.
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/measure/run_plan.h"

namespace harness {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

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

TEST_F(RunPlan, ARankThatDiesEndsTheCaseAndNotTheRun) {
  for (const char* variant : {"right", "rank_dies", "right_too"}) add(variant).gpus = 2;
  add("chooses");
  run();
  EXPECT_EQ(result("rank_dies", 1).outcome, Outcome::failed);
  EXPECT_THAT(result("rank_dies", 1).reason, FactIs(CauseCode::crashed, {{"signal", SIGSEGV}}));
  EXPECT_THAT(result("rank_dies", 2).reason, FactIs(CauseCode::not_tried_again, {{"process", 1}}));
  for (const char* variant : {"right", "right_too", "chooses"})
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

}  // namespace
}  // namespace harness
