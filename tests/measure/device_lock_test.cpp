// The lock between processes, with real ones: children hold it, and pipes say when. Nothing here waits
// for time to pass.
#include "harness/measure/schedule/device_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <thread>

#include "harness/base/files.h"
#include "harness/measure/schedule/interrupt.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

// A child process that takes a lock, says so, and holds it until it is told to end.
class Holder {
 public:
  explicit Holder(const std::string& device) {
    if (pipe2(ready_, O_CLOEXEC) != 0 || pipe2(leave_, O_CLOEXEC) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) hold(device);
    close(leave_[0]);
    char byte = 0;
    held_ = read(ready_[0], &byte, 1) == 1 && byte == 'y';
  }
  ~Holder() {
    end();
    close(ready_[0]);
    close(ready_[1]);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  [[nodiscard]] bool held() const { return held_; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  void end(int signal = 0) {
    if (pid_ == 0) return;
    if (signal != 0) kill(pid_, signal);
    close(leave_[1]);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  [[noreturn]] void hold(const std::string& device) {
    close(leave_[1]);
    const auto lock = DeviceLock::take({device, "suite fusion", 0, {}});
    const char answer = lock ? 'y' : 'n';
    char byte = 0;
    if (write(ready_[1], &answer, 1) == 1)
      while (read(leave_[0], &byte, 1) > 0) continue;
    _exit(0);
  }

  int ready_[2]{};
  int leave_[2]{};
  pid_t pid_ = 0;
  bool held_ = false;
};

class DeviceLockTest : public testing::Test {
 protected:
  DeviceLockTest() { setenv("HARNESS_LOCK_DIR", folder_.path().c_str(), 1); }
  void TearDown() override { unsetenv("HARNESS_LOCK_DIR"); }
  [[nodiscard]] static Result<DeviceLock> try_it(const std::string& device) {
    return DeviceLock::take({device, "suite mine", 0, {}});
  }
  TemporaryFolder folder_;
};

TEST_F(DeviceLockTest, ExcludesAnotherProcessAndNamesTheHolder) {
  const Holder holder("GPU-1");
  ASSERT_TRUE(holder.held());
  const auto lock = try_it("GPU-1");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().kind, ErrorKind::usage);
  EXPECT_THAT(lock.error().message,
              AllOf(HasSubstr("GPU-1"), HasSubstr(std::to_string(holder.pid())), HasSubstr("suite fusion"),
                    MatchesRegex(".* 20..-..-..T..:..:..Z")));
  EXPECT_THAT(lock.error().advice, HasSubstr("--wait"));
}

TEST_F(DeviceLockTest, ExcludesNobodyFromOtherDevices) {
  const Holder holder("GPU-1");
  ASSERT_TRUE(holder.held());
  EXPECT_TRUE(try_it("GPU-2"));
}

TEST_F(DeviceLockTest, IsFreeAgainHoweverItsHolderEnds) {
  for (const int signal : {0, SIGINT, SIGKILL, SIGSEGV}) {
    Holder holder("GPU-1");
    ASSERT_TRUE(holder.held()) << signal;
    holder.end(signal);
    EXPECT_TRUE(try_it("GPU-1")) << signal;
  }
}

TEST_F(DeviceLockTest, IsFreeAgainWhenItIsGivenBack) {
  { const auto lock = try_it("GPU-1"); }
  auto first = try_it("GPU-1");
  ASSERT_TRUE(first);
  DeviceLock moved = std::move(*first);
  EXPECT_FALSE(Holder("GPU-1").held());
  moved = std::move(*try_it("GPU-2"));
  EXPECT_TRUE(Holder("GPU-1").held());
  EXPECT_FALSE(Holder("GPU-2").held());
}

TEST_F(DeviceLockTest, IsSharedByThoseThatAskForIt) {
  const LockRequest part{"GPU-1", "campaign", 0, {}, true}, whole{"GPU-1", "suite fusion", 0, {}};
  {
    const auto one = DeviceLock::take(part), other = DeviceLock::take(part);
    EXPECT_TRUE(one);
    EXPECT_TRUE(other);
    EXPECT_FALSE(DeviceLock::take(whole)) << "two others use parts of it";
  }
  const auto alone = DeviceLock::take(whole);
  EXPECT_TRUE(alone);
  EXPECT_FALSE(DeviceLock::take(part));
}

// Else a device that several share would never be free for one that wants it alone.
TEST_F(DeviceLockTest, IsNotSharedWithMoreWhileSomebodyWantsItAlone) {
  constexpr Seconds not_long = 1e-9;
  std::optional<Result<DeviceLock>> sharer = DeviceLock::take({"GPU-1", "campaign", 0, {}, true});
  std::promise<void> waits;
  std::thread alone([&] {
    const auto lock =
        DeviceLock::take({"GPU-1", "suite fusion", {}, [&](const std::string&) { waits.set_value(); }});
    EXPECT_TRUE(lock);
  });
  waits.get_future().wait();
  EXPECT_FALSE(DeviceLock::take({"GPU-1", "campaign", not_long, {}, true}));
  sharer.reset();
  alone.join();
  EXPECT_TRUE(DeviceLock::take({"GPU-1", "campaign", 0, {}, true}));
}

// Ctrl-Z, for example. Its silence is told by the time of the queue's file.
TEST_F(DeviceLockTest, DoesNotWaitForAStoppedWaiter) {
  constexpr Seconds not_long = 1e-9;
  std::optional<Result<DeviceLock>> held = DeviceLock::take({"GPU-1", "campaign", 0, {}});
  int waits[2]{};
  ASSERT_EQ(pipe2(waits, O_CLOEXEC), 0);
  const pid_t waiter = fork();
  if (waiter == 0) {
    held.reset();  // the parent's copy holds the lock
    const auto lock = DeviceLock::take({"GPU-1", "suite fusion", {}, [&](const std::string&) {
                                          if (write(waits[1], "y", 1) != 1) _exit(1);
                                        }});
    _exit(0);
  }
  char byte = 0;
  EXPECT_EQ(read(waits[0], &byte, 1), 1);
  kill(waiter, SIGSTOP);
  waitpid(waiter, nullptr, WUNTRACED);
  held.reset();
  EXPECT_FALSE(DeviceLock::take({"GPU-1", "suite probe", not_long, {}})) << "it may go on";
  std::filesystem::path queue = DeviceLock::path_of("GPU-1");
  queue.replace_extension(".queue");
  std::filesystem::last_write_time(queue,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
  EXPECT_TRUE(DeviceLock::take({"GPU-1", "suite probe", not_long, {}}));
  kill(waiter, SIGKILL);
  waitpid(waiter, nullptr, 0);
  close(waits[0]);
  close(waits[1]);
}

TEST_F(DeviceLockTest, TicksWhileItWaits) {
  const auto held = DeviceLock::take({"GPU-1", "campaign", 0, {}, true});
  int ticks = 0;
  EXPECT_FALSE(DeviceLock::take({"GPU-1", "suite fusion", 0, {}, false, [&] { ++ticks; }}));
  EXPECT_EQ(ticks, 0) << "it does not wait";
  std::optional<Result<DeviceLock>> other = DeviceLock::take({"GPU-2", "campaign", 0, {}});
  EXPECT_TRUE(DeviceLock::take({"GPU-2", "suite fusion", {}, {}, false, [&] {
                                  if (++ticks == 2) other.reset();
                                }}));
  EXPECT_EQ(ticks, 2);
}

TEST_F(DeviceLockTest, WaitsForItsHolderAndSaysSoOnce) {
  Holder holder("GPU-1");
  ASSERT_TRUE(holder.held());
  std::vector<std::string> messages;
  const auto lock = DeviceLock::take({"GPU-1", "suite mine", std::nullopt, [&](const std::string& message) {
                                        messages.push_back(message);
                                        holder.end();
                                      }});
  EXPECT_TRUE(lock);
  EXPECT_THAT(messages, testing::SizeIs(1));
}

TEST_F(DeviceLockTest, GivesUpWhenItsPatienceEnds) {
  const Holder holder("GPU-1");
  ASSERT_TRUE(holder.held());
  int told = 0;
  const auto lock = DeviceLock::take({"GPU-1", "suite mine", 1e-3, [&](const std::string&) { ++told; }});
  ASSERT_FALSE(lock);
  EXPECT_THAT(lock.error().message, HasSubstr("suite fusion"));
  EXPECT_EQ(told, 1);
}

TEST_F(DeviceLockTest, DoesNotWaitAfterASignal) {
  const Holder holder("GPU-1");
  ASSERT_TRUE(holder.held());
  const InterruptGuard guard;
  const auto lock = DeviceLock::take(
      {"GPU-1", "suite mine", std::nullopt, [&](const std::string&) { std::raise(SIGTERM); }});
  ASSERT_FALSE(lock);
  EXPECT_THAT(lock.error().message, HasSubstr("suite fusion"));
}

TEST_F(DeviceLockTest, CanBeTakenByEveryUser) {
  const mode_t before = umask(077);
  EXPECT_TRUE(try_it("GPU-1"));
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(DeviceLock::path_of("GPU-1").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0666U);
}

TEST_F(DeviceLockTest, IsNeverTakenThroughALinkOrOnWhatIsNoFile) {
  symlink((folder_.path() / "victim").c_str(), DeviceLock::path_of("GPU-1").c_str());
  std::ofstream(folder_.path() / "victim") << "precious";
  const auto linked = try_it("GPU-1");
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().kind, ErrorKind::environment);
  EXPECT_THAT(linked.error().advice, HasSubstr("HARNESS_LOCK_DIR"));
  EXPECT_EQ(*read_file(folder_.path() / "victim"), "precious");
  mkfifo(DeviceLock::path_of("GPU-2").c_str(), 0666);
  EXPECT_EQ(try_it("GPU-2").error().kind, ErrorKind::environment);
}

TEST_F(DeviceLockTest, ShowsWhatAHolderWroteAsText) {
  const std::string path = DeviceLock::path_of("GPU-1").string();
  const Holder holder("GPU-1");
  ASSERT_TRUE(holder.held());
  std::ofstream(path) << "\x1b[31mred\nsecond line";
  const std::string message = try_it("GPU-1").error().message;
  EXPECT_THAT(message, AllOf(HasSubstr("red"), Not(HasSubstr("\x1b")), Not(HasSubstr("second"))));
  std::ofstream(path, std::ios::trunc).close();
  EXPECT_EQ(try_it("GPU-1").error().kind, ErrorKind::usage);
}

TEST(DeviceLockPath, IsAPlainNameInAFolderThatAllShare) {
  unsetenv("HARNESS_LOCK_DIR");
  EXPECT_EQ(DeviceLock::path_of("GPU-1"), "/tmp/harness-GPU-1.lock");
  EXPECT_EQ(DeviceLock::path_of("../../etc/x").parent_path(), "/tmp");
  EXPECT_NE(DeviceLock::path_of("a/b"), DeviceLock::path_of("a/c"));
}

}  // namespace
}  // namespace harness
