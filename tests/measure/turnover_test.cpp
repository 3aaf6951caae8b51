// From one worker to the next: the next opens the device while the last one ends, and measures nothing before
// it is gone. Workers are shell scripts here that end when the test wants it; none waits for a time to pass.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <memory>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/measure/schedule/run.h"
#include "harness/measure/schedule/worker_process.h"
#include "harness/measure/worker/probe.h"
#include "tests/measure/cases.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

// Worker n writes down what it does in `log` and sends what `messages-n` holds.
constexpr const char* worker_begins = R"sh(
  n=$(($(cat count) + 1)); echo $n >count
  echo $$ >"pid-$n"
  exec 4<>"next-$n"
  read -r job
  echo "start $n" >>log
  [ $n = 1 ] || echo next 1<>"next-$((n - 1))"
  cat >/dev/null
  echo "begin $n" >>log
  cat "messages-$n" >&3
)sh";
// As a driver would hold it up: until there is a next one.
constexpr const char* ends_after_the_next_started = R"sh(
  [ "$n" = "$(cat last)" ] || read -r line <&4
  echo "end $n" >>log
)sh";

class Turnover : public testing::Test {
 protected:
  Turnover() {
    options_.worker_folder = folder_.path();
    options_.on_result = [&](EncodedResult one) -> Status {
      results_.push_back(std::move(one.result));
      return {};
    };
    write("count", "0\n");
    for (int n = 0; n <= 4; ++n) mkfifo((folder_.path() / fmt::format("next-{}", n)).c_str(), 0600);
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
  }
  void script(const std::string& text, int last = 0) {
    write("last", fmt::format("{}\n", last));
    options_.worker_command = {"/bin/sh", "-c", worker_begins + text};
  }
  // The messages of worker n: of one case in process `process`; 0: of a probe.
  void messages(int n, int process) const {
    std::string text = encode(Message(Hello{"cpu", {}})) + "\n";
    if (process > 0) {
      const std::string id = planned_line("right").id;
      text += encode(Message(Begin{id})) + "\n";
      text += encode(Message(ProcessResult{id, process, Outcome::measured, {}, {}, {}, {}})) + "\n";
    }
    write(fmt::format("messages-{}", n), text + encode(Message(Done{})) + "\n");
  }
  [[nodiscard]] std::vector<std::string> log() const {
    const Result<std::string> text = read_file(folder_.path() / "log");
    if (!text) return {};
    return split(trim(*text), '\n');
  }
  Result<RunReport> run(int processes) {
    plan_.cases.emplace_back(planned_line("right")).sampling.processes = processes;
    return run_plan(plan_, options_);
  }

  TemporaryFolder folder_;
  Plan plan_;
  RunOptions options_;
  std::vector<ProcessResult> results_;
};

TEST_F(Turnover, StartsTheNextWorkerWhileTheLastOneEndsAndBeginsWhenItIsGone) {
  script(ends_after_the_next_started, 3);
  for (int n = 1; n <= 3; ++n) messages(n, n);
  ASSERT_TRUE(run(3));
  EXPECT_THAT(results_, SizeIs(3));
  EXPECT_THAT(log(), ElementsAre("start 1", "begin 1", "start 2", "end 1", "begin 2", "start 3", "end 2",
                                 "begin 3", "end 3"));
}

TEST_F(Turnover, HoldsForTwoRunsInTurns) {
  script(ends_after_the_next_started, 4);
  for (int n = 1; n <= 4; ++n) messages(n, (n + 1) / 2);
  plan_.cases.emplace_back(planned_line("right")).sampling.processes = 2;
  ASSERT_TRUE(run_in_turns({plan_, options_}, {plan_, options_}, 1));
  EXPECT_THAT(results_, SizeIs(4));
  EXPECT_THAT(log(), ElementsAre("start 1", "begin 1", "start 2", "end 1", "begin 2", "start 3", "end 2",
                                 "begin 3", "start 4", "end 3", "begin 4", "end 4"));
}

TEST_F(Turnover, LetsAProbeEndBesideTheFirstWorker) {
  script(ends_after_the_next_started, 2);
  messages(1, 0);
  int worked = 0;
  options_.ending = std::make_shared<EndingWorkers>();
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const Result<DeviceProbe> probe =
      probe_device("cpu", options_.worker_command, false, {[&] { ++worked; }, options_.ending});
  std::filesystem::current_path(before);
  ASSERT_TRUE(probe) << probe.error().text();
  EXPECT_EQ(worked, 1);
  messages(2, 1);
  ASSERT_TRUE(run(1));
  EXPECT_THAT(results_, SizeIs(1));
  EXPECT_THAT(log(), ElementsAre("start 1", "begin 1", "start 2", "end 1", "begin 2", "end 2"));
}

