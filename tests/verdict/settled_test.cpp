// Cases that are decided by their outcomes alone.
#include "harness/verdict/check/settled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records.h"

namespace harness {
namespace {

CaseRecord with_outcome(Outcome outcome, std::string reason = {}) {
  CaseRecord record = case_of("c", {series_at({1, 2, 3})});
  record.outcome = outcome;
  if (!reason.empty()) record.reason = told_cause(std::move(reason));
  return record;
}

TEST(Settled, ASkipIsNoPassWhereTheBaselineMeasured) {
  const CaseRecord before = with_outcome(Outcome::measured);
  const auto settled = settled_without_samples(&before, with_outcome(Outcome::skipped, "no GPU"));
  ASSERT_TRUE(settled);
  EXPECT_EQ(settled->verdict, Verdict::missing);
  EXPECT_EQ(settled->reason.code, ReasonCode::skipped_now);
  EXPECT_EQ(settled->cause, told_cause("no GPU"));
}

TEST(Settled, ASkipOnBothSidesIsASkip) {
  const CaseRecord before = with_outcome(Outcome::skipped, "no GPU");
  const auto settled = settled_without_samples(&before, with_outcome(Outcome::skipped, "no GPU"));
  ASSERT_TRUE(settled);
  EXPECT_EQ(settled->verdict, Verdict::skipped);
}

TEST(Settled, ADeviceThatTheUserLeftOutIsASkip) {
  const CaseRecord before = with_outcome(Outcome::measured);
  CaseRecord after = with_outcome(Outcome::skipped);
  after.reason = Cause{CauseCode::left_out, {{"device", "cuda"}}};
  EXPECT_EQ(settled_without_samples(&before, after)->verdict, Verdict::skipped);
}

TEST(Settled, ACaseOfADeviceThatTheBaselineLacksIsASkip) {
  const CaseRecord before = with_outcome(Outcome::skipped, "left out");
  const CaseRecord after = with_outcome(Outcome::measured);
  EXPECT_EQ(settled_without_samples(&before, after, false, false)->verdict, Verdict::skipped);
  EXPECT_EQ(settled_without_samples(&before, after, false, true)->verdict, Verdict::missing);
}

TEST(Settled, NothingWhereBothSidesWereMeasured) {
  const CaseRecord before = with_outcome(Outcome::measured);
  EXPECT_FALSE(settled_without_samples(&before, with_outcome(Outcome::measured)));
  EXPECT_EQ(settled_without_samples(&before, with_outcome(Outcome::incorrect, "off"))->verdict,
            Verdict::failed);
  EXPECT_EQ(settled_without_samples(nullptr, with_outcome(Outcome::measured))->reason.code,
            ReasonCode::new_case);
}

}  // namespace
}  // namespace harness
