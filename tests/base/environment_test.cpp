#include "harness/base/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace harness {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;

TEST(Environment, SteeringIsWhatKernelsLibrariesAndTheLoaderMayRead) {
  const auto steering = {"HARNESS_NCCL_PATH", "CUBLASLT_LOG_LEVEL",   "CUDNN_FRONTEND",       "NCCL_ALGO",
                         "OMP_NUM_THREADS",   "NVIDIA_TF32_OVERRIDE", "CUDA_LAUNCH_BLOCKING", "LD_AUDIT",
                         "GLIBC_TUNABLES"};
  const auto others = {"HARNESS_STORE", "HARNESS_TODAY", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"};
  for (const char* name : steering) setenv(name, "", 1);
  for (const char* name : others) setenv(name, "1", 1);
  const auto found = environment::steering();
  for (const char* name : steering) EXPECT_THAT(found, Contains(Key(name)));
  for (const char* name : others) EXPECT_THAT(found, Not(Contains(Key(name))));
  EXPECT_THAT(found, Not(Contains(Key("PATH"))));
  for (const char* name : steering) unsetenv(name);
  for (const char* name : others) unsetenv(name);
}

}  // namespace
}  // namespace harness
