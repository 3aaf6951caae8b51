// The meaning of a name: a revision, a file, an id; and the baseline by revision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selecting.h"
#include "tests/verdict/facts.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(Selecting, TakesTheNewestCompleteRecordOfARevision) {
  const std::string commit = repository_.commit("one");
  measured(commit);
  const std::string newest = measured(commit);
  measured(commit, "GPU-1234", [](Record& record) { record.finished.clear(); });
  measured(commit, "GPU-1234", dirty);
  const auto selected = select_current(*store_, "HEAD", options_);
  ASSERT_TRUE(selected) << selected.error().text();
  EXPECT_EQ(selected->source.id, newest);
  EXPECT_THAT(selected->source.found, fact(SourceCode::revision, {{"name", "HEAD"}}));
  EXPECT_EQ(selected->source.device, "nvidia-h200 GPU-1234");
  EXPECT_EQ(selected->source.revision.commit, commit);
}

TEST_F(Selecting, TakesTheDirtyRecordOfADirtyTree) {
  const std::string commit = repository_.commit("one");
  const std::string clean = measured(commit);
  repository_.write("counter", "changed");
  const auto none = select_current(*store_, "HEAD", options_);
  ASSERT_FALSE(none) << "the clean record says nothing of the changes";
  EXPECT_EQ(none.error().kind, ErrorKind::missing);
  EXPECT_THAT(none.error().advice, HasSubstr("without its changes: " + commit.substr(0, 10)));
  const std::string changed = measured(commit, "GPU-1234", dirty);
  EXPECT_EQ(select_current(*store_, "HEAD", options_)->source.id, changed);
  EXPECT_THAT(select_current(*store_, "HEAD", options_)->source.found,
              fact(SourceCode::revision, {{"changes", "unknown"}}));
  EXPECT_EQ(select_current(*store_, commit, options_)->source.id, clean) << "a commit by name is clean";
  EXPECT_EQ(select_current(*store_, "main", options_)->source.id, clean);
}

TEST_F(Selecting, AsksForASuiteWhenThereAreSeveral) {
  const std::string commit = repository_.commit("one");
  const std::string fusion = measured(commit);
  measured(commit, "GPU-1234", [](Record& record) { record.suite.name = "attention"; });
  const auto several = select_current(*store_, "HEAD", options_);
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().text(), AllOf(HasSubstr("attention, fusion"), HasSubstr("--suite")));
  options_.suite = "fusion";
  EXPECT_EQ(select_current(*store_, "HEAD", options_)->source.id, fusion);
  options_.suite = "fusoin";
  EXPECT_THAT(select_current(*store_, "HEAD", options_).error().text(),
              AllOf(HasSubstr("`fusoin`"), HasSubstr("attention, fusion")));
}

TEST_F(Selecting, TakesARecordOfEachSuite) {
  const std::string commit = repository_.commit("one");
  measured(commit);
  const std::string fusion = measured(commit, "GPU-1234", [](Record& record) {
    record.id = "0198aaaa-89ab-4cde-8f01-23456789abcd";  // a name that can be told from a revision
  });
  const std::string attention =
      measured(commit, "GPU-1234", [](Record& record) { record.suite.name = "attention"; });
  const auto ids = [&](const std::string& name, const std::string& baseline) {
    std::vector<std::string> found;
    const auto sides = select_current_of_suites(*store_, name, baseline, options_);
    EXPECT_TRUE(sides) << sides.error().text();
    if (sides)
      for (const Selected& side : *sides) found.push_back(side.source.id);
    return found;
  };
  EXPECT_THAT(ids("HEAD", "main"), testing::ElementsAre(attention, fusion)) << "by the names of the suites";
  EXPECT_THAT(ids("HEAD", fusion), testing::ElementsAre(fusion)) << "the baseline is a record of one suite";
  EXPECT_THAT(ids(fusion, "main"), testing::ElementsAre(fusion));
  options_.suite = "attention";
  EXPECT_THAT(ids("HEAD", "main"), testing::ElementsAre(attention));
  options_.suite = "fusoin";
  EXPECT_EQ(select_current_of_suites(*store_, "HEAD", "main", options_).error().kind, ErrorKind::missing);
}

