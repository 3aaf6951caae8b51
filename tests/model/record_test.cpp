#include "harness/model/record.h"

#include <gtest/gtest.h>

#include "example_record.h"

namespace harness {
namespace {

ProcessResult outcome_only(int process, Outcome outcome, std::string reason) {
  return {"c", process, outcome, told_cause(std::move(reason)), {}, {}, {}};
}

TEST(AddResult, MergesSeriesInProcessOrder) {
  CaseRecord record;
  for (const int process : {3, 1, 2}) add_result(record, example_result("c", process));
  ASSERT_EQ(record.series.size(), 2U);
  ASSERT_EQ(record.series[0].processes.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(record.series[0].processes[static_cast<std::size_t>(i)].process, i + 1);
    EXPECT_EQ(record.processes[static_cast<std::size_t>(i)].process, i + 1);
    EXPECT_TRUE(record.processes[static_cast<std::size_t>(i)].series.empty());
  }
}

TEST(AddResult, ReplacesARepeatedProcess) {
  CaseRecord record;
  add_result(record, example_result("c", 1));
  add_result(record, outcome_only(1, Outcome::failed, "sticky error"));
  EXPECT_EQ(record.processes.size(), 1U);
  EXPECT_TRUE(record.series[0].processes.empty());
  EXPECT_EQ(record.outcome, Outcome::failed);
  EXPECT_EQ(record.reason, told_cause("sticky error"));
}

TEST(AddResult, KeepsWhatALookTellsUntilAProcessIsMeasured) {
  ProcessResult look = example_result("c", 0);
  look.outcome = Outcome::looked_at;
  CaseRecord record;
  add_result(record, look);
  ASSERT_EQ(record.series[0].processes.size(), 1U);
  add_result(record, example_result("c", 1));
  ASSERT_EQ(record.series[0].processes.size(), 1U);
  EXPECT_EQ(record.series[0].processes[0].process, 1);
  add_result(record, look);
  EXPECT_EQ(record.series[0].processes.size(), 1U) << "a look after a measured process";
  EXPECT_EQ(record.processes.size(), 2U);
}

TEST(AddResult, TakesTheWorstOutcomeAndItsReason) {
  CaseRecord record;
  add_result(record, outcome_only(1, Outcome::measured, ""));
  EXPECT_EQ(record.outcome, Outcome::measured);
  add_result(record, outcome_only(2, Outcome::timed_out, "slow"));
  EXPECT_EQ(record.outcome, Outcome::timed_out);
  add_result(record, outcome_only(3, Outcome::incorrect, "wrong"));
  add_result(record, outcome_only(4, Outcome::failed, "broken"));
  EXPECT_EQ(record.outcome, Outcome::incorrect);
  EXPECT_EQ(record.reason, told_cause("wrong"));
}

TEST(OutcomeNames, ReadBack) {
  for (const Outcome outcome :
       {Outcome::measured, Outcome::incorrect, Outcome::failed, Outcome::timed_out, Outcome::skipped})
    EXPECT_EQ(parse_name<Outcome>(name_of(outcome)), outcome);
  EXPECT_EQ(parse_name<Outcome>("mesured"), std::nullopt);
}

CaseRecord looked_at(const std::vector<std::string>& digests) {
  CaseRecord record;
  for (const std::string& digest : digests) {
    ProcessResult result;
    result.process = static_cast<int>(record.processes.size()) + 1;
    result.identity = Identity{digest};
    if (digest.empty()) result.identity->gap = Cause{CauseCode::calls_differ};
    record.processes.push_back(std::move(result));
  }
  return record;
}

TEST(Digest, NamesItsRulesAndKeepsThemWhenItIsExtended) {
  EXPECT_EQ(digest_rules("5f0c1e"), "1");
  EXPECT_EQ(digest_rules("2.5f0c1e"), "2");
  EXPECT_EQ(digest_rules(""), "1");
  EXPECT_EQ(digest_rules(extended_digest("2.5f0c1e", "own 64")), "2");
  EXPECT_EQ(digest_rules(extended_digest("5f0c1e", "own 64")), "1");
  EXPECT_NE(extended_digest("2.5f0c1e", "own 64"), extended_digest("2.5f0c1e", "own 65"));
}

TEST(AgreedDigest, IsThatOfAllLooksWithoutAGap) {
  EXPECT_EQ(agreed_digest(looked_at({"a", "a"})).digest, "a");
  EXPECT_FALSE(agreed_digest(looked_at({"a", "a"})).unread);
  const AgreedDigest partly = agreed_digest(looked_at({"a", "", "a"}));
  EXPECT_EQ(partly.digest, "a");
  ASSERT_TRUE(partly.unread);
  EXPECT_EQ(partly.unread->gap, Cause{CauseCode::calls_differ});
}

TEST(AgreedDigest, IsNoneWhereLooksDisagreeOrNobodyLooked) {
  const AgreedDigest torn = agreed_digest(looked_at({"a", "b", "a"}));
  EXPECT_TRUE(torn.disagree);
  EXPECT_EQ(torn.digest, "");
  const AgreedDigest none = agreed_digest(CaseRecord{});
  EXPECT_EQ(none.digest, "");
  EXPECT_FALSE(none.disagree);
  EXPECT_FALSE(none.unread);
}

}  // namespace
}  // namespace harness
