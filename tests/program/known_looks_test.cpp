// The newest record of the build that runs counts for a case, on the same machine.
#include "harness/cli/deciding/known_looks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "harness/base/files.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/provenance/tool.h"
#include "harness/store/store.h"

namespace harness {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class KnownLooks : public testing::Test {
 protected:
  KnownLooks() {
    setenv("HARNESS_ENVIRONMENT", "image 1", 1);
    std::filesystem::current_path(folder_.path());  // outside a repository
    PlannedCase planned;
    planned.id = "gelu/plain/n=64";
    planned.workload = "gelu";
    planned.variant = "plain";
    planned.device = "cpu";
    plan_.cases = {planned};
    plan_.suite.name = "demo";
    prepared_.devices["cpu"] = "cpu";
    prepared_.machines["cpu"] = {"cpu-x", "host 1", {{"kernel", "6.1", FieldClass::warn}}, {}};
    store_ = std::move(*Store::open((folder_.path() / "r.db").string()));
  }
  ~KnownLooks() override {
    std::filesystem::current_path(before_);
    unsetenv("HARNESS_ENVIRONMENT");
  }

  Record header(const std::string& id) {
    Record record;
    record.id = id;
    record.suite = plan_.suite;
    record.revision.commit = std::string(40, 'a');
    record.build = this_build(plan_, record.revision);
    record.started = "2026-11-27T08:00:00Z";
    return record;
  }

  // Stores a record whose only case ended like this, with a process for each of these digests.
  Record put(Record record, Outcome outcome = Outcome::measured,
             const std::vector<std::string>& digests = {"d1"}) {
    record.machines = prepared_.machines;
    record.finished = record.started;
    CaseRecord one = planned_record(plan_.cases.front());
    for (const std::string& digest : digests) {
      ProcessResult result;
      result.case_id = one.id;
      result.process = static_cast<int>(one.processes.size()) + 1;
      result.outcome = outcome;
      result.identity = Identity{digest};
      if (digest.empty()) result.identity->gap = Cause{CauseCode::calls_differ};
      if (outcome != Outcome::measured) result.reason = Cause{CauseCode::timed_out, {{"limit", 1.0}}};
      add_result(one, result);
    }
    record.cases = {one};
    EXPECT_TRUE(store_->put_record(record));
    return record;
  }

  std::map<std::string, EncodedResult> found(Record record) {
    EXPECT_TRUE(store_->begin(record));
    return known_looks(*store_, record, record.build, plan_, prepared_).value();
  }