TEST_F(Selecting, SaysHowToMeasureWhatIsNot) {
  const std::string commit = repository_.commit("one");
  const auto none = select_current(*store_, "main", options_);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::missing);
  EXPECT_THAT(none.error().text(), AllOf(HasSubstr(commit.substr(0, 10)), HasSubstr("harness run")));
  measured(commit, "GPU-1234", [](Record& record) { record.finished.clear(); });
  EXPECT_THAT(select_current(*store_, "main", options_).error().advice, HasSubstr("--continue"));
  EXPECT_EQ(select_current(*store_, "nothing", options_).error().kind, ErrorKind::usage);
}

TEST_F(Selecting, NamesTheNewestRecordThatIsThere) {
  const std::string before = repository_.commit("one");
  measured(before);
  const std::string newest = measured(before);
  repository_.commit("two");
  const auto none = select_current(*store_, "HEAD", options_);
  ASSERT_FALSE(none);
  const std::string advised = newest.substr(0, 8) + ", of " + before.substr(0, 10);
  EXPECT_THAT(none.error().advice, HasSubstr(advised));
  options_.suite = "fusoin";
  EXPECT_THAT(select_current(*store_, "HEAD", options_).error().advice, Not(HasSubstr("newest")));
}

TEST_F(Selecting, TakesAFileAsEitherSide) {
  const std::string path = repository_.path() + "/base.json";
  repository_.write("base.json", encode(example_record()));
  const auto as_current = select_current(*store_, path, options_);
  ASSERT_TRUE(as_current) << as_current.error().text();
  EXPECT_EQ(as_current->record, example_record());
  EXPECT_THAT(as_current->source.found, fact(SourceCode::file, {{"path", path}}));
  const Selected other = current(repository_.commit("one"));
  EXPECT_EQ(baseline(path, other)->record, example_record());
  EXPECT_EQ(select_current(*store_, "gone.json", options_).error().kind, ErrorKind::usage);
  EXPECT_EQ(baseline("gone.json", *as_current).error().kind, ErrorKind::usage);
  repository_.write("no-extension", encode(example_record()));
  EXPECT_TRUE(select_current(*store_, repository_.path() + "/no-extension", options_));
  repository_.write("bad.json", "{");
  EXPECT_EQ(select_current(*store_, repository_.path() + "/bad.json", options_).error().where,
            (Location{repository_.path() + "/bad.json", 1, 2}));
}

TEST_F(Selecting, ComparesWithTheMergeBase) {
  const std::string base = repository_.commit("base");
  const std::string wanted = measured(base);
  repository_.git({"checkout", "--quiet", "-b", "topic"});
  const std::string topic = repository_.commit("topic");
  repository_.git({"checkout", "--quiet", "main"});
  measured(repository_.commit("main went on"));
  const auto found = baseline("main", current(topic));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, wanted);
  EXPECT_EQ(found->source.distance, 0);
  EXPECT_THAT(found->source.found, fact(SourceCode::ancestor, {{"name", "main"}, {"fork", topic}}));
  EXPECT_EQ(found->source.revision.commit, base);
}

TEST_F(Selecting, ComparesWithTheNearestMeasuredAncestor) {
  measured(repository_.commit("far"));
  const std::string near = repository_.commit("near");
  const std::string wanted = measured(near);
  measured(repository_.commit("dirty"), "GPU-1234", dirty);
  measured(repository_.commit("unfinished"), "GPU-1234", [](Record& record) { record.finished.clear(); });
  measured(repository_.commit("another suite"), "GPU-1234", [](Record& record) { record.suite.name = "x"; });
  measured(repository_.commit("another class"), "GPU-1234",
           [](Record& record) { record.machines["cuda"].machine_class = "nvidia-l4"; });
  repository_.git({"checkout", "--quiet", "-b", "topic"});
  const auto found = baseline("main", current(repository_.commit("topic")));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, wanted);
  EXPECT_EQ(found->source.distance, 4);
  EXPECT_THAT(found->source.found, fact(SourceCode::ancestor, {{"name", "main"}}));
  EXPECT_EQ(found->source.revision.commit, near);
}

