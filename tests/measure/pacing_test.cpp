// Samples at the boost clock: pauses between calls, and samples that are taken again. Scripted devices replay
// the clock; nothing waits.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "harness/measure/rules/pacer.h"
#include "harness/measure/schedule/carried.h"
#include "harness/measure/worker/worker.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::Each;

using testing::SizeIs;

Catalog catalog() {
  Catalog catalog;
  const auto added = catalog.add({sdk::module_abi, sdk::compiler_abi, "pacing", [](sdk::Registry& registry) {
                                    registry.add(std::make_unique<trial::Line>());
                                    registry.add(trial::variant<trial::Right>("right"));
                                  }});
  if (!added) ADD_FAILURE() << added.error().text();
  return catalog;
}

// A device whose clock is 2 GHz when nothing holds it down.
std::unique_ptr<ScriptedDevice> device_with(const std::string& of_case) {
  return scripted(R"({"version": 1, "clock_ghz": 2, "default": {)" + of_case + "}}");
}

PlannedCase planned(PowerMode power = PowerMode::boost, int placements = 2, int samples = 20) {
  PlannedCase planned = planned_line("right");
  planned.sampling.power = power;
  planned.sampling.placements = placements;
  planned.sampling.samples = samples;
  return planned;
}

std::vector<Placement> placements(ScriptedDevice& device, const PlannedCase& planned) {
  Carried carried;
  carried.warmth.worked(0, 2);  // as preheating leaves it
  const ProcessResult result = measure_case(device, catalog(), planned, 1, carried);
  EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  return result.series.at(0).processes.at(0).placements;
}

TEST(Pacing, IdlesForAsLongAsASampleTakes) {
  const auto device = device_with(R"("us": 90, "overhead_us": 10, "boost_duty": 1)");
  for (const Placement& placement : placements(*device, planned())) {
    EXPECT_THAT(placement.samples, AllOf(SizeIs(20), Each(90.0)));
    EXPECT_NEAR(placement.duty, 0.5, 0.02);
    EXPECT_EQ(placement.clock_ghz, 2);
    EXPECT_EQ(placement.slow_samples, 0);
  }
  EXPECT_THAT(device->pauses(), Each(DoubleNear(100e-6, 1e-9)));
}

TEST(Pacing, NeedsNoPausesForCallsThatAreShortBesideTheirCost) {
  const auto device = device_with(R"("us": 10, "overhead_us": 40, "boost_duty": 1)");
  for (const Placement& placement : placements(*device, planned())) EXPECT_EQ(placement.duty, 1);
  EXPECT_THAT(device->pauses(), Each(0.0));
}

TEST(Pacing, IsNoneWhereNothingTellsTheClockOrThePowerIsSustained) {
  const auto blind = device_with(R"("us": 90)");
  for (const Placement& placement : placements(*blind, planned())) EXPECT_EQ(placement.duty, 0);
  EXPECT_THAT(blind->pauses(), Each(0.0));
  const auto device = device_with(R"("us": 90, "overhead_us": 10, "boost_duty": 0.5, "slow_ghz": 1.5)");
  for (const Placement& placement : placements(*device, planned(PowerMode::sustained))) {
    EXPECT_THAT(placement.samples, Each(120.0));
    EXPECT_EQ(placement.slow_samples, 0) << "its clock is what the limit leaves";
  }
  EXPECT_THAT(device->pauses(), Each(0.0));
}

TEST(Pacing, TakesSlowSamplesAgainAfterALongerPause) {
  const auto device = device_with(R"("us": 90, "overhead_us": 10, "call_ghz": [2, 2, 2, 1.5, 2, 2, 2, 2])");
  for (const Placement& placement : placements(*device, planned(PowerMode::boost, 1, 16))) {
    EXPECT_THAT(placement.samples, AllOf(SizeIs(16), Each(90.0)));
    EXPECT_EQ(placement.slow_samples, 0);
    EXPECT_EQ(placement.clock_ghz, 2);
  }
  ASSERT_GT(device->pauses().size(), 16U);
  EXPECT_NEAR(device->pauses()[3], 100e-6, 1e-9);
  EXPECT_GE(device->pauses()[4], 2e-3) << "a device at its limit takes milliseconds to recover";
}

TEST(Pacing, KeepsASampleThatIsSlightlyBelowTheBoostClock) {
  const auto device = device_with(R"("us": 90, "call_ghz": [1.97])");
  EXPECT_EQ(placements(*device, planned()).front().slow_samples, 0);
  EXPECT_THAT(device->pauses(), SizeIs(40));
}

TEST(Pacing, WorksLessWhereTheClockStaysLow) {
  const auto device = device_with(R"("us": 90, "overhead_us": 10, "boost_duty": 0.3, "slow_ghz": 1.5)");
  const std::vector<Placement> all = placements(*device, planned(PowerMode::boost, 3, 14));
  for (const Placement& placement : all) {
    EXPECT_THAT(placement.samples, AllOf(SizeIs(14), Each(90.0)));
    EXPECT_EQ(placement.slow_samples, 0);
  }
  EXPECT_LT(all.back().duty, 0.3);
  EXPECT_GT(all.back().duty, 0.15) << "no less than it takes";
}

