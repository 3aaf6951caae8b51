// Several records: one becomes the baseline, and some never do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/store/git.h"
#include "selecting.h"
#include "tests/verdict/facts.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Baselines : public Selecting {
 protected:
  std::string judged(const std::string& commit, const std::string& verdict,
                     const std::string& device = "GPU-1234") {
    std::string id = measured(commit, device);
    EXPECT_TRUE(store_->set_verdict(id, verdict));
    return id;
  }

  // Pins a record of `commit` in the tree; commit() commits it.
  void pin(const std::string& commit, const std::string& device = "GPU-1234") {
    Record record = right_record();
    record.id = "pinned";
    record.revision = {commit, "", false};
    record.machines["cuda"].device_uuid = device;
    const auto path = promote(repository_.path() + "/baselines", record, "Ann", "on purpose");
    EXPECT_TRUE(path) << path.error().text();
  }

  std::string topic() {
    repository_.git({"checkout", "--quiet", "-b", "topic"});
    return repository_.commit("topic");
  }

  std::string chosen(const Selected& current) {
    const auto found = baseline("main", current);
    return found ? found->source.id : found.error().text();
  }
};

TEST_F(Baselines, AreNeverWhatRegressed) {
  const std::string good = judged(repository_.commit("good"), "unchanged");
  const std::string bad = repository_.commit("bad");
  judged(bad, "regressed");
  const auto found = baseline("main", current(topic()));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, good);
  EXPECT_EQ(found->source.distance, 1);
  EXPECT_THAT(found->source.found,
              fact(SourceCode::ancestor, {{"passed_over", 1}, {"regressed", 1}, {"failed", 0}}));
  EXPECT_EQ(baseline(bad, current(repository_.commit("more")))->source.id, good) << "asked for by name, too";
}

TEST_F(Baselines, AreNotMissedByTheFirstRecordOnADevice) {
  const std::string base = repository_.commit("base");
  const auto is_first = [&](const std::string& name, const Selected& current) {
    return is_first_here(*store_, name, current, options_);
  };
  const Selected first = current(base);
  EXPECT_TRUE(is_first("main", first));
  EXPECT_TRUE(is_first("HEAD", first));
  EXPECT_FALSE(is_first(first.source.id, first)) << "no revision was named";
  pin(base, "GPU-other");
  const std::string pinned = repository_.commit("pinned");
  EXPECT_FALSE(is_first("main", current(pinned))) << "the first record is before it";
  EXPECT_TRUE(is_first("main", current(pinned, "GPU-new"))) << "the pin is of another device";
  const Selected change = current(topic(), "GPU-last");
  EXPECT_FALSE(is_first("main", change)) << "main can be built and measured";
}

TEST_F(Baselines, AreNeverACalibration) {
  const std::string base = repository_.commit("base");
  const std::string older = measured(base);
  measured(base, "GPU-1234", [](Record& record) {
    record.calibration = true;
    record.started = "2026-11-21T00:00:00Z";
  });
  const std::string head = repository_.commit("head");
  const auto found = baseline("main", current(head));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, older);
  EXPECT_EQ(select_current(*store_, base, options_)->source.id, older);
}

TEST_F(Baselines, AreNeverWhatFailed) {
  const std::string good = measured(repository_.commit("good"));
  for (const Outcome outcome : {Outcome::failed, Outcome::timed_out, Outcome::incorrect})
    measured(repository_.commit("bad"), "GPU-1234", [&](Record& record) {
      add_result(record.cases[0], {record.cases[0].id, 2, outcome, told_cause("why"), {}, {}, {}});
    });
  judged(repository_.commit("failed"), "failed");
  const auto found = baseline("main", current(topic()));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, good);
  EXPECT_THAT(found->source.found,
              fact(SourceCode::ancestor, {{"passed_over", 4}, {"regressed", 0}, {"failed", 1}}));
}

TEST_F(Baselines, MayBeAnythingElseThatWasJudged) {
  for (const char* verdict :
       {"unchanged", "improved", "inconclusive", "missing", "not_comparable", "skipped"}) {
    const std::string id = judged(repository_.commit(verdict), verdict);
    const auto found = baseline("main", *select_stored(*store_, measured(topic())));
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->source.id, id) << verdict;
    EXPECT_EQ(found->source.found.count("passed_over"), 0);
    repository_.git({"checkout", "--quiet", "main"});
    repository_.git({"branch", "--quiet", "-D", "topic"});
  }
}

TEST_F(Baselines, PassOverARedRecordForAnotherOfTheSameCommit) {
  const std::string commit = repository_.commit("one");
  const std::string good = measured(commit);
  judged(commit, "regressed");
  EXPECT_EQ(chosen(current(topic())), good);
}

TEST_F(Baselines, AreMissingWhenAllRegressed) {
  judged(repository_.commit("one"), "regressed");
  judged(repository_.commit("two"), "failed");
  const auto none = baseline("main", current(topic()));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::missing);
  EXPECT_THAT(none.error().message, HasSubstr(" 2 records "));
}

