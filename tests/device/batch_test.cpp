#include <gmock/gmock.h>

#include <stdexcept>
#include <vector>

#include "harness/device/control.h"
#include "harness/device/cpu/cpu_device.h"
#include "harness/device/scripted/scripted_device.h"

namespace harness {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

std::unique_ptr<ScriptedDevice> scripted(const std::string& json) {
  Result<Script> script = parse_script(json, "s.json");
  if (!script) throw std::runtime_error(script.error().text());
  return std::make_unique<ScriptedDevice>(std::move(*script));
}

constexpr TimingOptions hot{.cache = CacheMode::hot, .gated = false};

TEST(Batch, OnACpuMakesItsCallsInOrderEachTime) {
  CpuDevice device;
  std::vector<int> calls;
  const auto batch = device.record(3, [&](sdk::Stream, int call) { calls.push_back(call); });
  ASSERT_TRUE(batch);
  EXPECT_THAT(calls, ElementsAre()) << "recording is not calling";
  const Result<Timing> timing = (*batch)->time(hot);
  ASSERT_TRUE(timing);
  EXPECT_GT(timing->elapsed, 0);
  EXPECT_FALSE(timing->launch);
  ASSERT_TRUE((*batch)->time(hot));
  EXPECT_THAT(calls, ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(Batch, ShowsWhatEachOfItsCallsWrote) {
  CpuDevice cpu;
  const auto script = scripted(R"({"version": 1, "default": {"us": 5}})");
  for (Timer* const timer : {&cpu.timer(), &script->timer()}) {
    unsigned char output = 0, aside = 0;
    const auto batch = timer->record(3, [&](sdk::Stream, int call) { output = call == 0 ? 7 : output; });
    for (const int watched : {0, 1, 2}) {
      ASSERT_TRUE((*batch)->watch(hot, {watched, {{&output, 1, 0x3C}}, {{&aside, &output, 1}}}));
      EXPECT_EQ(aside, watched == 0 ? 7 : 0x3C) << watched;
    }
    ASSERT_TRUE((*batch)->time(hot));
    EXPECT_EQ(output, 7) << "otherwise nothing comes between";
  }
}

TEST(CpuTimer, TellsTheBytesOfTouchedMemoryAtTheEndOfACall) {
  CpuDevice device;
  std::vector<std::byte> memory(3 * 4096 + 5, std::byte{1});
  const std::vector<std::span<const std::byte>> touched{memory};
  TimingOptions how = hot;
  EXPECT_FALSE(device.time([](sdk::Stream) {}, how)->touched);
  how.touched = touched;
  const auto work = [&](sdk::Stream) { memory[4096] = std::byte{9}; };
  const Result<Timing> timing = device.time(work, how);
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->touched, bytes_of_pages(memory));
  memory.back() = std::byte{2};
  EXPECT_NE(timing->touched, bytes_of_pages(memory));
}

TEST(Batch, OnAScriptedDeviceTakesItsOverheadAndItsCalls) {
  const auto device = scripted(
      R"({"version": 1, "default": {"us": 5.5, "batch_us": 3, "batch_overhead_us": 2, "launch_us": 4}})");
  device->enter({"a", 1, 0});
  int calls = 0;
  const auto ten = device->record(10, [&](sdk::Stream, int) { ++calls; });
  EXPECT_DOUBLE_EQ((*ten)->time(hot)->elapsed, 32e-6);
  EXPECT_EQ(calls, 10);
  EXPECT_FALSE((*ten)->time(hot)->launch);
  EXPECT_DOUBLE_EQ(device->time([](sdk::Stream) {}, hot)->elapsed, 5.5e-6);
}

TEST(Batch, OnAScriptedDeviceTakesWhatCallsTakeByDefault) {
  const auto device = scripted(R"({"version": 1, "default": {"us": 100, "hot_us": 60}})");
  device->enter({"a", 1, 0});
  const auto two = device->record(2, [](sdk::Stream, int) {});
  EXPECT_DOUBLE_EQ((*two)->time(hot)->elapsed, 125e-6);
  EXPECT_DOUBLE_EQ((*two)->time({.cache = CacheMode::cold})->elapsed, 205e-6);
}

TEST(Batch, OfADeviceThatIsLostFails) {
  const auto device = scripted(R"({"version": 1, "default": {"error": {"sample": 1, "message": "gone"}}})");
  device->enter({"a", 1, 0});
  const auto batch = device->record(2, [](sdk::Stream, int) {});
  EXPECT_TRUE((*batch)->time(hot));
  EXPECT_FALSE((*batch)->time(hot));
  EXPECT_FALSE(device->record(2, [](sdk::Stream, int) {}));
}

TEST(MeasureControl, TellsACallAloneFromACallInABatch) {
  const auto device =
      scripted(R"({"version": 1, "default": {"us": 2.7, "batch_us": 0.5, "batch_overhead_us": 3}})");
  device->enter({"a", 1, 0});
  const auto control = measure_control(*device, [](sdk::Stream) {});
  ASSERT_TRUE(control);
  EXPECT_THAT(control->call, DoubleNear(2.7, 1e-9));
  ASSERT_TRUE(control->pair);
  EXPECT_THAT(control->batched, DoubleNear(0.5, 1e-9));
}

TEST(MeasureControl, IsAbsentWhereTheDeviceFails) {
  const auto device = scripted(R"({"version": 1, "default": {"error": {"sample": 30}}})");
  device->enter({"a", 1, 0});
  EXPECT_FALSE(measure_control(*device, [](sdk::Stream) {}));
}

TEST(MeasureControl, IsToldByTheCpu) {
  CpuDevice device;
  const auto control = device.control();
  ASSERT_TRUE(control);
  EXPECT_GE(control->batched, 0);
  EXPECT_EQ(device.control(), control) << "measured once";
}

TEST(ScriptedDevice, TellsItsControlAndWhatItsGateMeets) {
  const auto device = scripted(
      R"({"version": 1, "control": {"call": 2.7, "batched": 0.5, "pair": 1.25}, "cache_bytes": 100, "gate_obstacle": "ungated_by_debugger"})");
  EXPECT_EQ(device->control(), (Control{2.7, 0.5, 1.25}));
  EXPECT_EQ(device->cache_bytes(), 100U);
  EXPECT_EQ(device->gate_obstacle(), Note{NoteCode::ungated_by_debugger});
  EXPECT_FALSE(scripted(R"({"version": 1})")->control());
}

}  // namespace
}  // namespace harness
