#include "harness/base/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/base/stack_padding.h"

namespace harness {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;

TEST(Environment, OfWorkersIsEverythingButSessionsPlacesDaysAndSecrets) {
  const auto seen = {"HARNESS_NCCL_PATH", "LD_LIBRARY_PATH", "OMP_NUM_THREADS", "MY_TILE", "PATH"};
  const auto others = {"HARNESS_STORE", "HARNESS_TODAY", "CUDA_VISIBLE_DEVICES", "HOSTNAME",
                       "SSH_TTY",       "RUN_TOKEN",     stack_padding_variable};
  for (const char* name : seen)
    if (environment::find(name) == nullptr) setenv(name, "", 1);
  for (const char* name : others) setenv(name, "1", 1);
  const auto found = environment::seen_by_workers();
  for (const char* name : seen) EXPECT_THAT(found, Contains(Key(name)));
  for (const char* name : others) EXPECT_THAT(found, Not(Contains(Key(name))));
  for (const char* name : others) unsetenv(name);
}

}  // namespace
}  // namespace harness