TEST(Pacing, WorksMoreAgainOnceTheClockIsHigh) {
  // One slow sample a placement, at its beginning.
  std::string clocks = "1.5";
  for (int i = 0; i < 100; ++i) clocks += ", 2";
  const auto device = device_with(R"("us": 90, "overhead_us": 10, "call_ghz": [)" + clocks + "]");
  placements(*device, planned(PowerMode::boost, 1, 80));
  const std::vector<Seconds>& pauses = device->pauses();
  EXPECT_GT(pauses[10], 250e-6);
  EXPECT_NEAR(pauses.back(), 100e-6, 1e-9);
}

TEST(Pacing, HoldsACallThatBringsDownTheClockItselfToTheClockThatItReaches) {
  const auto device = device_with(R"("us": 90, "overhead_us": 10, "call_ghz": [1.5])");
  const std::vector<Placement> all = placements(*device, planned());
  for (const Placement& placement : all) {
    EXPECT_THAT(placement.samples, AllOf(SizeIs(20), Each(120.0)));
    EXPECT_EQ(placement.slow_samples, 0) << "they are what the call attains";
    EXPECT_EQ(placement.clock_ghz, 1.5);
  }
  EXPECT_THAT(device->pauses(), SizeIs(43)) << "three were taken again, and no more";
  EXPECT_NEAR(device->pauses()[2], 4e-3, 1e-9) << "after ever longer rests";
  EXPECT_LT(device->pauses()[3], 1e-3) << "the first one that is kept is as rested as all that follow";
  EXPECT_NEAR(all.back().duty, 0.5, 0.02) << "more rest does not help";
}

TEST(Pacing, HoldsACallToTheClockThatItHasWithoutARest) {
  // Rests of 2 and 4 ms raise its clock, though not to that of the device.
  const auto device =
      device_with(R"("us": 90, "overhead_us": 10, "call_ghz": [1.6, 1.7, 1.75, 1.6, 1.6, 1.6])");
  PlannedCase one = planned(PowerMode::boost, 1, 20);
  placements(*device, one);
  const std::vector<Seconds>& pauses = device->pauses();
  EXPECT_EQ(std::count_if(pauses.begin(), pauses.end(), [](Seconds pause) { return pause >= 2e-3; }), 2)
      << "its samples are not slow for ever";
}

TEST(Pacing, FindsSlowSamplesAmongThoseOfALowerClock) {
  std::string clocks = "1.6, 1.6, 1.6";
  for (int i = 0; i < 20; ++i) clocks += i == 10 ? ", 1.4" : ", 1.6";
  const auto device = device_with(R"("us": 80, "overhead_us": 10, "call_ghz": [)" + clocks + "]");
  const std::vector<Placement> all = placements(*device, planned(PowerMode::boost, 1, 20));
  EXPECT_THAT(all.front().samples, AllOf(SizeIs(20), Each(DoubleNear(100, 1e-9))));
  EXPECT_THAT(device->pauses(), SizeIs(24)) << "three to find its clock, and the slow one";
}

TEST(Pacing, TakesNoMoreAgainThanThereAreSamples) {
  // Two of three are slow, so that they are never taken for what the call attains.
  const auto device = device_with(R"("us": 90, "overhead_us": 10, "call_ghz": [1.5, 1.5, 2])");
  const std::vector<Placement> all = placements(*device, planned(PowerMode::boost, 1, 30));
  EXPECT_THAT(all.front().samples, SizeIs(30));
  EXPECT_GT(all.front().slow_samples, 0);
  EXPECT_THAT(device->pauses(), SizeIs(60));
}

TEST(Pacing, RestsAFewMillisecondsAfterLongCallsAndNoLonger) {
  const auto device = device_with(R"("us": 50000, "overhead_us": 10, "boost_duty": 1)");
  placements(*device, planned(PowerMode::boost, 1, 8));
  EXPECT_THAT(device->pauses(), Each(DoubleNear(5e-3, 1e-9)));
}

TEST(Pacing, TakesNoCallAgainThatOutlastsARest) {
  const auto device = device_with(R"("us": 150000, "overhead_us": 10, "call_ghz": [1.5, 1.5, 1.5, 1.5])");
  const std::vector<Placement> all = placements(*device, planned(PowerMode::boost, 1, 4));
  EXPECT_THAT(all.front().samples, SizeIs(4));
  EXPECT_EQ(all.front().slow_samples, 3) << "from then on they are what the call attains";
  EXPECT_THAT(device->pauses(), SizeIs(4));
}

TEST(Pacing, TakesNothingAgainOnceTheTimeIsUsedUp) {
  PlannedCase late = planned(PowerMode::boost, 1, 1000);
  late.sampling.max_time = 1e-6;
  late.sampling.min_samples = 5;
  const auto device = device_with(R"("us": 90, "overhead_us": 10, "call_ghz": [1.5, 1.5, 2])");
  const std::vector<Placement> all = placements(*device, late);
  EXPECT_EQ(all.front().stopped, Stop::max_time);
  EXPECT_EQ(all.front().slow_samples, 4);
  EXPECT_THAT(device->pauses(), SizeIs(5));
}

