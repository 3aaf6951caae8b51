// The state of a host and of the NVIDIA kernel module, read from folders that stand for /proc and /sys.
#include "harness/device/host/host_state.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/base/files.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class HostStateTest : public testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = root() / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  [[nodiscard]] std::filesystem::path root() const { return folder_.path(); }
  [[nodiscard]] HostState host() const { return read_host(root()); }

 private:
  TemporaryFolder folder_;
};

TEST_F(HostStateTest, ReadsTheCpus) {
  const std::string cpus = "sys/devices/system/cpu/";
  file("proc/cpuinfo", "model name\t: Some CPU\nflags\t\t: fpu hypervisor\n");
  file(cpus + "cpu0/cpufreq/scaling_governor", "performance\n");
  file(cpus + "cpu1/cpufreq/scaling_governor", "powersave\n");
  file(cpus + "cpu2/online", "0\n");
  file(cpus + "cpufreq/boost", "1\n");
  file(cpus + "smt/active", "1\n");
  file(cpus + "isolated", "1-3\n");
  const HostState seen = host();
  EXPECT_EQ(seen.cpu, "Some CPU");
  EXPECT_TRUE(seen.virtual_machine);
  EXPECT_EQ(seen.online_cpus, 2);
  EXPECT_GE(seen.usable_cpus, 1);
  EXPECT_THAT(seen.governors, ElementsAre("performance", "powersave"));
  EXPECT_EQ(seen.turbo, true);
  EXPECT_EQ(seen.smt, true);
  EXPECT_EQ(seen.isolated_cpus, "1-3");
  file(cpus + "intel_pstate/no_turbo", "1\n");
  EXPECT_EQ(host().turbo, false) << "what the Intel driver says comes first";
}

TEST_F(HostStateTest, ReadsLoadMemoryAndTheKernel) {
  file("proc/loadavg", "3.25 1.00 0.50 2/300 4711\n");
  file("proc/meminfo", "MemTotal:  100 kB\nMemAvailable:   2048 kB\n");
  file("proc/sys/kernel/osrelease", "6.8.0\n");
  file("proc/sys/kernel/random/boot_id", "b00t\n");
  EXPECT_DOUBLE_EQ(host().load, 3.25);
  EXPECT_EQ(host().memory_available, 2U << 20);
  EXPECT_EQ(host().kernel, "Linux 6.8.0");
  EXPECT_EQ(boot_identity(root()), "b00t");
}

TEST_F(HostStateTest, LeavesOutWhatIsNotThere) {
  const HostState seen = host();
  EXPECT_EQ(seen.turbo, std::nullopt);
  EXPECT_EQ(seen.smt, std::nullopt);
  EXPECT_THAT(seen.governors, IsEmpty());
  EXPECT_EQ(seen.cpu_limit, std::nullopt);
  EXPECT_EQ(seen.memory_limit, std::nullopt);
  EXPECT_EQ(seen.traced_by, "");
}

TEST_F(HostStateTest, TakesTheLeastLimitOfTheControlGroupAndThoseAboveIt) {
  file("proc/self/cgroup", "0::/pod/box\n");
  file("sys/fs/cgroup/cpu.max", "max 100000\n");
  file("sys/fs/cgroup/pod/cpu.max", "150000 100000\n");
  file("sys/fs/cgroup/pod/box/cpu.max", "400000 100000\n");
  file("sys/fs/cgroup/pod/box/memory.max", "1073741824\n");
  file("sys/fs/cgroup/pod/memory.max", "max\n");
  EXPECT_DOUBLE_EQ(host().cpu_limit.value_or(0), 1.5);
  EXPECT_EQ(host().memory_limit, 1U << 30);
}

TEST_F(HostStateTest, ReadsTheFirstVersionOfControlGroups) {
  file("proc/self/cgroup", "4:memory:/box\n3:cpu,cpuacct:/box\n1:name=systemd:/\n");
  file("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "50000\n");
  file("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
  file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_DOUBLE_EQ(host().cpu_limit.value_or(0), 0.5);
  EXPECT_EQ(host().memory_limit, std::nullopt) << "as much as there is";
}

TEST_F(HostStateTest, NamesTheTracer) {
  file("proc/self/status", "Name:\tx\nTracerPid:\t0\n");
  EXPECT_EQ(host().traced_by, "");
  file("proc/self/status", "Name:\tx\nTracerPid:\t77\n");
  file("proc/77/comm", "gdb\n");
  EXPECT_EQ(host().traced_by, "gdb (process 77)");
}

TEST_F(HostStateTest, ReadsTheKernelModule) {
  EXPECT_FALSE(read_driver_parameters(root()).loaded);
  file("proc/driver/nvidia/version",
       "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\nGCC version: "
       "13.3.0\n");
  file("proc/driver/nvidia/params", "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\n");
  DriverParameters driver = read_driver_parameters(root());
  EXPECT_TRUE(driver.loaded);
  EXPECT_TRUE(driver.open_module);
  EXPECT_EQ(driver.version, "580.159.04");
  EXPECT_EQ(driver.counters_for_admins_only, true);
  file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54  Release\n");
  file("proc/driver/nvidia/params", "RestrictProfilingToAdminUsers: 0\n");
  driver = read_driver_parameters(root());
  EXPECT_FALSE(driver.open_module);
  EXPECT_EQ(driver.version, "535.54");
  EXPECT_EQ(driver.counters_for_admins_only, false);
}

TEST_F(HostStateTest, KnowsTheCapabilitiesThatCountersTake) {
  const auto with = [&](const char* capabilities) {
    file("proc/self/status", std::string("CapEff:\t") + capabilities + "\n");
    return may_read_counters(root());
  };
  EXPECT_FALSE(with("0000000000000000"));
  EXPECT_TRUE(with("0000000000200000")) << "CAP_SYS_ADMIN";
  EXPECT_TRUE(with("0000004000000000")) << "CAP_PERFMON";
  EXPECT_FALSE(with("0000000000001000"));
}

TEST_F(HostStateTest, AddsTheHostToAGpusFingerprint) {
  file("proc/cpuinfo", "model name\t: Some CPU\n");
  file("proc/sys/kernel/osrelease", "6.8.0\n");
  file("proc/driver/nvidia/params", "RmProfilingAdminOnly: 1\n");
  EXPECT_THAT(host_fields(root()),
              ElementsAre(MachineField{"cpu", "Some CPU", FieldClass::warn},
                          MachineField{"kernel", "Linux 6.8.0", FieldClass::warn},
                          MachineField{"container", "none seen", FieldClass::info},
                          MachineField{"counters", "administrators only", FieldClass::info},
                          MachineField{"kernel_module", "proprietary", FieldClass::info}));
}

}  // namespace
}  // namespace harness