TEST_F(Baselines, AreOfTheWholeSuiteBeforeAPart) {
  const auto part = [](Record& record) { record.partial = true; };
  const std::string far = measured(repository_.commit("far"));
  const std::string near = repository_.commit("near");
  const std::string only_part = measured(near, "GPU-1234", part);
  const Selected now = current(topic());
  EXPECT_EQ(chosen(now), only_part) << "the nearest, when its commit has no other";
  const std::string whole = measured(near);
  const std::string newer_whole = measured(near);
  measured(near, "GPU-1234", part);
  EXPECT_EQ(chosen(now), newer_whole);
  EXPECT_EQ(select_current(*store_, near, options_)->source.id, newer_whole);
  EXPECT_NE(whole, far);
}

TEST_F(Baselines, ArePinnedBeforeThoseOfAnotherDevice) {
  const std::string one = repository_.commit("one");
  pin(one);
  const std::string other = measured(repository_.commit("two"), "GPU-B");
  const std::string tip = topic();
  EXPECT_EQ(chosen(current(tip)), "pinned");
  EXPECT_EQ(chosen(current(tip, "GPU-C")), other) << "the pin is of another device as well";
  EXPECT_EQ(chosen(current(tip, "GPU-B")), other);
}

TEST_F(Baselines, ArePinnedOnAnotherDeviceAtLast) {
  const std::string one = repository_.commit("one");
  pin(one);
  repository_.commit("pin");
  EXPECT_EQ(chosen(current(topic(), "GPU-C")), "pinned");
}

TEST_F(Baselines, AreStoredBeforeAPinOfAnOlderCommit) {
  const std::string one = repository_.commit("one");
  pin(one);
  const std::string stored = measured(repository_.commit("pin"));
  EXPECT_EQ(chosen(current(topic())), stored);
}

TEST_F(Baselines, ArePinnedWhenThePinMeasuredANearerCommit) {
  measured(repository_.commit("before"));
  const std::string slower = repository_.commit("slower, on purpose");
  judged(slower, "regressed");
  pin(slower);
  repository_.commit("accept it");
  const auto found = baseline("main", current(topic()));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, "pinned");
}

TEST_F(Baselines, AreStoredWhenAPinOfTheSameCommitIsThere) {
  const std::string one = repository_.commit("one");
  const std::string stored = measured(one);
  pin(one);
  repository_.commit("pin");
  EXPECT_EQ(chosen(current(topic())), stored);
}

TEST_F(Baselines, DoNotNeedAPinThatCannotBeRead) {
  const std::string stored = measured(repository_.commit("one"));
  repository_.write("baselines/nvidia-h200/fusion.json", "{");
  repository_.commit("broken");
  const std::string tip = topic();
  const auto found = baseline("main", current(tip));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, stored);
  EXPECT_NE(found->source.found.text("pin_error"), "");
  EXPECT_THAT(baseline("main", current(tip, "GPU-C")).error().where.file, HasSubstr(".json"));
}

TEST_F(Baselines, OfTheBranchItselfAreLookedForBeforeHead) {
  const std::string first = repository_.commit("one");
  const auto root = baseline("main", current(first));
  ASSERT_FALSE(root);
  EXPECT_THAT(root.error().message, HasSubstr(first.substr(0, 10)));
  EXPECT_THAT(root.error().advice, Not(HasSubstr("~1"))) << "nothing is before it";
  const std::string second = repository_.commit("two");
  store_ = *Store::open(repository_.path() + "/.harness/other.db");
  const auto none = baseline("main", current(second));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, AllOf(HasSubstr(second.substr(0, 10)), HasSubstr("`main`")));
  EXPECT_THAT(none.error().advice, HasSubstr(second.substr(0, 10) + "~1"));
  repository_.commit("three");
  store_ = *Store::open(repository_.path() + "/.harness/third.db");
  EXPECT_THAT(baseline("main~1", current(second)).error().message, HasSubstr("`main~1`"));
}

TEST_F(Baselines, AdviceQuotesTheSuite) {
  repository_.commit("one");
  Selected hostile = current(topic());
  hostile.record.suite.file = "s.yaml; touch it's";
  EXPECT_THAT(baseline("main", hostile).error().advice, HasSubstr("`harness run 's.yaml; touch it'\\''s'`"));
}

