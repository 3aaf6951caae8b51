// What NVML tells of the real GPU, against what CUDA says. Reads only: no test here changes a clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/device/host/gpu_state.h"
#include "harness/device/host/host_state.h"
#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

class GpuStateOnAGpu : public GpuTest {};

TEST_F(GpuStateOnAGpu, KnowsTheGpuThatCudaOpened) {
  const GpuHost host = read_gpus();
  if (!host.started) GTEST_SKIP() << "no NVML here";
  const std::string uuid = sensors().fingerprint().device_uuid;
  const auto found =
      std::find_if(host.gpus.begin(), host.gpus.end(), [&](const GpuState& gpu) { return gpu.uuid == uuid; });
  ASSERT_NE(found, host.gpus.end()) << uuid;
  EXPECT_EQ(found->name, device().traits().name);
  EXPECT_NE(host.driver, "");
  EXPECT_NE(host.cuda_driver, "");
  EXPECT_GT(found->max_sm_clock_mhz.value_or(0), 100);
  EXPECT_GE(found->max_sm_clock_mhz.value_or(0), found->sm_clock_mhz.value_or(0));
  EXPECT_GT(found->power_limit_w.value_or(0), 10);
  EXPECT_GT(found->temperature_c.value_or(0), 5);
  EXPECT_LT(found->temperature_c.value_or(0), found->slowdown_temperature_c.value_or(150));
  EXPECT_LE(found->compute_mode.value_or(0), 3U);
  EXPECT_THAT(found->pci_bus, testing::MatchesRegex("[0-9A-F]+:[0-9A-F]+:[0-9A-F]+\\.[0-9A-F]"));
}

TEST_F(GpuStateOnAGpu, IsOneOfThoseThatDeviceNamesMean) {
  const GpuHost host = read_gpus();
  if (!host.started) GTEST_SKIP() << "no NVML here";
  const auto first = gpu_named(host, "cuda:0");
  ASSERT_TRUE(first.has_value()) << first.error().text();
  EXPECT_FALSE(gpu_named(host, "cuda:999").has_value());
}

TEST_F(GpuStateOnAGpu, HasAKernelModuleBehindIt) {
  const DriverParameters driver = read_driver_parameters();
  if (!driver.loaded) GTEST_SKIP() << "/proc/driver/nvidia is not visible here";
  EXPECT_EQ(driver.version, read_gpus().driver);
}

}  // namespace
}  // namespace harness::gpu
