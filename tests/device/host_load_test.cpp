// The load that kept the CPUs from the work at hand, read from folders that stand for /proc and /sys.
#include "harness/device/host/host_load.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "harness/base/files.h"

namespace harness {
namespace {

class HostLoadTest : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = folder_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  [[nodiscard]] HostReading read() const { return read_host_load(folder_.path()); }
  // A reading two seconds after another one.
  [[nodiscard]] HostReading later(const HostReading& before, Seconds own = 0) const {
    HostReading now = read();
    now.own = before.own + own;
    now.at = before.at + 2;
    return now;
  }

 private:
  TemporaryFolder folder_;
};

const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));

TEST_F(HostLoadTest, TellsNothingOfASystemThatTellsNothing) {
  const HostReading now = read();
  EXPECT_EQ(now.busy, std::nullopt);
  EXPECT_EQ(now.queue, std::nullopt);
  EXPECT_EQ(now.stalled, std::nullopt);
  EXPECT_EQ(now.held, std::nullopt);
  EXPECT_EQ(load_between(now, later(now)), std::nullopt);
}

TEST_F(HostLoadTest, CountsBusyTicksWithoutIdleOnes) {
  put("proc/stat",
      "cpu  100 20 30 4000 500 6 7 8 0 0\ncpu0 1 1 1 1 1 1 1 1\nprocs_running 3\nprocs_blocked 1");
  const HostReading now = read();
  ASSERT_TRUE(now.busy && now.stolen && now.queue);
  EXPECT_DOUBLE_EQ(*now.busy * ticks, 171);
  EXPECT_DOUBLE_EQ(*now.stolen * ticks, 8);
  EXPECT_DOUBLE_EQ(*now.queue, 2) << "without the thread that reads";
  EXPECT_EQ(now.cpus, 1);
  put("proc/stat", "cpu  100 20");
  EXPECT_EQ(read().busy, std::nullopt);
}

TEST_F(HostLoadTest, TakesTheOwnTimeFromWhatAllUsed) {
  put("proc/stat", "cpu  0 0 0 0 0 0 0 0\nprocs_running 1");
  const HostReading before = read();
  put("proc/stat", fmt::format("cpu  {} 0 0 0 0 0 0 {}\nprocs_running 4", 3 * ticks, ticks));
  const auto load = load_between(before, later(before, 1.5));
  ASSERT_TRUE(load);
  EXPECT_EQ(load->others, 1.25) << "4 s of all, 1.5 s of them its own, in 2 s";
  EXPECT_EQ(load->stolen, 0.5);
  EXPECT_EQ(load->queue, 1.5) << "the mean of before and after";
  EXPECT_EQ(load_between(before, later(before, 9))->others, 0) << "ticks are coarse";
  HostReading soon = read();
  soon.at = before.at + 0.05;
  EXPECT_EQ(load_between(before, soon), std::nullopt) << "too short to tell";
}

TEST_F(HostLoadTest, ReadsHowLongThreadsWaitedForACpu) {
  put("proc/pressure/cpu",
      "some avg10=1.00 avg60=2.00 avg300=3.00 total=1000000\nfull avg10=0 avg60=0 avg300=0 total=7");
  const HostReading before = read();
  put("proc/pressure/cpu", "some avg10=1.00 avg60=2.00 avg300=3.00 total=1500000");
  EXPECT_EQ(load_between(before, later(before))->stalled, 0.25);
}

TEST_F(HostLoadTest, ReadsWhatTheQuotaOfAnyGroupHeldBack) {
  put("proc/self/cgroup", "0::/pod/box");
  put("sys/fs/cgroup/pod/cpu.stat", "usage_usec 5\nnr_throttled 1\nthrottled_usec 200000");
  put("sys/fs/cgroup/pod/box/cpu.stat", "usage_usec 5");
  const HostReading before = read();
  put("sys/fs/cgroup/pod/cpu.stat", "usage_usec 9\nnr_throttled 4\nthrottled_usec 1200000");
  EXPECT_EQ(load_between(before, later(before))->held, 0.5);
}

TEST_F(HostLoadTest, ReadsTheQuotaOfVersion1InNanoseconds) {
  put("proc/self/cgroup", "3:cpu,cpuacct:/box\n1:name=systemd:/");
  put("sys/fs/cgroup/cpu/box/cpu.stat", "nr_periods 3\nthrottled_time 0");
  const HostReading before = read();
  put("sys/fs/cgroup/cpu/box/cpu.stat", "nr_periods 9\nthrottled_time 400000000");
  EXPECT_EQ(load_between(before, later(before))->held, 0.2);
}

TEST_F(HostLoadTest, AShortPieceOfWorkHasTheLoadOfTheTimeAroundIt) {
  const auto at = [](Seconds time, Seconds busy, Seconds own) {
    HostReading reading;
    reading.at = time;
    reading.busy = busy;
    reading.own = own;
    return reading;
  };
  LoadWatch watch(at(10, 0, 0));
  watch.begin(at(10, 0, 0));
  EXPECT_EQ(watch.load_at(at(10.02, 0.03, 0.01)), std::nullopt) << "nobody watched for long enough";
  EXPECT_NEAR(watch.too_early_by(at(10.02, 0.03, 0.01)), 0.08, 1e-9);
  const HostReading later = at(10.1, 0.11, 0.01);
  EXPECT_EQ(watch.too_early_by(later), 0);
  EXPECT_EQ(watch.load_at(later)->others, 1);
  watch.begin(later);
  const HostReading soon = at(10.12, 0.14, 0.02);
  EXPECT_EQ(watch.too_early_by(soon), 0) << "the first reading is old enough";
  EXPECT_EQ(watch.load_at(soon)->others, 1) << "without the work of both pieces";
}

}  // namespace
}  // namespace harness
