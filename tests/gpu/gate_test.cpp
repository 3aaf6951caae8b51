// The purpose of the launch gate, on a real GPU. These tests compare timings that differ by a factor of two
// or more; nothing finer is asked of a machine here.
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
  for (const MachineField& field : device.sensors().fingerprint().fields)
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
  ASSERT_TRUE(timer().time_first_call(waits.work()));
  const auto timing =
      timer().time(waits.work(), {.cache = CacheMode::hot, .gated = true, .gate_deadline = 0.05});
  ASSERT_TRUE(timing) << timing.error().text();
  EXPECT_TRUE(timing->gate_forced);
  EXPECT_EQ(waits.error(), 0) << "the work itself must have been done";

  Bound empty(device(), catalog(), "probe", "empty", probe_params(1));
  EXPECT_GT(empty.median(hot_gated), 0) << "the next samples are timed as if nothing had happened";
}

TEST_F(Gate, IsNotNeededByWorkThatSaysItWaits) {
  Bound waits(device(), catalog(), "probe", "waits", probe_params(1024));
  ASSERT_TRUE(timer().time_first_call(waits.work()));
  const auto timing = timer().time(waits.work(), hot_ungated);
  ASSERT_TRUE(timing) << timing.error().text();
  EXPECT_FALSE(timing->gate_forced);
}

TEST_F(Gate, IsOpenAfterTheWorkThrew) {
  Bound throws(device(), catalog(), "probe", "throws", probe_params(1));
  EXPECT_THROW((void)timer().time(throws.work(), hot_gated), std::runtime_error);
  EXPECT_TRUE(timer().synchronize());
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
  ASSERT_TRUE(spinning->device->timer().time_first_call(stuck.work()));
  const auto timing = spinning->device->timer().time(
      stuck.work(), {.cache = CacheMode::hot, .gated = true, .gate_deadline = 0.05});
  ASSERT_TRUE(timing) << timing.error().text();
  EXPECT_TRUE(timing->gate_forced);
}

// Calls that may block the host behind a closed gate: by each kind of gate it must come to an end, with the
// right result and with the next samples as good as ever.
struct Blocking {
  const char* gate;
  const char* variant;
};

class EachGate : public GpuTest, public testing::WithParamInterface<Blocking> {};

TEST_P(EachGate, OutlivesWhatBlocksBehindIt) {
  if (std::string(GetParam().gate) == "spin") setenv("HARNESS_CUDA_GATE", "spin", 1);
  auto opened = open_device("cuda");
  unsetenv("HARNESS_CUDA_GATE");
  ASSERT_TRUE(opened) << opened.error().text();
  Device& own = *opened->device;
  Bound work(own, catalog(), "probe", GetParam().variant, probe_params(1024));
  const Seconds begin = own.timer().now();
  const auto timing =
      own.timer().time(work.work(), {.cache = CacheMode::hot, .gated = true, .gate_deadline = 0.1});
  ASSERT_TRUE(timing) << timing.error().text();
  EXPECT_LT(own.timer().now() - begin, 10);
  RecordProperty("gate_forced", timing->gate_forced ? "yes" : "no");
  RecordProperty("elapsed_us", std::to_string(timing->elapsed * 1e6));
  EXPECT_EQ(work.error(), 0) << "the work itself must have been done";
  Bound empty(own, catalog(), "probe", "empty", probe_params(1));
  EXPECT_GT(empty.median(hot_gated), 0) << "the next samples are timed as if nothing had happened";
}

INSTANTIATE_TEST_SUITE_P(Gate, EachGate,
                         testing::Values(Blocking{"wait", "waits"}, Blocking{"spin", "waits"},
                                         Blocking{"wait", "allocates"}, Blocking{"spin", "allocates"},
                                         Blocking{"wait", "lazy"}, Blocking{"spin", "lazy_too"},
                                         Blocking{"wait", "ten_thousand"}, Blocking{"spin", "ten_thousand"}),
                         [](const auto& one) {
                           return std::string(one.param.variant) + "_by_" + one.param.gate;
                         });

TEST_F(Gate, IsLeftOutUnderAToolThatLetsOneKernelRunAtATime) {
  setenv("NV_COMPUTE_PROFILER_PERFWORKS_DIR", "/nowhere", 1);
  auto opened = open_device("cuda");
  unsetenv("NV_COMPUTE_PROFILER_PERFWORKS_DIR");
  ASSERT_TRUE(opened) << opened.error().text();
  const std::optional<Note> obstacle = opened->device->timer().gate_obstacle();
  ASSERT_TRUE(obstacle);
  EXPECT_EQ(obstacle->text("tool"), "Nsight Compute");
  EXPECT_EQ(gate_of(*opened->device).rfind("none: ", 0), 0U);
  Bound waits(*opened->device, catalog(), "probe", "waits", probe_params(1024));
  const auto timing = opened->device->timer().time(waits.work(), hot_gated);
  ASSERT_TRUE(timing) << timing.error().text();
  EXPECT_FALSE(timing->gate_forced) << "there was no gate to open";
}

}  // namespace
}  // namespace harness::gpu