  std::filesystem::path before_ = std::filesystem::current_path();
  TemporaryFolder folder_;
  Plan plan_;
  Prepared prepared_;
  std::unique_ptr<Store> store_;
};

TEST_F(KnownLooks, AreThoseOfARecordOfThisBuild) {
  put(header("r1"));
  const auto looks = found(header("r2"));
  ASSERT_THAT(looks, SizeIs(1));
  const ProcessResult& look = looks.begin()->second.result;
  EXPECT_EQ(look.outcome, Outcome::looked_at);
  EXPECT_EQ(look.process, 0);
  EXPECT_EQ(look.identity->digest, "d1");
  EXPECT_EQ(look.identity->same_build, "r1");
  EXPECT_EQ(look.notes.at(0).code, NoteCode::known_look);
  EXPECT_EQ(look.notes.at(0).count("unread"), 0);
}

TEST_F(KnownLooks, HaveNoDigestWhereTheLaunchesOfTheRecordProveNothing) {
  put(header("r1"), Outcome::measured, {""});
  auto looks = found(header("r2"));
  ASSERT_THAT(looks, SizeIs(1));
  EXPECT_EQ(looks.begin()->second.result.identity, (Identity{"", Cause{CauseCode::calls_differ}, "", "r1"}));
  EXPECT_EQ(looks.begin()->second.result.notes.at(0).count("unread"), 1);
  put(header("r3"), Outcome::measured, {"d1", "d2"});
  looks = found(header("r4"));
  ASSERT_THAT(looks, SizeIs(1));
  EXPECT_EQ(looks.begin()->second.result.identity,
            (Identity{"", Cause{CauseCode::processes_differ}, "", "r3"}));
}

TEST_F(KnownLooks, WithoutADigestAreNoneWhereTheNewestRecordIsWrongOrUnfinished) {
  put(header("r1"), Outcome::measured, {""});
  put(header("r2"), Outcome::incorrect, {""});
  EXPECT_THAT(found(header("r3")), IsEmpty());
  put(header("r4"), Outcome::measured, {""});
  EXPECT_THAT(found(header("r5")), SizeIs(1));
  ASSERT_TRUE(store_->finish(put(header("r6"), Outcome::measured, {""}).id, RunState::interrupted));
  EXPECT_THAT(found(header("r7")), IsEmpty());
}

// A record whose case was taken over from `from`, as a run leaves it.
TEST_F(KnownLooks, TakeOverWhatWasTakenOver) {
  put(header("r1"), Outcome::measured, {""});
  Record second = header("r2");
  EXPECT_TRUE(store_->begin(second));
  const auto looks = known_looks(*store_, second, second.build, plan_, prepared_).value();
  second.cases = {planned_record(plan_.cases.front())};
  second.id = "r3";
  second.finished = second.started;
  add_result(second.cases.front(), looks.begin()->second.result);
  ASSERT_TRUE(store_->put_record(second));
  const auto again = found(header("r4"));
  ASSERT_THAT(again, SizeIs(1));
  EXPECT_EQ(again.begin()->second.result.identity->same_build, "r3");
  EXPECT_EQ(again.begin()->second.result.identity->gap, Cause{CauseCode::calls_differ});
}

TEST_F(KnownLooks, AreNoneWhereTheNewestRecordOfTheBuildIsWrong) {
  put(header("r1"));
  put(header("r2"), Outcome::timed_out);
  EXPECT_THAT(found(header("r3")), IsEmpty());
}

TEST_F(KnownLooks, AreNoneWhereARecordThatBeganEarlierIsWrongAndEndedLater) {
  Record continued = header("r1");
  continued.started = "2026-11-27T10:00:00Z";
  put(continued, Outcome::incorrect);
  put(header("r2"));
  EXPECT_THAT(found(header("r3")), IsEmpty());
  Record later = header("r4");
  later.started = "2026-11-27T11:00:00Z";
  put(later);
  EXPECT_THAT(found(header("r5")), SizeIs(1));
}

TEST_F(KnownLooks, AreNoneWhereTheNewestRecordRegressed) {
  put(header("r1"));
  const std::string id = plan_.cases[0].id;
  put(header("r2"));
  for (const Verdict verdict : {Verdict::inconclusive, Verdict::regressed}) {
    ASSERT_TRUE(store_->set_verdicts("r2", "regressed", std::vector<CaseVerdict>{{id, verdict, false}},
                                     JudgedBy::own_history));
    EXPECT_THAT(found(header("r3 " + std::string(name_of(verdict)))),
                SizeIs(verdict == Verdict::regressed ? 0 : 1));
  }
  ASSERT_TRUE(store_->set_verdicts(
      "r2", "regressed", std::vector<CaseVerdict>{{id, Verdict::regressed, true}}, JudgedBy::own_history));
  EXPECT_THAT(found(header("r4")), SizeIs(1)) << "somebody accepted it";
}

TEST_F(KnownLooks, AreNoneWhereTheNewestRecordIsUnfinished) {
  put(header("r1"));
  const Record unfinished = put(header("r2"));
  ASSERT_TRUE(store_->finish(unfinished.id, RunState::interrupted));
  EXPECT_THAT(found(header("r3")), IsEmpty());
}

TEST_F(KnownLooks, AreNoneOfAnotherBuildMachineOrSampling) {
  Record other = header("r1");
  other.build["program"] = "another";
  put(other);
  EXPECT_THAT(found(header("r2")), IsEmpty());
  put(header("r3"));
  prepared_.machines["cpu"].fields[0].value = "6.2";
  EXPECT_THAT(found(header("r4")), IsEmpty());
  prepared_.machines["cpu"].fields[0].value = "6.1";
  EXPECT_THAT(found(header("r5")), SizeIs(1));
  plan_.cases[0].sampling.seed = 9;
  EXPECT_THAT(found(header("r6")), IsEmpty());
}

TEST_F(KnownLooks, TellNoValueThatTheRecordLacks) {
  plan_.cases[0].metrics = {"time", "loss"};
  put(header("r1"));
  MetricGate gate;
  gate.metric = "loss";
  plan_.cases[0].gate.metrics = {gate};
  const auto looks = found(header("r2"));
  ASSERT_THAT(looks, SizeIs(1));
  EXPECT_THAT(looks.begin()->second.result.series, IsEmpty());
}

TEST_F(KnownLooks, AreNoneWhereTheVariablesChangedSinceTheRunBegan) {
  put(header("r1"));
  const Record record = header("r2");
  setenv("TILE", "8", 1);
  EXPECT_THAT(found(record), IsEmpty());
  unsetenv("TILE");
}

TEST_F(KnownLooks, ARecordForgetsItsBuildWhereAnotherOneRuns) {
  Record record = put(header("r1"));
  ASSERT_TRUE(forget_another_build(*store_, record, plan_));
  EXPECT_FALSE(store_->load("r1")->build.empty());
  setenv("TILE", "8", 1);
  ASSERT_TRUE(forget_another_build(*store_, record, plan_));
  unsetenv("TILE");
  EXPECT_THAT(record.build, IsEmpty());
  EXPECT_THAT(store_->load("r1")->build, IsEmpty());
}

}  // namespace
}  // namespace harness
