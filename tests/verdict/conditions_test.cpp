// Conditions of the device around the two sides.
#include "harness/verdict/check/condition_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/verdict/read/summarize.h"
#include "records.h"
#include "tests/model/fact_matchers.h"

namespace harness {
namespace {

using testing::Contains;
using testing::HasSubstr;
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
  EXPECT_THAT(row_of(under(20, calm), under(20, calm)).advice, IsEmpty());
}

TEST(Conditions, ASideThatWasThrottledBeyondItsShareGetsNoVerdict) {
  const Record before = under(20, {});
  const ComparisonRow few = row_of(before, under(21, {}, throttled_by("thermal"), 1));
  EXPECT_EQ(few.verdict, Verdict::regressed);
  EXPECT_THAT(few.advice,
              Contains(HasSubstr("throttled: the device held its clock down (thermal) in 0 of 5")));
  const ComparisonRow many = row_of(before, under(21, {}, throttled_by("thermal"), 2));
  EXPECT_EQ(many.verdict, Verdict::inconclusive);
  EXPECT_THAT(many.reason,
              HasSubstr("(thermal) in 0 % of the baseline's placements and 40 % of the current"));
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
  const Record before = under(20, {});
  EXPECT_EQ(row_of(before, with_share(0.5, 2)).verdict, Verdict::regressed);
  EXPECT_EQ(row_of(before, with_share(0.5, 3)).verdict, Verdict::inconclusive);
  const ComparisonRow strict = row_of(before, with_share(0, 1));
  EXPECT_EQ(strict.verdict, Verdict::inconclusive);
  EXPECT_THAT(strict.reason, HasSubstr("more than the 0 % that a verdict bears"));
  EXPECT_EQ(row_of(before, with_share(0, 0)).verdict, Verdict::regressed);
}

TEST(Conditions, OfARunAreInItsReport) {
  EXPECT_THAT(summarize(under(20, {})).at(0).notes, IsEmpty());
  Record hot = under(20, {}, throttled_by("thermal"), 1);
  EXPECT_THAT(summarize(hot).at(0).notes,
              Contains(Says("throttled: the device held its clock down (thermal) in 1 of 5 placements, 3 "
                            "samples: few enough for a verdict")));
  hot = under(20, {}, throttled_by("thermal"), 2);
  EXPECT_THAT(summarize(hot).at(0).notes,
              Contains(Says("in 2 of 5 placements, 6 samples: more than the 20 % that a verdict bears")));
  EXPECT_GT(summarize(hot).at(0).center, 0) << "throttled samples are told, never taken away";
  Conditions shared;
  shared.other_processes = 2;
  EXPECT_THAT(summarize(under(20, {}, shared, 3)).at(0).notes,
              Contains(Says("contaminated: up to 2 other processes used the device in 3 of 5 placements")));
}

TEST(Conditions, APowerCapOnBothSidesAlikeIsPartOfTheCost) {
  const Conditions capped = throttled_by("power_cap");
  const ComparisonRow both = row_of(under(20, capped), under(21, capped));
  EXPECT_EQ(both.verdict, Verdict::regressed);
  EXPECT_THAT(both.advice, Contains(HasSubstr("the power limit is part of what this case costs")));
  const ComparisonRow one = row_of(under(20, {}), under(21, capped));
  EXPECT_EQ(one.verdict, Verdict::inconclusive);
  EXPECT_THAT(one.advice, Contains(HasSubstr("if the code draws more power now, that is the finding")));
}

TEST(Conditions, AClockThatSomebodySetIsNoThrottling) {
  const Conditions locked = throttled_by("clock_setting");
  const ComparisonRow row = row_of(under(20, locked), under(21, locked));
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_THAT(row.advice, IsEmpty());
}

TEST(Conditions, OtherProcessesOnOneSideOnlyContaminateIt) {
  Conditions shared;
  shared.other_processes = 2;
  const ComparisonRow one = row_of(under(20, {}), under(21, {}, shared, 2));
  EXPECT_EQ(one.verdict, Verdict::inconclusive);
  EXPECT_THAT(one.reason, HasSubstr("contaminated: other processes used the device during 0 %"));
  EXPECT_THAT(one.advice,
              Contains(HasSubstr("up to 2 other processes used the device in 0 of 5 placements")));
  const ComparisonRow both = row_of(under(20, shared), under(21, shared));
  EXPECT_EQ(both.verdict, Verdict::regressed);
  EXPECT_THAT(both.advice, Contains(HasSubstr("contaminated: ")));
  EXPECT_EQ(row_of(under(20, {}), under(21, {}, shared, 1)).verdict, Verdict::regressed);
}

TEST(Conditions, TemperatureAndPowerThatMovedAreTold) {
  Conditions cool, warm;
  cool.temperature_c = 45;
  warm.temperature_c = 60;
  cool.power_w = 500;
  warm.power_w = 380;
  const ComparisonRow moved = row_of(under(20, cool), under(21, warm));
  EXPECT_THAT(moved.advice, Contains(HasSubstr("the temperature went from 45 to 60 C")));
  EXPECT_THAT(moved.advice, Contains(HasSubstr("the power drawn went from 500 to 380 W")));
  const ComparisonRow same = row_of(under(20, cool), under(20, warm));
  EXPECT_THAT(same.advice, Contains(HasSubstr("the verdict stands")));
  EXPECT_THAT(same.advice, Not(Contains(HasSubstr("power drawn"))));
}

TEST(Conditions, TheDriversClockStandsInForTheDevicesOwn) {
  Conditions fast, slow;
  fast.sm_clock_mhz = 1980;
  slow.sm_clock_mhz = 1800;
  EXPECT_THAT(row_of(under(20, fast), under(22, slow)).advice,
              Contains(HasSubstr("clock shift: the device clock went from 1.980 to 1.800 GHz")));
  Record own = under(22, slow);
  for (ProcessSamples& process : own.cases[0].series[0].processes) process.placements[0].clock_ghz = 1.98;
  EXPECT_THAT(row_of(under(20, fast), own).advice, Not(Contains(HasSubstr("clock shift"))));
  EXPECT_THAT(row_of(under(20, fast), own).advice,
              Contains(HasSubstr("driver's SM clock went from 1980 to 1800")));
}

}  // namespace
}  // namespace harness
