#include "harness/device/cuda/timing/watchdog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

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
  for (int round = 0; round < 50; ++round) {
    std::promise<void> called;
    Watchdog watchdog([&] { called.set_value(); });
    watchdog.arm(3600);
    for (int i = 0; i < 500; ++i) std::this_thread::yield();  // time for it to fall asleep
    watchdog.arm(0.0001);
    ASSERT_EQ(called.get_future().wait_for(forever), std::future_status::ready) << "in round " << round;
  }
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

// The call-off comes at a moment that wanders across the deadline, so both orders occur. In both, the answer
// must agree with the calls, and nothing may be called afterwards.
TEST(Watchdog, CountsExactlyTheCallsItMadeWhenRacedAgainst) {
  std::atomic<int> calls = 0;
  int reported = 0;
  {
    Watchdog watchdog([&] {
      for (int i = 0; i < 20; ++i) std::this_thread::yield();  // called off meanwhile? then it must wait
      ++calls;
    });
    int round = 0;
    for (; round < 5000 || reported == 0; ++round) {
      watchdog.arm(round % 3 == 0 ? 0.0 : 20e-6);
      for (int i = 0; i < round % 64; ++i) std::this_thread::yield();
      reported += watchdog.disarm() ? 1 : 0;
      ASSERT_EQ(calls, reported) << "in round " << round;
    }
    EXPECT_LT(reported, round) << "no call-off was ever in time";
  }
  EXPECT_EQ(calls, reported);
}

TEST(Watchdog, EndsWhileArmed) {
  Watchdog watchdog([] {});
  watchdog.arm(3600);
}

}  // namespace
}  // namespace harness::cuda
