// Runs that a signal ends, and the guard that catches the signal.
#include "harness/measure/schedule/interrupt.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "tests/measure/run_plan.h"

namespace harness {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

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

// The only child of this thread; 0: none, and to signal that would be to signal all tests.
pid_t only_child() {
  std::ifstream children("/proc/thread-self/children");
  pid_t child = 0;
  children >> child;
  return child;
}

// A scheduler that ends a job signals one process after another.
TEST_F(RunPlan, StopsWhereTheSignalReachesTheWorkerFirst) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    results_.clear();
    std::jthread scheduler;
    options_.on_progress = [&](const Progress& progress) {
      const pid_t worker = only_child();
      if (progress.case_id.empty() || worker <= 0 || scheduler.joinable()) return;
      scheduler = std::jthread([worker, signal] {
        kill(worker, signal);
        siginfo_t info{};
        waitid(P_PID, static_cast<id_t>(worker), &info, WEXITED | WNOWAIT);
        kill(getpid(), SIGTERM);
      });
    };
    plan_.cases.clear();
    add("hang");
    EXPECT_TRUE(run().interrupted);
    EXPECT_THAT(results_, IsEmpty());
  }
}

TEST(InterruptGuard, EndsTheProgramAtTheSecondSignal) {
  const auto twice = [] {
    const InterruptGuard guard;
    raise(SIGINT);
    raise(SIGTERM);
  };
  EXPECT_EXIT(twice(), testing::ExitedWithCode(130), "");
}

// The rest of the program runs, even where it has no guard any more.
TEST(InterruptGuard, LetsAProgramGiveBackWhatItHolds) {
  const auto often = [] {
    const pid_t child = fork();
    if (child == 0)
      while (true) pause();
    {
      const InterruptGuard guard(SecondSignal::ends_children);
      InterruptGuard::watch(child);
      raise(SIGTERM);
      if (waitpid(child, nullptr, WNOHANG) != 0) _exit(1);
      const InterruptGuard inner;
      raise(SIGTERM);
      raise(SIGINT);
    }
    raise(SIGTERM);
    int status = 0;
    waitpid(child, &status, 0);
    _exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 3 : 1);
  };
  EXPECT_EXIT(often(), testing::ExitedWithCode(3), "");
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

}  // namespace
}  // namespace harness
