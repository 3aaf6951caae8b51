// The memory of a device: the ledger of the scripted device, and peaks from a driver's figures.
#include <gtest/gtest.h>

#include "harness/device/memory_ledger.h"
#include "harness/device/peak_memory.h"
#include "harness/device/scripted/scripted_device.h"

namespace harness {
namespace {

using Kind = AllocationEvent::Kind;

std::unique_ptr<ScriptedDevice> device_of(const std::string& json) {
  return std::make_unique<ScriptedDevice>(parse_script(json, "script.json").value());
}

TEST(MemoryLedger, LogsWhatIsTakenFreedAndRefused) {
  const auto device = device_of(R"({"version": 1, "memory_bytes": 1000})");
  auto one = device->allocate(600);
  ASSERT_TRUE(one);
  const auto refused = device->allocate(401);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::environment);
  auto other = device->allocate(400);
  ASSERT_TRUE(other);
  one->reset();
  EXPECT_TRUE(device->allocate(600));
  const std::vector<AllocationEvent> expected{{Kind::taken, 1, 600}, {Kind::refused, 0, 401},
                                              {Kind::taken, 2, 400}, {Kind::freed, 1, 600},
                                              {Kind::taken, 3, 600}, {Kind::freed, 3, 600}};
  EXPECT_EQ(device->allocations(), expected);
}

TEST(MemoryLedger, RemembersThePeakSinceItsMark) {
  const auto device = device_of(R"({"version": 1})");
  const auto before = device->allocate(5000);
  Since<std::size_t> peak = device->watch_peak();
  EXPECT_EQ(peak(), 0U);
  { const auto passing = device->allocate(300); }
  const auto staying = device->allocate(100);
  EXPECT_EQ(peak(), 300U);
  peak = device->watch_peak();
  EXPECT_EQ(peak(), 0U);
}

TEST(MemoryLedger, BuffersOutliveTheirDevice) {
  auto device = device_of(R"({"version": 1})");
  const auto buffer = device->allocate(100);
  device.reset();
  ASSERT_TRUE(buffer);
  EXPECT_EQ((*buffer)->bytes(), 100U);
}

TEST(PeakMemory, IsWhatIsInUseMoreAndWhatThePoolGaveBack) {
  EXPECT_EQ(peak_between({1000, 0, 0}, {1600, 0, 0}), 600U);
  EXPECT_EQ(peak_between({1000, 200, 200}, {1600, 300, 900}), 1200U);
  EXPECT_EQ(peak_between({1000, 200, 200}, {1000, 200, 200}), 0U);
}

TEST(PeakMemory, IsNeverBelowNought) {
  EXPECT_EQ(peak_between({1000, 0, 0}, {400, 0, 0}), 0U) << "others gave back more than the case took";
  EXPECT_EQ(peak_between({1000, 0, 0}, {1500, 300, 0}), 500U) << "a mark that was reset late";
}

TEST(ScriptedClock, ReplaysReadingsOfWhichTheLastStays) {
  const auto device = device_of(R"({"version": 1, "clock_ghz": [1.2, 1.5]})");
  EXPECT_EQ(device->clock_ghz(), 1.2);
  EXPECT_EQ(device->clock_ghz(), 1.5);
  EXPECT_EQ(device->clock_ghz(), 1.5);
  EXPECT_EQ(device_of(R"({"version": 1})")->clock_ghz(), 0);
  EXPECT_FALSE(parse_script(R"({"version": 1, "clock_ghz": [1, "fast"]})", "s"));
  EXPECT_FALSE(parse_script(R"({"version": 1, "memory_bytes": -1})", "s"));
}

}  // namespace
}  // namespace harness
