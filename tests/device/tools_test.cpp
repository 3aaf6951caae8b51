#include "harness/device/host/attached_tools.h"

#include <gmock/gmock.h>

#include <map>
#include <string>

namespace harness {
namespace {

Note tool(const char* name, const char* variable) {
  return {NoteCode::ungated_by_tool, {{"tool", name}, {"variable", variable}}};
}

std::optional<Note> obstacle(const std::map<std::string, std::string>& variables,
                             const std::string& status = {}) {
  return gate_obstacle_in(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      status);
}

TEST(GateObstacle, IsNoneInAnOrdinaryProcess) {
  EXPECT_EQ(obstacle({}), std::nullopt);
  EXPECT_EQ(obstacle({{"PATH", "/usr/bin"}}, "Name:\tharness\nTracerPid:\t0\nUid:\t1000\n"), std::nullopt);
}

TEST(GateObstacle, IsEachToolThatLetsOneKernelRunAtATimeAndTheVariableThatToldIt) {
  const std::map<const char*, const char*> tools{
      {"NV_COMPUTE_PROFILER_PERFWORKS_DIR", "Nsight Compute"},
      {"NV_NSIGHT_INJECTION_PORT_BASE", "Nsight Compute"},
      {"NV_SANITIZER_INJECTION_PORT_BASE", "compute-sanitizer"},
      {"NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN", "compute-sanitizer"}};
  for (const auto& [variable, name] : tools) EXPECT_EQ(obstacle({{variable, "1"}}), tool(name, variable));
}

TEST(GateObstacle, IsAnInjectedLibraryOnlyByItsFilesName) {
  EXPECT_EQ(obstacle({{"CUDA_INJECTION64_PATH", "/a/libsanitizer-collection.so"}}),
            tool("compute-sanitizer", "CUDA_INJECTION64_PATH"));
  EXPECT_EQ(obstacle({{"NVTX_INJECTION64_PATH", "libncu-injection.so"}}),
            tool("Nsight Compute", "NVTX_INJECTION64_PATH"));
  EXPECT_EQ(obstacle({{"CUDA_INJECTION64_PATH", "/sanitizer/ncu/libtracer.so"}}), std::nullopt);
}

TEST(GateObstacle, IsALaunchThatBlocks) {
  EXPECT_EQ(obstacle({{"CUDA_LAUNCH_BLOCKING", "1"}}), Note{NoteCode::ungated_by_blocking});
  EXPECT_EQ(obstacle({{"CUDA_LAUNCH_BLOCKING", "0"}}), std::nullopt);
  EXPECT_EQ(obstacle({{"CUDA_LAUNCH_BLOCKING", ""}}), std::nullopt);
}

TEST(GateObstacle, IsADebugger) {
  EXPECT_EQ(obstacle({}, "Name:\tharness\nTracerPid:\t4711\nUid:\t1000\n"),
            Note{NoteCode::ungated_by_debugger});
  EXPECT_EQ(obstacle({}, "TracerPid:\t20"), Note{NoteCode::ungated_by_debugger});
}

TEST(GateObstacle, IsNotTheTracerThatATimelineUses) {
  EXPECT_EQ(obstacle({{"NSYS_PROFILING_SESSION_ID", "7"}}), std::nullopt);
}

}  // namespace
}  // namespace harness
