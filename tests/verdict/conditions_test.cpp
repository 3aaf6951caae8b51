// Conditions of the device around the two sides.
#include "harness/verdict/check/condition_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts.h"
#include "harness/verdict/read/summarize.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

// Five processes about `center`; the first `count` of their placements under other conditions.
Record under(double center, const Conditions& usual, const Conditions& other = {}, int count = 0) {
  Record record = record_of(about(center));
  for (ProcessSamples& process : record.cases[0].series[0].processes)
    process.placements[0].conditions = process.process <= count ? other : usual;
  return record;
}

Conditions throttled_by(std::string reason) {
  Conditions conditions;
  conditions.throttled = {std::move(reason)};
  return conditions;
}

ComparisonRow row_of(const Record& before, const Record& after) {
  return only_row(compare(before, after, {}));
}

TEST(Conditions, WithoutAnythingOddSayNothing) {
  Conditions calm;
  calm.sm_clock_mhz = 1980;
  calm.temperature_c = 50;
  calm.power_w = 400;
  EXPECT_THAT(row_of(under(20, calm), under(20, calm)).diagnostics, IsEmpty());
}

TEST(Conditions, ASideThatWasThrottledBeyondItsShareGetsNoVerdict) {
  const Record before = under(20, {});
  const ComparisonRow few = row_of(before, under(21, {}, throttled_by("thermal"), 1));
  EXPECT_EQ(few.verdict, Verdict::regressed);
  EXPECT_THAT(
      few.diagnostics,
      Contains(fact(DiagnosticCode::throttled,
                    {{"reasons", "thermal"}, {"baseline", 0}, {"baseline_known", 5}, {"current", 1}})));
  const ComparisonRow many = row_of(before, under(21, {}, throttled_by("thermal"), 2));
  EXPECT_EQ(many.verdict, Verdict::inconclusive);
  EXPECT_THAT(many.reason,
              fact(ReasonCode::throttled, {{"reasons", "thermal"}, {"baseline", 0.0}, {"current", 0.4}}));
  EXPECT_FALSE(many.p_adjusted);
  const Conditions hot = throttled_by("thermal");
  EXPECT_EQ(row_of(under(20, hot), under(21, hot)).verdict, Verdict::inconclusive)
      << "a clock that the temperature moves is steady on neither side";
}

TEST(Conditions, ThatAGateBearsOrDoesNotBearAreItsToSay) {
  const auto with_share = [](double share, int throttled) {
    Record record = under(21, {}, throttled_by("thermal"), throttled);
    record.cases[0].gate.throttled = share;
    return record;
  };
  Record before = under(20, {});
  before.cases[0].gate.throttled = 0.5;
  EXPECT_EQ(row_of(before, with_share(0.5, 2)).verdict, Verdict::regressed);
  EXPECT_EQ(row_of(before, with_share(0.5, 3)).verdict, Verdict::inconclusive);
  const ComparisonRow strict = row_of(before, with_share(0, 1));
  EXPECT_EQ(strict.verdict, Verdict::inconclusive);
  EXPECT_THAT(strict.reason, fact(ReasonCode::throttled, {{"tolerated", 0.0}}));
  EXPECT_EQ(row_of(before, with_share(0, 0)).verdict, Verdict::regressed);
}

TEST(Conditions, OfARunAreInItsReport) {
  EXPECT_THAT(summarize(under(20, {})).at(0).diagnostics, IsEmpty());
  Record hot = under(20, {}, throttled_by("thermal"), 1);
  EXPECT_THAT(summarize(hot).at(0).diagnostics,
              Contains(fact(
                  DiagnosticCode::throttled_run,
                  {{"reasons", "thermal"}, {"throttled", 1}, {"known", 5}, {"samples", 3}, {"beyond", 0}})));
  hot = under(20, {}, throttled_by("thermal"), 2);
  EXPECT_THAT(summarize(hot).at(0).diagnostics,
              Contains(fact(DiagnosticCode::throttled_run,
                            {{"throttled", 2}, {"samples", 6}, {"tolerated", 0.2}, {"beyond", 1}})));
  EXPECT_GT(summarize(hot).at(0).center, 0) << "throttled samples are told, never taken away";
  Conditions shared;
  shared.other_processes = 2;
  EXPECT_THAT(summarize(under(20, {}, shared, 3)).at(0).diagnostics,
              Contains(fact(DiagnosticCode::shared_run, {{"most", 2}, {"shared", 3}, {"known", 5}})));
}

