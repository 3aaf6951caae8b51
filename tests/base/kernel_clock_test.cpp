#include "harness/base/kernel_clock.h"

#include <gtest/gtest.h>

#include <chrono>

namespace harness {
namespace {

Seconds of_the_library() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TEST(KernelClock, IsTheClockThatTheLibraryReads) {
  const Seconds before = of_the_library();
  const Seconds now = kernel_clock();
  const Seconds after = of_the_library();
  EXPECT_LE(before, now);
  EXPECT_LE(now, after);
}

}  // namespace
}  // namespace harness
