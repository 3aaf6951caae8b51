#include "harness/device/cuda/watchdog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>

namespace harness::cuda {
namespace {

// Far beyond any delay of a loaded machine; only a broken watchdog waits as long.
constexpr std::chrono::seconds forever{30};

TEST(Watchdog, CallsAtTheDeadlineAndSaysSo) {
  std::promise<void> called;
  Watchdog watchdog([&] { called.set_value(); });
  watchdog.arm(0.001);
  ASSERT_EQ(called.get_future().wait_for(forever), std::future_status::ready);
  EXPECT_TRUE(watchdog.disarm());
  EXPECT_FALSE(watchdog.disarm()) << "one deadline was reported twice";
}

TEST(Watchdog, StaysSilentWhenCalledOffInTime) {
  std::atomic<int> calls = 0;
  {
    Watchdog watchdog([&] { ++calls; });
    watchdog.arm(3600);
    EXPECT_FALSE(watchdog.disarm());
  }
  EXPECT_EQ(calls, 0);
}

TEST(Watchdog, WakesForADeadlineSoonerThanTheOneItSleepsFor) {
  std::promise<void> called;
  Watchdog watchdog([&] { called.set_value(); });
  watchdog.arm(3600);
  watchdog.arm(0.001);
  EXPECT_EQ(called.get_future().wait_for(forever), std::future_status::ready);
}

TEST(Watchdog, ServesEveryArmingOfItsLife) {
  std::promise<void> first;
  std::promise<void> second;
  std::atomic<int> calls = 0;
  Watchdog watchdog([&] { ++calls == 1 ? first.set_value() : second.set_value(); });
  watchdog.arm(0.001);
  ASSERT_EQ(first.get_future().wait_for(forever), std::future_status::ready);
  EXPECT_TRUE(watchdog.disarm());
  watchdog.arm(0.001);
  ASSERT_EQ(second.get_future().wait_for(forever), std::future_status::ready);
  EXPECT_TRUE(watchdog.disarm());
}

TEST(Watchdog, IsDueAtOnceForADeadlineOfZeroOrLess) {
  std::promise<void> called;
  Watchdog watchdog([&] { called.set_value(); });
  watchdog.arm(-1);
  EXPECT_EQ(called.get_future().wait_for(forever), std::future_status::ready);
}

TEST(Watchdog, CountsExactlyTheCallsItMadeWhenRacedAgainst) {
  std::atomic<int> calls = 0;
  int reported = 0;
  {
    Watchdog watchdog([&] { ++calls; });
    for (int i = 0; i < 2000; ++i) {
      watchdog.arm(i % 3 == 0 ? 0.0 : 20e-6);
      const bool fired = watchdog.disarm();
      const int so_far = calls;
      reported += fired ? 1 : 0;
      ASSERT_EQ(so_far, reported) << "a call after it was called off, in round " << i;
    }
  }
  EXPECT_EQ(calls, reported);
}

TEST(Watchdog, EndsWhileArmed) {
  Watchdog watchdog([] {});
  watchdog.arm(3600);
}

}  // namespace
}  // namespace harness::cuda
