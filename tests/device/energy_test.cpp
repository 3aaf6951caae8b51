// Readings of a counter of energy, in one thread and in two.
#include "harness/device/energy.h"

#include <gmock/gmock.h>

#include <atomic>
#include <optional>
#include <thread>

namespace harness {
namespace {

using testing::ElementsAre;

TEST(EnergySteps, LieBetweenTheLastOldReadingAndTheFirstNewOne) {
  EnergySteps steps;
  EXPECT_TRUE(steps.add(7, 0, 1));
  EXPECT_TRUE(steps.add(7, 1, 2));
  EXPECT_TRUE(steps.add(9, 2.5, 3));
  EXPECT_TRUE(steps.add(9, 3, 4));
  EXPECT_TRUE(steps.add(12, 4, 4.5));
  const EnergyLog log = steps.take();
  EXPECT_THAT(log.steps, ElementsAre(EnergyStep{9, 1, 3}, EnergyStep{12, 3, 4.5}));
  EXPECT_EQ(log.readings, 5);
  EXPECT_DOUBLE_EQ(log.reading, (1 + 1 + 0.5 + 1 + 0.5) / 5);
  EXPECT_FALSE(log.went_back);
  EXPECT_FALSE(log.fell_silent);
}

TEST(EnergySteps, EndWhereTheCounterGoesBackOrFallsSilent) {
  EnergySteps back;
  EXPECT_TRUE(back.add(7, 0, 1));
  EXPECT_FALSE(back.add(6.9, 1, 2));
  EXPECT_TRUE(back.take().went_back);
  EnergySteps silent;
  EXPECT_TRUE(silent.add(7, 0, 1));
  EXPECT_FALSE(silent.add(std::nullopt, 1, 2));
  EXPECT_TRUE(silent.take().fell_silent);
}

TEST(EnergyReadings, AreNoneWithoutACounter) {
  int asked = 0;
  const auto watch = read_energy_apart(
      [&]() -> std::optional<double> {
        ++asked;
        return std::nullopt;
      },
      [] { return 0.0; }, 0);
  EXPECT_EQ(watch(), std::nullopt);
  EXPECT_EQ(asked, 1);
}

// The counter falls silent by itself, so the thread ends without waiting for a clock.
TEST(EnergyReadings, GoOnInAThreadUntilTheyAreAskedFor) {
  std::atomic<int> readings = 0;
  std::atomic<bool> silent = false;
  double time = 0;
  auto watch = read_energy_apart(
      [&]() -> std::optional<double> {
        if (readings == 40) {
          silent = true;
          return std::nullopt;
        }
        return readings++ / 10;  // a step every ten readings
      },
      [&] { return time += 1; }, 0);
  while (!silent) std::this_thread::yield();
  const std::optional<EnergyLog> log = watch();
  ASSERT_TRUE(log);
  EXPECT_TRUE(log->fell_silent);
  EXPECT_EQ(log->readings, 40);
  EXPECT_EQ(log->reading, 1);
  EXPECT_THAT(log->steps, ElementsAre(EnergyStep{1, 19, 22}, EnergyStep{2, 39, 42}, EnergyStep{3, 59, 62}));
}

TEST(EnergyReadings, EndWithTheLastWhoCouldAskForThem) {
  std::atomic<int> readings = 0;
  {
    const auto watch =
        read_energy_apart([&]() -> std::optional<double> { return ++readings; }, [] { return 0.0; }, 0);
    while (readings < 3) std::this_thread::yield();
  }
  const int at_the_end = readings;
  EXPECT_GE(at_the_end, 3);
  EXPECT_EQ(readings, at_the_end) << "the thread was joined";
}

}  // namespace
}  // namespace harness
