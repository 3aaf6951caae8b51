// Tests do in this process what a case may leave behind.
#include "harness/measure/worker/leftovers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <functional>
#include <mutex>
#include <thread>

#include "harness/base/process.h"

namespace harness {
namespace {

constexpr std::size_t page = 4096;

// Does `work`, and tells what is found.
std::string found_after(const std::function<void()>& work, std::vector<std::string> own = {}) {
  Leftovers leftovers(std::move(own));
  work();
  const std::optional<Leftover> left = leftovers.look({}, 0.02);
  return left ? left->what + " " + left->name : "";
}

TEST(Leftovers, AreNoneWhereNothingWasDone) {
  EXPECT_EQ(found_after([] {}), "");
}

TEST(Leftovers, TellAHandlerAndNotOneThatIsGivenBack) {
  struct sigaction own {
  }, old{};
  own.sa_handler = [](int) {};
  const std::vector<std::string> module{this_program()};
  EXPECT_EQ(found_after([&] { sigaction(SIGUSR2, &own, &old); }, module), "handler SIGUSR2");
  EXPECT_EQ(found_after([&] { sigaction(SIGUSR2, &old, nullptr); }, module), "") << "the system's own";
  EXPECT_EQ(found_after(
                [&] {
                  sigaction(SIGUSR2, &own, &old);
                  sigaction(SIGUSR2, &old, nullptr);
                },
                module),
            "");
}

TEST(Leftovers, OfLibrariesThatHandleSignalsAreNone) {
  struct sigaction own {
  }, old{};
  own.sa_handler = [](int) {};
  EXPECT_EQ(found_after([&] { sigaction(SIGUSR2, &own, &old); }, {"/of/a/module.so"}), "");
  sigaction(SIGUSR2, &old, nullptr);
  own.sa_handler = SIG_IGN;
  EXPECT_EQ(found_after([&] { sigaction(SIGPIPE, &own, &old); }, {this_program()}), "");
  sigaction(SIGPIPE, &old, nullptr);
}

TEST(Leftovers, TellTimersThatRun) {
  const itimerval later{{0, 0}, {3600, 0}}, never{};
  EXPECT_EQ(found_after([&] { setitimer(ITIMER_PROF, &later, nullptr); }), "timer ITIMER_PROF");
  EXPECT_EQ(found_after([&] { setitimer(ITIMER_PROF, &never, nullptr); }), "");
}

TEST(Leftovers, OfTimersThatWereNeverSetAreNone) {
  sigevent nothing{};
  nothing.sigev_notify = SIGEV_NONE;
  timer_t timer{};
  EXPECT_EQ(found_after([&] { ASSERT_EQ(timer_create(CLOCK_MONOTONIC, &nothing, &timer), 0); }), "");
  const itimerspec later{{0, 0}, {3600, 0}};
  EXPECT_TRUE(found_after([&] {
                ASSERT_EQ(timer_settime(timer, 0, &later, nullptr), 0);
              }).starts_with("timer POSIX"));
  timer_delete(timer);
}

TEST(Leftovers, TellARounding) {
  EXPECT_EQ(found_after([] { std::fesetround(FE_UPWARD); }), "rounding ");
  std::fesetround(FE_TONEAREST);
}

// NOLINTBEGIN(performance-no-int-to-ptr): a page is found by its number
void* page_of_code() {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(&ftruncate) & ~std::uintptr_t{page - 1});
}
// NOLINTEND(performance-no-int-to-ptr)

TEST(Leftovers, TellCodeThatMayBeWrittenOrWas) {
  void* const code = page_of_code();
  const std::string protection =
      found_after([&] { ASSERT_EQ(mprotect(code, page, PROT_READ | PROT_WRITE | PROT_EXEC), 0); });
  EXPECT_TRUE(protection.starts_with("protection /")) << protection;
  const std::string written = found_after([&] {
    volatile unsigned char& byte = *static_cast<unsigned char*>(code);
    byte = byte;
    ASSERT_EQ(mprotect(code, page, PROT_READ | PROT_EXEC), 0);
  });
  EXPECT_TRUE(written.starts_with("code /")) << written;
}

TEST(Leftovers, OfMemoryOfItsOwnAreNone) {
  void* memory = nullptr;
  EXPECT_EQ(found_after([&] {
              memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              ASSERT_EQ(mprotect(memory, page, PROT_READ | PROT_EXEC), 0);
            }),
            "");
  munmap(memory, page);
}

TEST(Leftovers, TellSharedMemoryWithANameForOthers) {
  const char* const name = "/harness-leftovers-test";
  int file = -1;
  EXPECT_EQ(found_after([&] { file = shm_open(name, O_CREAT | O_RDWR, 0600); }),
            "memory /dev/shm/harness-leftovers-test");
  shm_unlink(name);
  close(file);
  EXPECT_EQ(found_after([&] {
              file = shm_open(name, O_CREAT | O_RDWR, 0600);
              shm_unlink(name);
            }),
            "")
      << "nobody can open it";
  close(file);
}

TEST(Leftovers, TellAThreadThatWorksAndNoneThatWaits) {
  std::atomic<bool> ended = false;
  std::jthread busy;
  const std::string found = found_after([&] {
    busy = std::jthread([&] {
      while (!ended) {
      }
    });
  });
  EXPECT_TRUE(found.starts_with("thread ")) << found;
  ended = true;
  busy = {};
  ended = false;
  setenv("OMP_WAIT_POLICY", "active", 1);
  EXPECT_EQ(found_after([&] {
              busy = std::jthread([&] {
                while (!ended) {
                }
              });
            }),
            "");
  unsetenv("OMP_WAIT_POLICY");
  ended = true;
  busy = {};
  std::mutex mutex;
  std::condition_variable_any wake;
  std::jthread pool;
  EXPECT_EQ(found_after([&] {
              pool = std::jthread([&](const std::stop_token& stop) {
                std::unique_lock lock(mutex);
                wake.wait(lock, stop, [] { return false; });
              });
            }),
            "");
}

}  // namespace
}  // namespace harness