TEST(Pacing, OfACaseDoesNotDependOnTheCaseBefore) {
  const auto device = scripted(R"({"version": 1, "clock_ghz": 2, "cases": [
      {"match": "line/right/n=100", "us": 90, "overhead_us": 10, "boost_duty": 0.3, "slow_ghz": 1.5}],
      "default": {"us": 90, "overhead_us": 10, "boost_duty": 0.5}})");
  Carried carried;
  carried.warmth.worked(0, 2);
  const auto catalogue = catalog();
  PlannedCase other = planned();
  other.id = "line/right/n=101";
  const auto duty = [&](const PlannedCase& one) {
    return measure_case(*device, catalogue, one, 1, carried)
        .series.at(0)
        .processes.at(0)
        .placements.back()
        .duty;
  };
  const double alone = duty(other);
  EXPECT_LT(duty(planned()), 0.4);
  EXPECT_EQ(duty(other), alone);
}

TEST(BoostClock, IsTheHighestThatTwoReadingsInARowReached) {
  Warmth warmth;
  EXPECT_EQ(warmth.boost_ghz(), 0);
  warmth.worked(0, 1.98);
  EXPECT_EQ(warmth.boost_ghz(), 0);
  warmth.worked(0, 3.1);
  EXPECT_EQ(warmth.boost_ghz(), 1.98);
  warmth.worked(0, 1.5);
  warmth.worked(0, 0);
  warmth.worked(0, 1.4);
  EXPECT_EQ(warmth.boost_ghz(), 1.98);
}

// `timing: auto` -----------------------------------------------------------------------------------------

ProcessResult measure(const std::string& script, PlannedCase one) {
  one.sampling.timing = TimingMode::automatic;
  ProcessResult result = measure_case(*scripted(script), catalog(), one, 1);
  EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  return result;
}

TEST(AutomaticTiming, TakesBatchesForShortCallsAndEventsForTheRest) {
  const auto script = [](double us) {
    return fmt::format(R"({{"version": 1, "batch_below_us": 30, "default": {{"us": {}}}}})", us);
  };
  const ProcessResult shorter = measure(script(29), planned()), longer = measure(script(31), planned());
  EXPECT_EQ(shorter.timing, TimingMode::batch);
  EXPECT_TRUE(shorter.batching);
  EXPECT_EQ(longer.timing, TimingMode::events);
  EXPECT_FALSE(longer.batching);
}

TEST(AutomaticTiming, IsByEventsOnADeviceThatTellsShortCallsWell) {
  EXPECT_EQ(measure(R"({"version": 1, "default": {"us": 1}})", planned()).timing, TimingMode::events);
}

TEST(AutomaticTiming, IsToldByARecordOnceAProcessChose) {
  const ProcessResult chosen =
      measure(R"({"version": 1, "batch_below_us": 30, "default": {"us": 5}})", planned());
  PlannedCase open = planned();
  open.sampling.timing = TimingMode::automatic;
  CaseRecord record = planned_record(open);
  EXPECT_EQ(record.sampling.timing, TimingMode::automatic);
  add_result(record, chosen);
  EXPECT_EQ(record.sampling.timing, TimingMode::batch);
  Record whole;
  whole.cases.push_back(record);
  Plan plan;
  plan.cases = {open, open};
  plan.cases[1].id = "line/right/n=101";
  take_decisions(plan, whole);
  EXPECT_EQ(plan.cases[0].sampling.timing, TimingMode::batch);
  EXPECT_EQ(plan.cases[1].sampling.timing, TimingMode::automatic);
}

TEST(Choices, AreTakenFromARecord) {
  CaseRecord record = planned_record(planned());
  ProcessResult without, with, later;
  without.process = 1;
  with.process = 2;
  with.choice = "tile 3";
  later.process = 3;
  later.choice = "tile 4";
  for (const ProcessResult& one : {without, with, later}) add_result(record, one);
  EXPECT_EQ(choice_of(record), "tile 3");
  Record whole;
  whole.cases.push_back(record);
  Plan plan;
  plan.cases = {planned(), planned()};
  plan.cases[1].choice = "tile 5";
  take_decisions(plan, whole);
  EXPECT_EQ(plan.cases[0].choice, "tile 3");
  EXPECT_EQ(plan.cases[1].choice, "tile 5") << "what the plan says already stays";
}

TEST(AutomaticTiming, IsTheSameForBothBuilds) {
  const auto device = scripted(R"({"version": 1, "batch_below_us": 30, "cases": [
      {"side": "baseline", "us": 29}, {"side": "current", "us": 31}]})");
  PlannedCase open = planned();
  open.sampling.timing = TimingMode::automatic;
  const auto catalogue = catalog();
  Carried carried;
  const PairResult pair = measure_pair(*device, catalogue, catalogue, open, 1, carried);
  EXPECT_EQ(pair.baseline.timing, TimingMode::events);
  EXPECT_EQ(pair.current.timing, TimingMode::events);
}

}  // namespace
}  // namespace harness
