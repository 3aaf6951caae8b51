#include "harness/device/conditions.h"

#include <gmock/gmock.h>

namespace harness {
namespace {

using testing::ElementsAre;

TEST(CombinedConditions, MeetInTheMiddle) {
  const Conditions both = combined({1980, 3200, 500, 50, {}, 0, {}}, {1900, 3200, 700, 60, {}, 0, {}});
  EXPECT_EQ(both.sm_clock_mhz, 1940);
  EXPECT_EQ(both.memory_clock_mhz, 3200);
  EXPECT_EQ(both.power_w, 600);
  EXPECT_EQ(both.temperature_c, 55);
}

TEST(CombinedConditions, KeepWhatOnlyOneEndTells) {
  Conditions before;
  before.power_w = 10;
  Conditions after;
  after.temperature_c = 20;
  const Conditions both = combined(before, after);
  EXPECT_EQ(both.power_w, 10);
  EXPECT_EQ(both.temperature_c, 20);
  EXPECT_EQ(both.sm_clock_mhz, std::nullopt);
}

TEST(CombinedConditions, KeepTheReasonsOfEitherEndOnceEach) {
  Conditions before;
  before.throttled = {"power_cap", "thermal"};
  Conditions after;
  after.throttled = {"thermal", "power_brake"};
  EXPECT_THAT(combined(before, after).throttled, ElementsAre("power_cap", "thermal", "power_brake"));
}

TEST(CombinedConditions, KeepTheLargerNumberOfOtherProcesses) {
  Conditions quiet;
  Conditions busy;
  busy.other_processes = 3;
  EXPECT_EQ(combined(quiet, busy).other_processes, 3);
  EXPECT_EQ(combined(busy, quiet).other_processes, 3);
}

}  // namespace
}  // namespace harness