TEST_F(Baselines, AreNamedById) {
  const std::string commit = repository_.commit("one");
  const auto with_id = [&](const std::string& id, bool finished = true) {
    measured(commit, "GPU-1234", [&](Record& record) {
      record.id = id;
      if (!finished) record.finished.clear();
    });
    return id;
  };
  const std::string one = with_id("feedfeed-0000-4000-8000-000000000001");
  const std::string two = with_id("feedfeed-0000-4000-8000-000000000002");
  const std::string three = with_id("feedbeef-0000-4000-8000-000000000003");
  const Selected now = current(topic());
  for (const std::string& name : {three, three.substr(0, 8), three.substr(0, 20), std::string("FEEDBEEF")}) {
    const auto as_baseline = baseline(name, now);
    ASSERT_TRUE(as_baseline) << as_baseline.error().text();
    EXPECT_EQ(as_baseline->source.id, three);
    EXPECT_EQ(as_baseline->source.found, Fact<SourceCode>{SourceCode::record});
    EXPECT_EQ(as_baseline->source.revision.commit, commit);
    EXPECT_EQ(select_current(*store_, name, options_)->source.id, three);
  }
  EXPECT_EQ(baseline(one, now)->source.id, one);
  const auto ambiguous = baseline("feedfeed-0", now);
  ASSERT_FALSE(ambiguous);
  EXPECT_EQ(ambiguous.error().kind, ErrorKind::usage);
  EXPECT_THAT(ambiguous.error().text(), AllOf(HasSubstr(one), HasSubstr(two)));
  EXPECT_EQ(baseline("feedbee", now).error().kind, ErrorKind::usage) << "too short to be an id";
  EXPECT_EQ(baseline("feedbeef-1111-4000-8000-000000000003", now).error().kind, ErrorKind::usage);
  EXPECT_EQ(baseline("feedbeef-1", now).error().kind, ErrorKind::usage);
}

TEST_F(Baselines, AreRevisionsBeforeTheyAreBeginningsOfIds) {
  const std::string commit = repository_.commit("one");
  const std::string wanted = measured(commit);
  measured(commit, "GPU-B",
           [&](Record& record) { record.id = commit.substr(0, 8) + "-0000-4000-8000-000000000001"; });
  EXPECT_EQ(baseline(commit.substr(0, 8), current(topic()))->source.id, wanted);
}

TEST_F(Baselines, AreNeverTheRecordItself) {
  const std::string commit = repository_.commit("one");
  measured(commit, "GPU-1234", [](Record& record) { record.id = "feedbeef-0000-4000-8000-000000000003"; });
  const auto now = select_current(*store_, "feedbeef", options_);
  ASSERT_TRUE(now) << now.error().text();
  repository_.write("same.json", encode(now->record));
  for (const std::string& name : {std::string("feedbeef"), repository_.path() + "/same.json"}) {
    const auto same = baseline(name, *now);
    ASSERT_FALSE(same);
    EXPECT_EQ(same.error().kind, ErrorKind::usage);
  }
}

TEST_F(Baselines, AreFinished) {
  Record record = right_record();
  record.finished.clear();
  repository_.write("part.json", encode(record));
  const std::string path = repository_.path() + "/part.json";
  const Selected now = current(repository_.commit("one"));
  const auto refused = baseline(path, now);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_THAT(refused.error().advice, HasSubstr("--continue"));
  EXPECT_THAT(select_current(*store_, path, options_)->source.found,
              fact(SourceCode::file, {{"path", path}, {"unfinished", 1}}));
  record.id = "feedbeef-0000-4000-8000-000000000003";
  ASSERT_TRUE(store_->put_record(record));
  EXPECT_EQ(baseline("feedbeef", now).error().kind, ErrorKind::usage);
  EXPECT_THAT(select_current(*store_, "feedbeef", options_)->source.found,
              fact(SourceCode::record, {{"unfinished", 1}}));
}

TEST_F(Baselines, AreOfTheSuiteAskedFor) {
  repository_.write("base.json", encode(right_record()));
  const std::string path = repository_.path() + "/base.json";
  const Selected now = current(repository_.commit("one"));
  options_.suite = "attention";
  for (const auto& wrong : {baseline(path, now), select_current(*store_, path, options_)}) {
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().kind, ErrorKind::usage);
    EXPECT_THAT(wrong.error().message, AllOf(HasSubstr("`fusion`"), HasSubstr("`attention`")));
  }
  options_.suite = "fusion";
  EXPECT_TRUE(baseline(path, now));
}

TEST_F(Baselines, AreNeitherSamplesNorSuites) {
  const Selected now = current(repository_.commit("one"));
  repository_.write("a b.jsonl", R"({"case": "x"})");
  repository_.write("suite.yaml", "suite: x\n");
  EXPECT_EQ(baseline(repository_.path() + "/a b.jsonl", now).error().where.file,
            repository_.path() + "/a b.jsonl");
  EXPECT_EQ(baseline(repository_.path() + "/suite.yaml", now).error().where.file,
            repository_.path() + "/suite.yaml");
}

TEST_F(Baselines, TellTheChangesOfADirtyTreeApart) {
  const std::string commit = repository_.commit("one");
  repository_.write("counter", "changed");
  const std::string changes = head_revision(repository_.path()).changes;
  const auto with_changes = [&](const std::string& of) {
    return measured(commit, "GPU-1234", [&](Record& record) {
      record.revision.dirty = true;
      record.revision.changes = of;
    });
  };
  const std::string older = with_changes("others");
  EXPECT_THAT(select_current(*store_, "HEAD", options_)->source.found,
              fact(SourceCode::revision, {{"changes", "other"}}));
  const std::string same = with_changes(changes);
  with_changes("others");
  const auto found = select_current(*store_, "HEAD", options_);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, same) << "the newest is of other changes";
  EXPECT_THAT(found->source.found, fact(SourceCode::revision, {{"name", "HEAD"}, {"changes", "same"}}));
}

}  // namespace
}  // namespace harness
