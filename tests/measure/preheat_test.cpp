// Preheating by a script of clock readings: nothing is waited for.
#include "harness/measure/preheat.h"

#include <gmock/gmock.h>

#include <numeric>

#include "tests/measure/cases.h"

namespace harness {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Preheated heat(ScriptedDevice& device, const PreheatLimits& limits) {
  const Result<Preheated> done = preheat(device, limits);
  EXPECT_TRUE(done);
  return done.value_or(Preheated{});
}

std::string clock_script(const std::string& readings) {
  return R"({"version": 1, "clock_ghz": )" + readings + "}";
}

TEST(Preheat, EndsAfterItsLeastTimeWhenTheClockIsSteadyByThen) {
  const auto device = scripted(clock_script("[1.98, 1.98, 1.98]"));
  const Preheated done = heat(*device, {0.3, 1.0, 0.005});
  EXPECT_NEAR(done.duration, 0.3, 1e-9);
  EXPECT_TRUE(done.steady);
  EXPECT_EQ(done.clock_ghz, 1.98);
  EXPECT_NEAR(device->now(), 0.3, 1e-9);
  EXPECT_THAT(device->preheats(), SizeIs(3));
}

TEST(Preheat, GoesOnUntilThreeReadingsAgree) {
  // Steady from the fifth reading on: three of them, so that seven steps are read, four after the least time.
  const auto device = scripted(clock_script("[1.2, 1.4, 1.6, 1.8, 1.975, 1.98, 1.979, 1.2]"));
  const Preheated done = heat(*device, {0.3, 1.0, 0.005});
  EXPECT_NEAR(done.duration, 0.3 + 4 * 0.02, 1e-9);
  EXPECT_TRUE(done.steady);
  EXPECT_EQ(done.clock_ghz, 1.979);
}

TEST(Preheat, JudgesByItsTolerance) {
  const std::string readings = clock_script("[1.90, 1.95, 1.98, 1.98, 1.98]");
  EXPECT_NEAR(heat(*scripted(readings), {0.3, 1.0, 0.05}).duration, 0.3, 1e-9);
  EXPECT_NEAR(heat(*scripted(readings), {0.3, 1.0, 0.005}).duration, 0.34, 1e-9);
}

TEST(Preheat, EndsAtItsMostWhenTheClockNeverSettlesAndSaysSo) {
  std::string readings = "[";
  for (int i = 0; i < 200; ++i) readings += i % 2 == 0 ? "1.2," : "1.9,";
  readings += "1.2]";
  const auto device = scripted(clock_script(readings));
  const Preheated done = heat(*device, {0.3, 0.5, 0.005});
  EXPECT_NEAR(done.duration, 0.5, 1e-6);
  EXPECT_FALSE(done.steady);
}

TEST(Preheat, TakesTheLeastTimeAloneWhereNothingTellsTheClock) {
  const auto device = scripted(R"({"version": 1})");
  const Preheated done = heat(*device, {0.3, 1.0, 0.005});
  EXPECT_NEAR(done.duration, 0.3, 1e-9);
  EXPECT_TRUE(done.steady);
  EXPECT_EQ(done.clock_ghz, 0);
}

TEST(Preheat, OfAFixedTimeIsNoLongerAndOfNoneIsNothing) {
  const auto fixed = scripted(clock_script("[1.2, 1.6, 1.9]"));
  EXPECT_NEAR(heat(*fixed, {0.03, 0.03, 0.005}).duration, 0.03, 1e-9);
  const auto none = scripted(clock_script("[1.2]"));
  EXPECT_EQ(heat(*none, {0, 1.0, 0.005}).duration, 0);
  EXPECT_THAT(none->preheats(), IsEmpty());
}

TEST(Preheat, OfAProcessIsTheLongestAndNarrowestOfItsCases) {
  PlannedCase one = planned_line("right"), other = planned_line("right"), none = planned_line("right");
  one.sampling.preheat = 0.2;
  one.sampling.preheat_most = 0.2;
  one.sampling.steady = 0.02;
  other.sampling.preheat = 0.1;
  other.sampling.preheat_most = 2;
  other.sampling.steady = 0.01;
  const PreheatLimits limits = preheat_of({one, other, none});
  EXPECT_EQ(limits.least, 0.2);
  EXPECT_EQ(limits.most, 2);
  EXPECT_EQ(limits.tolerance, 0.01);
  EXPECT_EQ(preheat_of({none}).least, 0);
}

}  // namespace
}  // namespace harness
