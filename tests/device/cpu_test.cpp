#include "harness/device/cpu/cpu_device.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>

#include "harness/base/files.h"
#include "harness/device/cpu/cpu_facts.h"
#include "harness/device/cpu/cpu_threads.h"

namespace harness {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

// A tree of files that looks like the parts of / that are read.
class FakeHost : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = folder_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void put_cache(int cpu, int index, int level, const std::string& size, const std::string& shared) {
    const std::string folder =
        "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index) + "/";
    put(folder + "level", std::to_string(level) + "\n");
    put(folder + "size", size + "\n");
    put(folder + "shared_cpu_list", shared + "\n");
  }
  [[nodiscard]] const std::filesystem::path& root() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

std::string field(const Machine& machine, const std::string& name) {
  for (const MachineField& one : machine.fields)
    if (one.name == name) return one.value;
  return "(no such field)";
}

TEST(Slug, IsAPlainFolderName) {
  EXPECT_EQ(slug("AMD EPYC"), "amd-epyc");
  EXPECT_EQ(slug("Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz"), "intel-r-xeon-r-gold-6248-cpu-2-50ghz");
  EXPECT_EQ(slug("  ../..  "), "unknown");
  EXPECT_EQ(slug("\xc3\xa9t\xc3\xa9 7"), "t-7");
}

TEST_F(FakeHost, NamesItsCpu) {
  put("proc/cpuinfo",
      "processor\t: 0\nmodel name\t: AMD EPYC 9654\nflags\t\t: fpu hypervisor\n\nprocessor: 1\n");
  EXPECT_EQ(cpu_model(root()), "AMD EPYC 9654");
  const Machine machine = host_machine(96, root());
  EXPECT_EQ(machine.machine_class, "cpu-amd-epyc-9654");
  EXPECT_EQ(field(machine, "cpu"), "AMD EPYC 9654");
  EXPECT_EQ(field(machine, "threads"), "96");
  EXPECT_EQ(field(machine, "virtualisation"), "virtual machine");
}

TEST_F(FakeHost, IsIdentifiedWithoutShowingItsId) {
  put("proc/cpuinfo", "model name : A\n");
  put("etc/machine-id", "0123456789abcdef0123456789abcdef\n");
  const Machine machine = host_machine(2, root());
  EXPECT_EQ(machine.device_uuid, host_machine(4, root()).device_uuid);
  EXPECT_THAT(machine.device_uuid, Not(HasSubstr("0123456789abcdef")));
  put("etc/machine-id", "ffff\n");
  EXPECT_NE(host_machine(2, root()).device_uuid, machine.device_uuid);
  put("etc/machine-id", "0123456789abcdef0123456789abcdef\n");
  put("proc/cpuinfo", "model name : B\n");
  EXPECT_NE(host_machine(2, root()).device_uuid, machine.device_uuid);
}

TEST_F(FakeHost, SaysUnknownWhereNothingIsKnown) {
  const Machine machine = host_machine(1, root());
  EXPECT_EQ(field(machine, "governor"), "unknown");
  EXPECT_EQ(field(machine, "container"), "none seen");
  for (const MachineField& one : machine.fields) EXPECT_NE(one.value, "") << one.name;
}

TEST_F(FakeHost, NoticesAContainer) {
  put(".dockerenv", "");
  EXPECT_EQ(field(host_machine(1, root()), "container"), "docker");
}

TEST_F(FakeHost, AddsUpItsLastLevelCaches) {
  for (int cpu = 0; cpu < 4; ++cpu) {
    put_cache(cpu, 0, 1, "32K", std::to_string(cpu));
    put_cache(cpu, 3, 3, "32768K", cpu < 2 ? "0-1" : "2-3");  // two instances of 32 MiB
  }
  EXPECT_EQ(last_level_cache_bytes(root()), std::size_t{64} << 20);
}

TEST_F(FakeHost, UsesTheDeepestLevelThatThereIs) {
  put_cache(0, 0, 1, "32K", "0");
  put_cache(0, 2, 2, "2M", "0");
  EXPECT_EQ(last_level_cache_bytes(root()), std::size_t{2} << 20);
}

TEST_F(FakeHost, AssumesACacheWhereNoneIsTold) {
  EXPECT_EQ(last_level_cache_bytes(root()), std::size_t{32} << 20);
}

TEST(OnEveryThread, RunsEachShareOnce) {
  std::vector<std::atomic<int>> calls(7);
  on_every_thread(7, [&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
  for (const auto& count : calls) EXPECT_EQ(count, 1);
  EXPECT_GE(usable_threads(), 1);
}

TEST(CpuDevice, DescribesItself) {
  CpuDevice device;
  EXPECT_EQ(device.traits().kind, "cpu");
  EXPECT_EQ(device.traits().multiprocessors, usable_threads());
  EXPECT_THAT(device.fingerprint().machine_class, testing::StartsWith("cpu-"));
  std::set<std::string> names;
  for (const MachineField& one : device.fingerprint().fields)
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
}

TEST(CpuDevice, GivesAlignedMemoryOfAnySize) {
  CpuDevice device;
  for (const std::size_t bytes : {0, 1, 255, 256, 257, 100'000}) {
    const auto buffer = device.allocate(bytes);
    ASSERT_TRUE(buffer);
    EXPECT_EQ((*buffer)->bytes(), bytes);
    EXPECT_NE((*buffer)->data(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>((*buffer)->data()) % 256, 0U);
  }
}

TEST(CpuDevice, ExplainsMemoryThatIsNotThere) {
  CpuDevice device;
  EXPECT_FALSE(device.allocate(std::numeric_limits<std::size_t>::max()));
  EXPECT_FALSE(device.allocate(std::numeric_limits<std::size_t>::max() - 4096));
}

TEST(CpuDevice, CopiesThereAndBackWithinBounds) {
  CpuDevice device;
  auto buffer = *device.allocate(4);
  const std::vector<std::byte> out{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  ASSERT_TRUE(device.upload(*buffer, out));
  std::vector<std::byte> in(4);
  ASSERT_TRUE(device.download(in, *buffer));
  EXPECT_EQ(in, out);
  auto other = *device.allocate(4);
  ASSERT_TRUE(device.copy(*other, *buffer));
  ASSERT_TRUE(device.download(in, *other));
  EXPECT_EQ(in, out);
  EXPECT_FALSE(device.copy(**device.allocate(5), *buffer));
  ASSERT_TRUE(device.fill(*buffer, 0xFF));
  ASSERT_TRUE(device.download(in, *buffer));
  EXPECT_THAT(in, Each(std::byte{0xFF}));
  EXPECT_FALSE(device.upload(*buffer, std::vector<std::byte>(5)));
  std::vector<std::byte> long_one(5);
  EXPECT_FALSE(device.download(long_one, *buffer));
}

TEST(CpuDevice, RunsTheWorkOnceASample) {
  CpuDevice device;
  int calls = 0;
  for (const CacheMode mode : {CacheMode::cold, CacheMode::hot}) {
    const Result<Timing> timing = device.time([&](sdk::Stream) { ++calls; }, {.cache = mode});
    ASSERT_TRUE(timing);
    EXPECT_GE(timing->elapsed, 0);
    EXPECT_FALSE(timing->gate_forced);
  }
  ASSERT_TRUE(device.time_first_call([&](sdk::Stream) { ++calls; }));
  EXPECT_EQ(calls, 3);
}

TEST(CpuDevice, HasAClockThatDoesNotGoBack) {
  CpuDevice device;
  const Seconds before = device.now();
  ASSERT_TRUE(device.preheat(0));
  EXPECT_GE(device.now(), before);
}

TEST(CpuDevice, MeasuresPlausibleCeilings) {
  CpuDevice device;
  const auto ceilings = device.measure_ceilings();
  ASSERT_TRUE(ceilings);
  EXPECT_THAT(*ceilings, testing::SizeIs(2));
  EXPECT_GT(ceilings->at("copy_bytes_per_s"), 1e7);
  EXPECT_LT(ceilings->at("copy_bytes_per_s"), 1e14);
  EXPECT_GT(ceilings->at("gemm_flops_per_s"), 1e7);
  EXPECT_LT(ceilings->at("gemm_flops_per_s"), 1e15);
}

}  // namespace
}  // namespace harness
