// The record of a clock lock, and undoing a lock that was left behind, against a stand-in for the driver's
// library. The guard and every way for a run to end are tested with the program itself:
// tests/cli/clocks_test.sh.
#include "harness/device/host/clock_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/base/files.h"
#include "harness/device/host/host_state.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::IsEmpty;

class ClockLockTest : public testing::Test {
 protected:
  ClockLockTest() {
    setenv("HARNESS_LOCK_DIR", folder_.path().c_str(), 1);
    setenv("HARNESS_NVML", FAKE_NVML_LIBRARY, 1);
    setenv("FAKE_NVML", nvml_.c_str(), 1);
    setenv("FAKE_NVML_LOG", log_.c_str(), 1);
    std::ofstream(nvml_) << "uuid GPU-A\nmax_clock_1 1980\n";
  }
  void TearDown() override {
    for (const char* name : {"HARNESS_LOCK_DIR", "HARNESS_NVML", "FAKE_NVML", "FAKE_NVML_LOG"})
      unsetenv(name);
  }
  static ClockLockNote note() { return {"GPU-A", 1485, 4711, "2026-11-20T05:40:00Z", boot_identity()}; }
  static void leave(const ClockLockNote& note) { std::ofstream(clock_lock_path(note.gpu)) << encode(note); }
  std::string log() { return read_file(log_).value_or(""); }

  TemporaryFolder folder_;
  std::string nvml_ = (folder_.path() / "nvml").string();
  std::string log_ = (folder_.path() / "log").string();
};

TEST_F(ClockLockTest, ReadsBackWhatItWrote) {
  const auto read = decode_clock_lock(encode(note()), "file");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(encode(*read), encode(note()));
}

TEST_F(ClockLockTest, RefusesWhatIsNoSuchNote) {
  for (const char* wrong : {"", "[]", "{}", R"({"version":2,"gpu":"GPU-A","mhz":1,"process":1})",
                            R"({"version":1,"gpu":"","mhz":1,"process":1})",
                            R"({"version":1,"gpu":"GPU-A","mhz":-1,"process":1})",
                            R"({"version":1,"gpu":"GPU-A","mhz":1e9,"process":1})",
                            R"({"version":1,"gpu":7,"mhz":1,"process":1})"}) {
    const auto read = decode_clock_lock(wrong, "the file");
    ASSERT_FALSE(read.has_value()) << wrong;
    EXPECT_EQ(read.error().where.file, "the file");
    EXPECT_THAT(read.error().advice, HasSubstr("nvidia-smi -rgc"));
  }
}

TEST_F(ClockLockTest, FindsALockThatWasLeftBehindAndOneThatIsHeld) {
  EXPECT_EQ(find_clock_lock("GPU-A"), std::nullopt);
  leave(note());
  ASSERT_TRUE(find_clock_lock("GPU-A").has_value());
  EXPECT_FALSE(find_clock_lock("GPU-A")->held);
  const int held = open(clock_lock_path("GPU-A").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  EXPECT_TRUE(find_clock_lock("GPU-A")->held);
  const Status undone = undo_clock_lock("GPU-A");
  ASSERT_FALSE(undone.has_value());
  EXPECT_EQ(undone.error().kind, ErrorKind::usage);
  close(held);
  ASSERT_EQ(find_clock_locks().size(), 1U);
  EXPECT_EQ(find_clock_locks()[0].note.mhz, 1485U);
}

TEST_F(ClockLockTest, ForgetsLocksOfAnEarlierBoot) {
  ClockLockNote old = note();
  old.boot = "another boot";
  leave(old);
  EXPECT_THAT(find_clock_locks(), IsEmpty());
  EXPECT_FALSE(fs::exists(clock_lock_path("GPU-A")));
}

TEST_F(ClockLockTest, BelievesNoLinkAndNoFileUnderAnotherName) {
  std::ofstream(folder_.path() / "elsewhere") << encode(note());
  fs::create_symlink(folder_.path() / "elsewhere", clock_lock_path("GPU-A"));
  EXPECT_EQ(find_clock_lock("GPU-A"), std::nullopt);
  std::ofstream(folder_.path() / "harness-GPU-B.clocks") << encode(note());
  EXPECT_THAT(find_clock_locks(), IsEmpty()) << "it tells of another GPU than its name";
}

TEST_F(ClockLockTest, UndoesWhatWasLeftBehind) {
  leave(note());
  ASSERT_TRUE(undo_clock_lock("GPU-A").has_value());
  EXPECT_EQ(log(), "reset GPU-A\n");
  EXPECT_FALSE(fs::exists(clock_lock_path("GPU-A")));
  const Status again = undo_clock_lock("GPU-A");
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().kind, ErrorKind::missing);
}

TEST_F(ClockLockTest, KeepsTheFileWhenTheDriverRefusesToUndo) {
  leave(note());
  std::ofstream(nvml_) << "uuid GPU-A\nreset_refused 4\n";
  const Status undone = undo_clock_lock("GPU-A");
  ASSERT_FALSE(undone.has_value());
  EXPECT_EQ(undone.error().kind, ErrorKind::environment);
  EXPECT_THAT(undone.error().advice, HasSubstr("harness doctor --unlock-clocks"));
  EXPECT_TRUE(fs::exists(clock_lock_path("GPU-A")));
  setenv("HARNESS_NVML", FAKE_OLD_NVML_LIBRARY, 1);
  EXPECT_EQ(undo_clock_lock("GPU-A").error().kind, ErrorKind::environment);
}

TEST_F(ClockLockTest, HidesNoPathInTheNameOfAGpu) {
  EXPECT_EQ(clock_lock_path("GPU-A").filename(), "harness-GPU-A.clocks");
  EXPECT_EQ(clock_lock_path("../../etc/x").parent_path(), folder_.path());
  EXPECT_EQ(clock_lock_path("").parent_path(), folder_.path());
}

}  // namespace
}  // namespace harness
