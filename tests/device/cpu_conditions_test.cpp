#include "harness/device/cpu/cpu_conditions.h"

#include <gmock/gmock.h>

#include <fstream>

#include "harness/base/files.h"
#include "harness/device/cpu/cpu_device.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A tree of files that looks like the parts of / that are read.
class CpuReadingTest : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = folder_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  [[nodiscard]] CpuReading read() const { return read_cpu(folder_.path()); }

 private:
  TemporaryFolder folder_;
};

TEST_F(CpuReadingTest, TellsNothingOfAMachineThatTellsNothing) {
  const CpuReading now = read();
  EXPECT_EQ(now.clock_mhz, std::nullopt);
  EXPECT_EQ(now.temperature_c, std::nullopt);
  EXPECT_EQ(now.throttles, std::nullopt);
  EXPECT_EQ(now.host.busy, std::nullopt);
  EXPECT_EQ(conditions_between(now, now), Conditions{});
}

TEST_F(CpuReadingTest, ReadsTheClockThatCpufreqTells) {
  for (int cpu = 0; cpu < 1024; ++cpu)  // whichever of them this process may use
    put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq", "3100000");
  put("proc/cpuinfo", "cpu MHz : 1");
  EXPECT_EQ(read().clock_mhz, 3100);
}

TEST_F(CpuReadingTest, ReadsTheMeanClockOfCpuinfoUnlessItIsAVirtualMachines) {
  put("proc/cpuinfo", "flags : fpu sse\ncpu MHz\t: 2000.5\n\nflags : fpu sse\ncpu MHz\t: 3000.5\n");
  EXPECT_EQ(read().clock_mhz, 2500.5);
  put("proc/cpuinfo", "cpu MHz\t: 2000.5\nflags : fpu hypervisor sse\n");
  EXPECT_EQ(read().clock_mhz, std::nullopt);
}

TEST_F(CpuReadingTest, ReadsTheHottestSensorOfTheCpuAlone) {
  put("sys/class/hwmon/hwmon0/name", "nvme");
  put("sys/class/hwmon/hwmon0/temp1_input", "91000");
  put("sys/class/hwmon/hwmon1/name", "coretemp");
  put("sys/class/hwmon/hwmon1/temp1_input", "61500");
  put("sys/class/hwmon/hwmon1/temp2_input", "64250");
  put("sys/class/hwmon/hwmon1/temp2_max", "100000");
  put("sys/class/hwmon/hwmon1/temp3_input", "not a number");
  EXPECT_EQ(read().temperature_c, 64.25);
}

TEST_F(CpuReadingTest, AddsUpThrottleEvents) {
  put("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3");
  put("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "10");
  put("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "4");
  EXPECT_EQ(read().throttles, 17U);
}

CpuReading at(Seconds time, Seconds busy, Seconds own) {
  CpuReading reading;
  reading.host.at = time;
  reading.host.busy = busy;
  reading.host.own = own;
  return reading;
}

TEST(CpuConditions, CountTheCpusThatOthersKeptBusy) {
  EXPECT_EQ(conditions_between(at(10, 100, 5), at(12, 104, 9)).other_processes, 0) << "all of it was ours";
  EXPECT_EQ(conditions_between(at(10, 100, 5), at(12, 104.9, 9)).other_processes, 0)
      << "less than half a CPU";
  EXPECT_EQ(conditions_between(at(10, 100, 5), at(12, 110, 7)).other_processes, 4);
  EXPECT_EQ(conditions_between(at(10, 100, 5), at(12, 101, 9)).other_processes, 0) << "ticks are coarse";
  EXPECT_EQ(conditions_between(at(10, 100, 5), at(10.05, 101, 5)).load, std::nullopt) << "too short to tell";
}

TEST(CpuConditions, AHostWithoutOthersIsKnownToBeQuiet) {
  const Conditions quiet = conditions_between(at(10, 100, 5), at(12, 104, 9));
  ASSERT_TRUE(quiet.load);
  EXPECT_EQ(quiet.load->others, 0);
  EXPECT_NE(quiet, Conditions{}) << "so that the placement counts among those that were watched";
}

TEST(CpuWatch, TellsTheLoadAroundAPlacementThatIsTooShort) {
  CpuWatch watch(at(10, 100, 0));
  watch.begin(at(10.01, 100.02, 0));
  EXPECT_EQ(watch.conditions_at(at(10.02, 100.03, 0)), std::nullopt) << "nobody watched for long enough";
  watch.begin(at(11, 103, 0));
  EXPECT_EQ(watch.conditions_at(at(11.001, 103.003, 0))->load->others, 3) << "since the device was opened";
  watch.begin(at(11.05, 103.05, 0));
  EXPECT_EQ(watch.conditions_at(at(11.2, 103.2, 0))->load->others, 1) << "of the placement alone";
  EXPECT_NEAR(*watch.conditions_at(at(11.06, 103.06, 0))->load->others, 3.06 / 1.06, 1e-3)
      << "both later readings are too young";
  EXPECT_EQ(watch.conditions_at(at(11.14, 103.14, 0))->load->others, 1) << "since the placement before";
}

TEST(CpuConditions, CallItThermalWhenTheCountersGrew) {
  CpuReading before = at(0, 0, 0);
  CpuReading after = before;
  EXPECT_THAT(conditions_between(before, after).throttled, IsEmpty());
  before.throttles = 7;
  after.throttles = 7;
  EXPECT_THAT(conditions_between(before, after).throttled, IsEmpty());
  after.throttles = 8;
  EXPECT_THAT(conditions_between(before, after).throttled, ElementsAre("thermal"));
}

TEST(CpuConditions, AreReadByTheDeviceFromBeginToEnd) {
  CpuDevice device;
  const Since<Conditions> watched = device.watch_conditions();
  const CpuReading now = read_cpu();
  const auto conditions = watched();
  if (now.clock_mhz || now.temperature_c) {
    ASSERT_TRUE(conditions);
  }
  EXPECT_NE(conditions, Conditions{}) << "nothing to tell is told as nothing";
  if (now.host.busy) {
    ASSERT_TRUE(conditions);
    EXPECT_TRUE(conditions->load) << "although the first placement was short";
  }
  if (conditions) {
    EXPECT_EQ(conditions->sm_clock_mhz.has_value(), now.clock_mhz.has_value());
    EXPECT_EQ(conditions->temperature_c.has_value(), now.temperature_c.has_value());
  }
}

}  // namespace
}  // namespace harness
