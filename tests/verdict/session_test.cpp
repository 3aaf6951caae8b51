// Records that name one session are compared without the variance between sessions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts.h"
#include "policies.h"

namespace harness {
namespace {

ComparisonRow row_of(const std::string& before, const std::string& after, const std::string& uuid = "GPU-1",
                     const Policy& policy = {}) {
  Record baseline = record_of(about(20)), current = record_of(about(20.3));
  baseline.session = before;
  current.session = after;
  current.machines["cuda"].device_uuid = uuid;
  return only_row(compare(baseline, current, policy));
}

TEST(OneSession, HasNoVarianceBetweenSessions) {
  Policy without;
  without.session_sd = 0;
  const ComparisonRow shared = row_of("monday", "monday"), apart = row_of("", ""),
                      plain = row_of("", "", "GPU-1", without);
  EXPECT_EQ(shared.p, plain.p);
  EXPECT_EQ(shared.degrees_of_freedom, plain.degrees_of_freedom);
  EXPECT_LT(shared.interval->hi, apart.interval->hi);
}

TEST(OneSession, IsNamedByBothSides) {
  const ComparisonRow apart = row_of("", "");
  EXPECT_EQ(row_of("monday", "").p, apart.p);
  EXPECT_EQ(row_of("monday", "tuesday").p, apart.p);
}

TEST(OneSession, IsOfOneDevice) {
  Policy policy;
  policy.allow_other_device = true;
  EXPECT_EQ(row_of("monday", "monday", "GPU-2", policy).p, row_of("", "", "GPU-2", policy).p);
}

TEST(OneSession, IsToldAmongThePolicyInForce) {
  Record baseline = record_of(about(20)), current = record_of(about(20));
  baseline.session = current.session = "monday";
  EXPECT_THAT(policy_fact(compare(baseline, current, {}), PolicyCode::one_session).value,
              fact(PolicyCode::one_session, {{"session", "monday"}}));
}

}  // namespace
}  // namespace harness