TEST(Conditions, APowerCapOnBothSidesAlikeIsPartOfTheCost) {
  const Conditions capped = throttled_by("power_cap");
  const ComparisonRow both = row_of(under(20, capped), under(21, capped));
  EXPECT_EQ(both.verdict, Verdict::regressed);
  EXPECT_THAT(both.diagnostics, Contains(fact(DiagnosticCode::throttled, {{"alike", 1}})));
  const ComparisonRow one = row_of(under(20, {}), under(21, capped));
  EXPECT_EQ(one.verdict, Verdict::inconclusive);
  EXPECT_THAT(one.diagnostics, Contains(fact(DiagnosticCode::throttled, {{"alike", 0}, {"power_cap", 1}})));
}

TEST(Conditions, APowerCapCountsByItsSlowSamplesWhereTheClockOfEachWasRead) {
  const auto paced = [](Record record, int slow) {
    for (ProcessSamples& process : record.cases[0].series[0].processes)
      for (Placement& placement : process.placements) {
        placement.duty = 0.5;
        placement.slow_samples = slow;
      }
    return record;
  };
  const Record calm = paced(under(20, {}), 0);
  const ComparisonRow capped = row_of(calm, paced(under(21, throttled_by("power_cap")), 0));
  EXPECT_EQ(capped.verdict, Verdict::regressed) << "the limit was reached between samples, and moved none";
  EXPECT_THAT(capped.diagnostics, Not(Contains(fact(DiagnosticCode::throttled, {}))));
  EXPECT_EQ(row_of(calm, paced(under(21, {}), 1)).verdict, Verdict::inconclusive)
      << "a third of the samples ran slow, whatever the driver says";
  EXPECT_EQ(row_of(calm, paced(under(21, throttled_by("thermal")), 0)).verdict, Verdict::inconclusive);
}

TEST(Conditions, AClockThatSomebodySetIsNoThrottling) {
  const Conditions locked = throttled_by("clock_setting");
  const ComparisonRow row = row_of(under(20, locked), under(21, locked));
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_THAT(row.diagnostics, IsEmpty());
}

TEST(Conditions, OtherProcessesOnOneSideOnlyContaminateIt) {
  Conditions shared;
  shared.other_processes = 2;
  const ComparisonRow one = row_of(under(20, {}), under(21, {}, shared, 2));
  EXPECT_EQ(one.verdict, Verdict::inconclusive);
  EXPECT_THAT(one.reason, fact(ReasonCode::contaminated, {{"baseline", 0.0}, {"current", 0.4}}));
  EXPECT_THAT(one.diagnostics,
              Contains(fact(DiagnosticCode::shared_device, {{"most", 2}, {"baseline", 0}, {"current", 2}})));
  const ComparisonRow both = row_of(under(20, shared), under(21, shared));
  EXPECT_EQ(both.verdict, Verdict::regressed);
  EXPECT_THAT(both.diagnostics, Contains(coded(DiagnosticCode::shared_device)));
  EXPECT_EQ(row_of(under(20, {}), under(21, {}, shared, 1)).verdict, Verdict::regressed);
}

TEST(Conditions, TemperatureAndPowerThatMovedAreTold) {
  Conditions cool, warm;
  cool.temperature_c = 45;
  warm.temperature_c = 60;
  cool.power_w = 500;
  warm.power_w = 380;
  const ComparisonRow moved = row_of(under(20, cool), under(21, warm));
  EXPECT_THAT(moved.diagnostics, Contains(fact(DiagnosticCode::temperature,
                                               {{"baseline", 45.0}, {"current", 60.0}, {"moved", 1}})));
  EXPECT_THAT(moved.diagnostics,
              Contains(fact(DiagnosticCode::power, {{"baseline", 500.0}, {"current", 380.0}})));
  const ComparisonRow same = row_of(under(20, cool), under(20, warm));
  EXPECT_THAT(same.diagnostics, Contains(fact(DiagnosticCode::temperature, {{"moved", 0}})));
  EXPECT_THAT(same.diagnostics, Not(Contains(coded(DiagnosticCode::power))));
}

TEST(Conditions, TheDriversClockStandsInForTheDevicesOwn) {
  Conditions fast, slow;
  fast.sm_clock_mhz = 1980;
  slow.sm_clock_mhz = 1800;
  EXPECT_THAT(row_of(under(20, fast), under(22, slow)).diagnostics,
              Contains(fact(DiagnosticCode::clock_shift, {{"baseline", 1.98}, {"current", 1.8}})));
  Record own = under(22, slow);
  for (ProcessSamples& process : own.cases[0].series[0].processes) process.placements[0].clock_ghz = 1.98;
  EXPECT_THAT(row_of(under(20, fast), own).diagnostics, Not(Contains(coded(DiagnosticCode::clock_shift))));
  EXPECT_THAT(row_of(under(20, fast), own).diagnostics,
              Contains(fact(DiagnosticCode::driver_clock, {{"baseline", 1980.0}, {"current", 1800.0}})));
}

}  // namespace
}  // namespace harness
