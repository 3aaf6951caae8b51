#include "harness/device/host/attached_tools.h"

#include <gmock/gmock.h>

#include <map>
#include <string>

namespace harness {
namespace {

using testing::HasSubstr;

std::string obstacle(const std::map<std::string, std::string>& variables, const std::string& status = {}) {
  return gate_obstacle_in(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      status);
}

TEST(GateObstacle, IsNoneInAnOrdinaryProcess) {
  EXPECT_EQ(obstacle({}), "");
  EXPECT_EQ(obstacle({{"PATH", "/usr/bin"}}, "Name:\tharness\nTracerPid:\t0\nUid:\t1000\n"), "");
}

TEST(GateObstacle, IsEachToolThatLetsOneKernelRunAtATime) {
  EXPECT_THAT(obstacle({{"NV_COMPUTE_PROFILER_PERFWORKS_DIR", "/opt"}}), HasSubstr("Nsight Compute"));
  EXPECT_THAT(obstacle({{"NV_NSIGHT_INJECTION_PORT_BASE", "49152"}}), HasSubstr("Nsight Compute"));
  EXPECT_THAT(obstacle({{"NV_SANITIZER_INJECTION_PORT_BASE", "1"}}), HasSubstr("compute-sanitizer"));
  EXPECT_THAT(obstacle({{"NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN", "1"}}), HasSubstr("compute-sanitizer"));
}

TEST(GateObstacle, NamesTheVariableThatToldIt) {
  EXPECT_THAT(obstacle({{"NV_COMPUTE_PROFILER_PERFWORKS_DIR", "/opt"}}),
              HasSubstr("NV_COMPUTE_PROFILER_PERFWORKS_DIR is set"));
}

TEST(GateObstacle, IsAnInjectedLibraryOnlyByItsFilesName) {
  EXPECT_THAT(obstacle({{"CUDA_INJECTION64_PATH", "/a/libsanitizer-collection.so"}}),
              HasSubstr("compute-sanitizer"));
  EXPECT_THAT(obstacle({{"NVTX_INJECTION64_PATH", "libncu-injection.so"}}), HasSubstr("Nsight Compute"));
  EXPECT_EQ(obstacle({{"CUDA_INJECTION64_PATH", "/sanitizer/ncu/libtracer.so"}}), "");
}

TEST(GateObstacle, IsALaunchThatBlocks) {
  EXPECT_THAT(obstacle({{"CUDA_LAUNCH_BLOCKING", "1"}}), HasSubstr("CUDA_LAUNCH_BLOCKING"));
  EXPECT_EQ(obstacle({{"CUDA_LAUNCH_BLOCKING", "0"}}), "");
  EXPECT_EQ(obstacle({{"CUDA_LAUNCH_BLOCKING", ""}}), "");
}

TEST(GateObstacle, IsADebugger) {
  EXPECT_THAT(obstacle({}, "Name:\tharness\nTracerPid:\t4711\nUid:\t1000\n"), HasSubstr("debugger"));
  EXPECT_THAT(obstacle({}, "TracerPid:\t20"), HasSubstr("debugger"));
}

TEST(GateObstacle, IsNotTheTracerThatATimelineUses) {
  EXPECT_EQ(obstacle({{"NSYS_PROFILING_SESSION_ID", "7"}}), "");
}

}  // namespace
}  // namespace harness
