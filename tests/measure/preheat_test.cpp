// Preheating by a script of clock readings: nothing is waited for.
#include "harness/measure/worker/preheat.h"

#include <gmock/gmock.h>

#include <numeric>

#include "harness/measure/schedule/worker_session.h"
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

TEST(Preheat, WorksAtFullPowerFirstWhereAskedFor) {
  const auto device = scripted(clock_script("[1.98, 1.98, 1.98]"));
  heat(*device, {.least = 0.3, .most = 1.0, .tolerance = 0.005, .full_power = 1.5});
  EXPECT_THAT(device->full_powers(), ElementsAre(1.5));
  EXPECT_NEAR(device->now(), 1.5 + 0.3, 1e-9);
  heat(*device, {.full_power = 0.5});
  EXPECT_THAT(device->full_powers(), ElementsAre(1.5, 0.5)) << "without preheating, too";
  heat(*device, {0.3, 1.0, 0.005});
  EXPECT_THAT(device->full_powers(), SizeIs(2));
}

TEST(Preheat, GoesOnUntilThreeReadingsAgree) {
  // Steady from the fifth reading on: three of them, so that seven steps are read, four after the least time.
  const auto device = scripted(clock_script("[1.2, 1.4, 1.6, 1.8, 1.975, 1.98, 1.979, 1.2]"));
  const Preheated done = heat(*device, {0.3, 1.0, 0.005});
  EXPECT_NEAR(done.duration, 0.3 + 4 * 0.005, 1e-9);
  EXPECT_TRUE(done.steady);
  EXPECT_EQ(done.clock_ghz, 1.979);
}

TEST(Preheat, JudgesByItsTolerance) {
  const std::string readings = clock_script("[1.90, 1.95, 1.98, 1.98, 1.98]");
  EXPECT_NEAR(heat(*scripted(readings), {0.3, 1.0, 0.05}).duration, 0.3, 1e-9);
  EXPECT_NEAR(heat(*scripted(readings), {0.3, 1.0, 0.005}).duration, 0.31, 1e-9);
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
  none.sampling.full_power = 1;
  const PreheatLimits limits = preheat_of({one, other, none});
  EXPECT_EQ(limits.least, 0.2);
  EXPECT_EQ(limits.most, 2);
  EXPECT_EQ(limits.tolerance, 0.01);
  EXPECT_EQ(limits.full_power, 1);
  EXPECT_EQ(preheat_of({none}).least, 0);
}

// A device that worked until `worked` at `warm` GHz and is asked for again at its time 1 s.
struct Again {
  Seconds worked = 0;
  double warm = 0;
  std::string readings = "[]";
  Seconds preheat = 0.3;
  double steady = 0.005;

  Preheated operator()() {
    device = scripted(readings == "[]" ? R"({"version": 1})" : clock_script(readings));
    EXPECT_TRUE(device->preheat(1));
    if (worked > 0) warmth.worked(worked, warm);
    Sampling sampling;
    sampling.preheat = preheat;
    sampling.steady = steady;
    const Result<Preheated> done = reheat(*device, sampling, warmth);
    EXPECT_TRUE(done);
    return done.value_or(Preheated{});
  }

  std::unique_ptr<ScriptedDevice> device = {};
  Warmth warmth = {};
};

TEST(Preheat, IsWaitedForAsLongAsItMayTake) {
  PlannedCase quick = planned_line("right"), slow = quick;
  quick.sampling.preheat = quick.sampling.preheat_most = quick.sampling.full_power = 0;
  slow.sampling.preheat = 1;
  slow.sampling.preheat_most = 20;
  slow.sampling.full_power = 300;
  const Seconds idle = longest_silence({&quick});
  EXPECT_EQ(longest_silence({}), idle);
  EXPECT_EQ(longest_silence({&quick, &slow}), idle + 320);
  slow.sampling.preheat = 40;
  EXPECT_EQ(longest_silence({&slow, &quick}), idle + 340);
}

TEST(Reheat, TakesATenthOfTheTimeThatTheDeviceIdledAndNoMoreThanASixthOfItsPreheating) {
  EXPECT_NEAR((Again{.worked = 0.92}()).duration, 0.008, 1e-9);
  EXPECT_NEAR((Again{.worked = 0.1}()).duration, 0.05, 1e-9);
  EXPECT_NEAR((Again{.worked = 0.5, .preheat = 0.06}()).duration, 0.01, 1e-9);
  EXPECT_EQ((Again{.worked = 1.0}()).duration, 0) << "it did not idle";
  EXPECT_EQ((Again{.worked = 0.9951}()).duration, 0) << "idling for less than 5 ms leaves no trace";
  EXPECT_NEAR((Again{.worked = 0.9949}()).duration, 0.00051, 1e-9);
}

TEST(Reheat, OfADeviceThatHasNotWorkedYetTakesTheSixth) {
  EXPECT_NEAR((Again{}()).duration, 0.05, 1e-9);
}

TEST(Reheat, IsNoneWhereNoPreheatingIsWanted) {
  Again again{.worked = 0.5, .preheat = 0};
  EXPECT_EQ(again().duration, 0);
  EXPECT_THAT(again.device->preheats(), SizeIs(1)) << "that of the test alone";
}

TEST(Reheat, EndsWithTheClockThatTheDeviceHadWhenItWasWarm) {
  Again again{.worked = 0.9, .warm = 1.98, .readings = "[1.975, 1.2]"};
  const Preheated done = again();
  EXPECT_NEAR(done.duration, 0.01, 1e-9);
  EXPECT_TRUE(done.steady);
  EXPECT_EQ(done.clock_ghz, 1.975);
  EXPECT_EQ(again.warmth.clock_ghz(), 1.975);
  EXPECT_NEAR(*again.warmth.idle(again.device->now()), 0, 1e-12);
}

TEST(Reheat, GoesOnInShortStepsUntilTheClockIsSteadyAgain) {
  const Preheated done = Again{.worked = 0.9, .warm = 1.98, .readings = "[1.2, 1.5, 1.9, 1.901]"}();
  EXPECT_NEAR(done.duration, 0.01 + 3 * 0.005, 1e-9);
  EXPECT_TRUE(done.steady);
  EXPECT_EQ(done.clock_ghz, 1.901);
}

TEST(Reheat, OfAClockThatNeverSettlesEndsAfterTheSixthAndForgetsNothing) {
  Again again{
      .worked = 0.9, .warm = 1.98, .readings = "[1.2, 1.5, 1.2, 1.5, 1.2, 1.5, 1.2, 1.5, 1.2, 1.5, 1.2]"};
  const Preheated done = again();
  EXPECT_NEAR(done.duration, 0.05, 1e-9);
  EXPECT_FALSE(done.steady);
  EXPECT_EQ(again.warmth.clock_ghz(), 1.98);
}

}  // namespace
}  // namespace harness