TEST_F(Turnover, LeavesItsLastWorkerToTheNextRunWhereItMay) {
  script(ends_after_the_next_started, 3);
  for (int n = 1; n <= 2; ++n) messages(n, n);
  messages(3, 1);
  options_.ending = std::make_shared<EndingWorkers>();
  options_.leaves_worker = true;
  ASSERT_TRUE(run(2));
  EXPECT_FALSE(options_.ending->none());
  options_.leaves_worker = false;
  plan_.cases.clear();
  ASSERT_TRUE(run(1));
  EXPECT_TRUE(options_.ending->none());
  EXPECT_THAT(results_, SizeIs(3));
  EXPECT_THAT(log(), ElementsAre("start 1", "begin 1", "start 2", "end 1", "begin 2", "start 3", "end 2",
                                 "begin 3", "end 3"));
}

TEST_F(Turnover, TakesNoOffenceAtHowAWorkerEndsThatHasSaidAll) {
  script("[ $n = 1 ] && exit 7; kill -SEGV $$");
  for (int n = 1; n <= 2; ++n) messages(n, n);
  ASSERT_TRUE(run(2));
  ASSERT_THAT(results_, SizeIs(2));
  for (const ProcessResult& one : results_) EXPECT_EQ(one.outcome, Outcome::measured) << one.reason;
}

TEST_F(Turnover, KillsAtAnInterruptWhatIsStillEnding) {
  script("exec tail -f /dev/null");
  messages(1, 1);
  int asked = 0;
  options_.may_begin = [&] {
    if (++asked == 2) raise(SIGINT);
    return true;
  };
  const Result<RunReport> report = run(2);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->interrupted);
  EXPECT_THAT(log(), ElementsAre("start 1", "begin 1"));
  const Result<std::string> pid = read_file(folder_.path() / "pid-1");
  ASSERT_TRUE(pid);
  EXPECT_NE(kill(std::stoi(*pid), 0), 0);
}

// As of a GPU in exclusive mode, which the worker before still had.
TEST_F(Turnover, AsksAgainWhereADeviceDidNotOpenBesideTheEndOfTheLastWorker) {
  script("");
  messages(1, 1);
  write("messages-2", encode(Message(Refusal{"the device is busy"})) + "\n");
  messages(3, 2);
  ASSERT_TRUE(run(2));
  ASSERT_THAT(results_, SizeIs(2));
  for (const ProcessResult& one : results_) EXPECT_EQ(one.outcome, Outcome::measured) << one.reason;
}

TEST_F(Turnover, TakesARefusalOfAWorkerThatWasAloneAtItsWord) {
  script("");
  messages(1, 1);
  for (int n = 2; n <= 3; ++n) write(fmt::format("messages-{}", n), encode(Message(Refusal{"gone"})) + "\n");
  ASSERT_TRUE(run(2));
  ASSERT_THAT(results_, SizeIs(2));
  EXPECT_EQ(results_[1].outcome, Outcome::failed);
  EXPECT_THAT(results_[1].reason, FactIs(CauseCode::device_refused, {{"problem", "gone"}}));
  EXPECT_EQ(log().back(), "begin 3") << "and asks no more";
}

TEST(InterruptGuard, KillsEveryChildThatIsWatchedAndNoOther) {
  std::vector<Child> children;
  for (int i = 0; i < 3; ++i) {
    Result<Child> child = Child::start({.argv = {"tail", "-f", "/dev/null"}, .dies_with_parent = true}, {});
    ASSERT_TRUE(child);
    InterruptGuard::watch(child->pid());
    children.push_back(std::move(*child));
  }
  InterruptGuard::unwatch(children[1].pid());
  const auto twice = [] {
    const InterruptGuard guard;
    raise(SIGINT);
    raise(SIGINT);
  };
  EXPECT_EXIT(twice(), testing::ExitedWithCode(130), "");
  for (const std::size_t i : {0, 2}) {
    InterruptGuard::unwatch(children[i].pid());
    EXPECT_EQ(children[i].wait().signal, SIGKILL);
  }
  EXPECT_EQ(kill(children[1].pid(), 0), 0);
}

}  // namespace
}  // namespace harness
