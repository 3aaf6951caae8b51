// The choice of the cases that a campaign measures within its budget.
#include "harness/study/case_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CaseOutlook usual() {
  CaseOutlook outlook;
  outlook.sd = 0.003;
  return outlook;
}

TEST(CaseValue, ChangedCodePromisesMoreThanUnreadCode) {
  CaseOutlook changed = usual();
  changed.changed = true;
  EXPECT_GT(expected_information(changed), expected_information(usual()));
}

TEST(CaseValue, UnknownNoisePromisesMoreThanMuchNoise) {
  CaseOutlook noisy = usual(), unknown = usual();
  noisy.sd = 0.05;
  unknown.sd.reset();
  EXPECT_GT(expected_information(usual()), 2 * expected_information(noisy));
  EXPECT_GE(expected_information(unknown), expected_information(usual()));
}

TEST(CaseValue, GrowsWithAgeAndFallsWithCost) {
  CaseOutlook old = usual(), dear = usual();
  old.days = 365;
  dear.cost = 2;
  EXPECT_GT(expected_information(old), expected_information(usual()));
  EXPECT_NEAR(expected_information(dear), expected_information(usual()) / 2, 1e-12);
}

TEST(CaseValue, MoreProcessesFindMore) {
  CaseOutlook more = usual();
  more.sd = 0.01;
  const double five = expected_information(more);
  more.processes = 20;
  EXPECT_GT(expected_information(more), five);
}

TEST(CaseValue, TheBestThatFitAreChosen) {
  CaseOutlook changed = usual(), dear = usual();
  changed.changed = true;
  dear.changed = true;
  dear.cost = 4;
  EXPECT_THAT(choose_cases({usual(), dear, changed, usual()}, 3), ElementsAre(2, 0, 3));
  EXPECT_THAT(choose_cases({usual(), dear, changed, usual()}, 5.5), ElementsAre(2, 1)) << "dear ones may win";
  EXPECT_THAT(choose_cases({dear}, 3), IsEmpty());
}

}  // namespace
}  // namespace harness
