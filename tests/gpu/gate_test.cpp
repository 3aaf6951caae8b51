// What the launch gate is for, on a real GPU. These tests compare timings that differ by a factor of
// two or more; nothing finer is asked of a machine here.
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "harness/device/open.h"
#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

constexpr TimingOptions hot_gated{.cache = CacheMode::hot, .gated = true};
constexpr TimingOptions hot_ungated{.cache = CacheMode::hot, .gated = false};

class Gate : public GpuTest {};

std::string gate_of(Device& device) {
  for (const MachineField& field : device.fingerprint().fields)
    if (field.name == "gate") return field.value;
  return "";
}

TEST_F(Gate, KeepsLaunchLatencyOutOfAnEmptyKernel) {
  Bound empty(device(), catalog(), "probe", "empty", probe_params(1));
  EXPECT_LT(empty.median(hot_gated), 0.8 * empty.median(hot_ungated));
}

TEST_F(Gate, KeepsTheLatencyOfTwentyLaunchesOut) {
  Bound twenty(device(), catalog(), "probe", "twenty", probe_params(1));
  const double gated = twenty.median(hot_gated);
  const double ungated = twenty.median(hot_ungated);
  EXPECT_LT(gated, 0.7 * ungated);
  // A cold flush before the first event hides one launch, not twenty.
  EXPECT_LT(gated, twenty.median({.cache = CacheMode::cold, .gated = false}));
}

TEST_F(Gate, IsNeverTheWatchdogsInOrdinaryWork) {
  Bound copy(device(), catalog(), "probe", "copy", probe_params(1 << 20));
  EXPECT_GT(copy.median({.cache = CacheMode::cold, .gated = true}, 200), 0);
}

TEST_F(Gate, IsOpenedByTheWatchdogWhenTheWorkWaitsForTheDevice) {
  Bound waits(device(), catalog(), "probe", "waits", probe_params(1024));
  ASSERT_TRUE(device().time_first_call([&] { waits.call(); }));
  const auto timing =
      device().time([&] { waits.call(); }, {.cache = CacheMode::hot, .gated = true, .gate_deadline = 0.05});
  ASSERT_TRUE(timing) << timing.error().text();
  EXPECT_TRUE(timing->gate_forced);
  EXPECT_EQ(waits.error(), 0) << "the work itself must have been done";

  Bound empty(device(), catalog(), "probe", "empty", probe_params(1));
  EXPECT_GT(empty.median(hot_gated), 0) << "the next samples are timed as if nothing had happened";
}

TEST_F(Gate, IsNotNeededByWorkThatSaysItWaits) {
  Bound waits(device(), catalog(), "probe", "waits", probe_params(1024));
  ASSERT_TRUE(device().time_first_call([&] { waits.call(); }));
  const auto timing = device().time([&] { waits.call(); }, hot_ungated);
  ASSERT_TRUE(timing) << timing.error().text();
  EXPECT_FALSE(timing->gate_forced);
}

TEST_F(Gate, IsOpenAfterTheWorkThrew) {
  Bound throws(device(), catalog(), "probe", "throws", probe_params(1));
  EXPECT_THROW((void)device().time([&] { throws.call(); }, hot_gated), std::runtime_error);
  EXPECT_TRUE(device().synchronize());
  Bound empty(device(), catalog(), "probe", "empty", probe_params(1));
  EXPECT_GT(empty.median(hot_gated), 0);
}

TEST_F(Gate, ReadsTheSameWithASpinningThread) {
  setenv("HARNESS_CUDA_GATE", "spin", 1);
  auto spinning = open_device("cuda");
  unsetenv("HARNESS_CUDA_GATE");
  ASSERT_TRUE(spinning) << spinning.error().text();
  EXPECT_EQ(gate_of(*spinning->device), "spinning thread");
  constexpr std::int64_t elements = 16 << 20;
  Bound by_wait(device(), catalog(), "probe", "copy", probe_params(elements));
  Bound by_spinning(*spinning->device, catalog(), "probe", "copy", probe_params(elements));
  const double wait = by_wait.median(hot_gated);
  const double spin = by_spinning.median(hot_gated);
  EXPECT_NEAR(spin / wait, 1.0, 0.1);

  Bound stuck(*spinning->device, catalog(), "probe", "waits", probe_params(1024));
  ASSERT_TRUE(spinning->device->time_first_call([&] { stuck.call(); }));
  const auto timing = spinning->device->time([&] { stuck.call(); },
                                             {.cache = CacheMode::hot, .gated = true, .gate_deadline = 0.05});
  ASSERT_TRUE(timing) << timing.error().text();
  EXPECT_TRUE(timing->gate_forced);
}

}  // namespace
}  // namespace harness::gpu
