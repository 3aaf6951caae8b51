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

TEST(HostMemory, FindsTheFirstByteThatDiffers) {
  const auto device = device_of(R"({"version": 1})");
  const auto buffer = device->allocate(8);
  std::vector<std::byte> bytes(8, std::byte{3});
  ASSERT_TRUE(device->upload(**buffer, bytes));
  EXPECT_EQ(device->first_difference(**buffer, bytes).value(), std::nullopt);
  bytes[5] = bytes[6] = std::byte{4};
  EXPECT_EQ(device->first_difference(**buffer, bytes).value(), 5U);
  EXPECT_EQ(device->first_difference(**buffer, std::span(bytes).first(5)).value(), std::nullopt);
  bytes.resize(9);
  EXPECT_FALSE(device->first_difference(**buffer, bytes));
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
  const auto device = device_of(R"({"version": 1, "default": {"takes_bytes": 7}})");
  const auto before = device->allocate(5000);
  Since<std::size_t> peak = device->watch_peak();
  EXPECT_EQ(peak(), 0U);
  { const auto passing = device->allocate(300); }
  const auto staying = device->allocate(100);
  EXPECT_EQ(peak(), 300U);
  device->queue([](sdk::Stream) {});
  EXPECT_EQ(peak(), 300U + 7U) << "and the work's own";
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

constexpr std::size_t step = outside_step;

TEST(PeakMemory, IsMoreOutsideThePoolAndThePoolsPeak) {
  EXPECT_EQ(peak_between({step}, {3 * step}), 2 * step);
  EXPECT_EQ(peak_between({step, 200, 100, 100}, {step, 200, 100, 100}), 0U);
  EXPECT_EQ(peak_between({step, 200, 100, 100}, {step, 200, 100, 150}), 50U) << "taken and given back";
  EXPECT_EQ(peak_between({step, 200, 100, 100}, {2 * step, 300, 100, 900}), step + 800U);
}

TEST(PeakMemory, DoesNotDependOnHowManyBlocksAreShared) {
  constexpr std::size_t block = std::size_t{2} << 20U;
  for (const std::size_t blocks : {0U, 1U, 2U}) {
    EXPECT_EQ(peak_between({step}, {step + blocks * block}), 0U);
    EXPECT_EQ(peak_between({step}, {3 * step + blocks * block}), 2 * step);
  }
}

TEST(PeakMemory, DoesNotCountWhatThePoolReservesAhead) {
  EXPECT_EQ(peak_between({1000, 0, 0, 0}, {1000 + 2 * step, 2 * step, 10, 10}), 10U);
  EXPECT_EQ(peak_between({2 * step + 952, 2 * step, 0, 0}, {952, 0, 0, 10}), 10U)
      << "the pool gave its block back";
}

TEST(PeakMemory, IsNeverBelowNought) {
  EXPECT_EQ(peak_between({3 * step}, {step}), 0U) << "others gave back more than the case took";
  EXPECT_EQ(peak_between({step, 300, 200, 200}, {2 * step, 300, 200, 0}), step)
      << "a mark that was reset late";
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
