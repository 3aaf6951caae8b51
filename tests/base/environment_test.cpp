#include "harness/base/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace harness {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;
using testing::Pair;

TEST(Environment, SteeringIsWhatKernelsAndTheirLibrariesMayRead) {
  for (const char* name : {"HARNESS_NCCL_PATH", "CUBLASLT_LOG_LEVEL", "CUDNN_FRONTEND", "NCCL_ALGO",
                           "OMP_NUM_THREADS", "NVIDIA_TF32_OVERRIDE", "CUDA_LAUNCH_BLOCKING"})
    setenv(name, "1", 1);
  for (const char* name :
       {"HARNESS_STORE", "HARNESS_TODAY", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"})
    setenv(name, "1", 1);
  const auto found = environment::steering();
  EXPECT_THAT(found, Contains(Pair("HARNESS_NCCL_PATH", "1")));
  for (const char* name : {"CUBLASLT_LOG_LEVEL", "CUDNN_FRONTEND", "NCCL_ALGO", "OMP_NUM_THREADS",
                           "NVIDIA_TF32_OVERRIDE", "CUDA_LAUNCH_BLOCKING"})
    EXPECT_THAT(found, Contains(Key(name)));
  for (const char* name :
       {"HARNESS_STORE", "HARNESS_TODAY", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "PATH"})
    EXPECT_THAT(found, Not(Contains(Key(name))));
}

TEST(Environment, SettingsAreThisProgramsOwn) {
  setenv("HARNESS_STORE", "x.db", 1);
  setenv("NCCL_ALGO", "ring", 1);
  const auto found = environment::settings();
  EXPECT_THAT(found, Contains(Pair("HARNESS_STORE", "x.db")));
  EXPECT_THAT(found, Not(Contains(Key("NCCL_ALGO"))));
}

}  // namespace
}  // namespace harness