TEST_F(Selecting, PrefersTheSameDevice) {
  const std::string same = measured(repository_.commit("one"), "GPU-A");
  const std::string near = repository_.commit("two");
  const std::string other = measured(near, "GPU-B");
  repository_.git({"checkout", "--quiet", "-b", "topic"});
  const std::string topic = repository_.commit("topic");
  EXPECT_EQ(baseline("main", current(topic, "GPU-A"))->source.id, same);
  EXPECT_EQ(baseline("main", current(topic, "GPU-B"))->source.id, other);
  EXPECT_EQ(baseline("main", current(topic, "GPU-C"))->source.id, other)
      << "the nearest, when none is the same";
}

TEST_F(Selecting, NeverComparesARecordWithItself) {
  const std::string first = repository_.commit("one");
  const std::string wanted = measured(first);
  const std::string second = repository_.commit("two");
  const auto found = baseline("main", current(second));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, wanted) << "on main itself: what main was before";
  EXPECT_EQ(found->source.distance, 1);
}

TEST_F(Selecting, ComparesADirtyTreeWithItsOwnCommit) {
  const std::string commit = repository_.commit("one");
  const std::string clean = measured(commit);
  const Selected changed = *select_stored(*store_, measured(commit, "GPU-1234", dirty));
  const auto found = baseline("main", changed);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, clean);
}

TEST_F(Selecting, FallsBackToThePinnedBaseline) {
  Record pinned = right_record();
  pinned.id = "pinned";
  ASSERT_TRUE(promote(repository_.path() + "/baselines", pinned, "Ann", "first"));
  const std::string base = repository_.commit("pin");
  repository_.git({"checkout", "--quiet", "-b", "topic"});
  repository_.git({"rm", "--quiet", "-r", "baselines"});
  const auto found = baseline("main", current(repository_.commit("unpin")));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, "pinned") << "as it was at the merge base, not as it is now";
  EXPECT_THAT(found->source.found,
              fact(SourceCode::pinned, {{"path", "baselines/nvidia-h200/fusion.json"}, {"commit", base}}));
}

TEST_F(Selecting, NeverLeavesTheBaselinesFolder) {
  repository_.write("secret.json", encode(example_record()));
  repository_.commit("one");
  repository_.git({"checkout", "--quiet", "-b", "topic"});
  const std::string topic = repository_.commit("topic");
  Selected hostile = current(topic);
  hostile.record.suite.name = "../../secret";
  EXPECT_EQ(baseline("main", hostile).error().kind, ErrorKind::missing);
}

TEST_F(Selecting, SaysWhatToDoWithoutABaseline) {
  const std::string base = repository_.commit("one");
  repository_.git({"checkout", "--quiet", "-b", "topic"});
  const auto none = baseline("main", current(repository_.commit("topic")));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::missing);
  EXPECT_THAT(none.error().text(),
              AllOf(HasSubstr("`fusion`"), HasSubstr("nvidia-h200"), HasSubstr(base.substr(0, 10)),
                    HasSubstr("`harness run suites/fusion.yaml`"), HasSubstr("harness baseline promote")));
  EXPECT_THAT(none.error().advice, Not(HasSubstr("--unshallow")));
  EXPECT_EQ(baseline("mian", current(base)).error().kind, ErrorKind::usage);
}

TEST_F(Selecting, TakesARecordOfAnUnknownCommitByTheNamedRevision) {
  const std::string wanted = measured(repository_.commit("one"));
  const auto found = baseline("main", current("2222222222222222222222222222222222222222"));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, wanted);
  EXPECT_THAT(found->source.found, fact(SourceCode::ancestor, {{"name", "main"}}));
  EXPECT_EQ(found->source.found.text("fork"), "");
}

}  // namespace
}  // namespace harness
