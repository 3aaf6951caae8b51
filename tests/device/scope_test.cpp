#include "harness/device/scope.h"

#include <gtest/gtest.h>

#include <utility>

namespace harness {
namespace {

TEST(Scope, EndsOnceWhoeverHoldsItLast) {
  int ended = 0;
  {
    Scope first([&] { ++ended; });
    Scope second = std::move(first);
    EXPECT_EQ(ended, 0);
    second.end();
    EXPECT_EQ(ended, 1);
  }
  EXPECT_EQ(ended, 1);
}

TEST(Scope, EndsBeforeItHoldsAnother) {
  int ended_first = 0, ended_second = 0;
  {
    Scope held([&] { ++ended_first; });
    held = Scope([&] { ++ended_second; });
    EXPECT_EQ(ended_first, 1);
    EXPECT_EQ(ended_second, 0);
  }
  EXPECT_EQ(ended_second, 1);
}

}  // namespace
}  // namespace harness
