#include "harness/store/git.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "repository.h"

namespace harness {
namespace {

using testing::HasSubstr;

TEST(HeadRevision, IsEmptyOutsideARepositoryAndBeforeTheFirstCommit) {
  const TemporaryFolder folder;
  EXPECT_EQ(head_revision(folder.path()), Revision{});
  const Repository repository;
  EXPECT_EQ(head_revision(repository.path()), Revision{});
}

TEST(HeadRevision, NamesCommitAndBranch) {
  Repository repository;
  const std::string commit = repository.commit("one");
  EXPECT_EQ(head_revision(repository.path()), (Revision{commit, "main", false}));
  repository.git({"checkout", "--quiet", "--detach"});
  EXPECT_EQ(head_revision(repository.path()), (Revision{commit, "", false}));
}

TEST(HeadRevision, IsDirtyWhenTrackedFilesChanged) {
  Repository repository;
  repository.write("sub/file", "1");
  repository.write(".harness/tracked", "1");
  repository.commit("one");
  repository.write("new file", "untracked");
  repository.write(".harness/tracked", "2");
  EXPECT_FALSE(head_revision(repository.path()).dirty) << "untracked files and the store do not count";
  EXPECT_FALSE(head_revision(repository.path() + "/sub").dirty);
  repository.write("counter", "changed");
  EXPECT_TRUE(head_revision(repository.path()).dirty);
  EXPECT_TRUE(head_revision(repository.path() + "/sub").dirty) << "from a folder below, too";
  repository.git({"add", "counter"});
  EXPECT_TRUE(head_revision(repository.path()).dirty) << "staged";
}

TEST(HeadRevision, HashesTheChanges) {
  Repository repository;
  repository.write("sub/file", "1");
  repository.write(".harness/tracked", "1");
  repository.commit("one");
  const auto changes = [&](const std::string& below = "") {
    return head_revision(repository.path() + below).changes;
  };
  EXPECT_EQ(changes(), "");
  repository.write("counter", "changed");
  const std::string once = changes();
  EXPECT_EQ(once.size(), 32U);
  EXPECT_EQ(changes("/sub"), once) << "from a folder below, too";
  repository.git({"add", "counter"});
  EXPECT_EQ(changes(), once) << "staged or not";
  repository.write("untracked", "1");
  repository.write(".harness/tracked", "2");
  EXPECT_EQ(changes(), once) << "untracked files and the store do not count";
  for (const char* setting :
       {"color.ui=always", "diff.noprefix=true", "diff.context=9", "diff.external=true"}) {
    const std::vector<std::string> words = split(setting, '=');
    repository.git({"config", words[0], words[1]});
    EXPECT_EQ(changes(), once) << setting;
  }
  repository.write("counter", "changed again");
  EXPECT_NE(changes(), once);
  repository.git({"checkout", "--quiet", "HEAD", "--", "counter"});
  EXPECT_EQ(changes(), "");
}

TEST(HeadRevision, IsDirtyWithChangesInASubmoduleThatItCannotTell) {
  Repository part, whole;
  part.commit("one");
  whole.git({"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part.path(), "part"});
  whole.git({"config", "-f", ".gitmodules", "submodule.part.ignore", "all"});
  const std::string commit = whole.commit("with a submodule");
  EXPECT_EQ(head_revision(whole.path()), (Revision{commit, "main"}));
  whole.write("part/untracked", "1");
  EXPECT_EQ(head_revision(whole.path()), (Revision{commit, "main"}));
  whole.write("part/counter", "changed");
  EXPECT_EQ(head_revision(whole.path()), (Revision{commit, "main", true, ""}));
}

TEST(HeadRevision, IsDirtyWhenGitCannotTell) {
  Repository repository;
  const std::string commit = repository.commit("one");
  repository.write(".git/index", "no index at all");
  EXPECT_EQ(head_revision(repository.path()), (Revision{commit, "main", true}));
}

TEST(ResolveRevision, TakesWhateverGitTakes) {
  Repository repository;
  const std::string first = repository.commit("one");
  const std::string second = repository.commit("two");
  repository.git({"tag", "-a", "v1", "-m", "annotated", first});
  for (const std::string& name : {std::string("HEAD~1"), std::string("v1"), first, first.substr(0, 8)})
    EXPECT_EQ(resolve_revision(repository.path(), name), first) << name;
  EXPECT_EQ(resolve_revision(repository.path(), "main"), second);
}

TEST(ResolveRevision, FindsABranchThatOnlyOriginHas) {
  Repository repository;
  const std::string commit = repository.commit("one");
  repository.git({"update-ref", "refs/remotes/origin/release", commit});
  EXPECT_EQ(resolve_revision(repository.path(), "release"), commit);
}

// Git takes the tag, and who writes `main` means the branch.
TEST(ResolveRevision, RefusesATagThatHasTheNameOfABranch) {
  Repository repository;
  const std::string first = repository.commit("one");
  repository.git({"tag", "main", first});
  EXPECT_EQ(resolve_revision(repository.path(), "main"), first) << "both are one commit";
  const std::string second = repository.commit("two");
  for (const char* name : {"main", "main~1", "main^{commit}"}) {
    const auto found = resolve_revision(repository.path(), name);
    ASSERT_FALSE(found) << name;
    EXPECT_NE(found.error().advice.find("refs/heads/main"), std::string::npos);
  }
  EXPECT_EQ(resolve_revision(repository.path(), "refs/heads/main"), second);
  EXPECT_EQ(resolve_revision(repository.path(), "refs/tags/main"), first);
  repository.git({"tag", "-d", "main"});
  repository.git({"tag", "-a", "-m", "a release", "v1", first});
  repository.git({"branch", "v1/fixes", second});
  EXPECT_EQ(resolve_revision(repository.path(), "v1"), first);
  EXPECT_EQ(resolve_revision(repository.path(), "main"), second);
  // A fresh checkout of a pull request has the target only as that of the remote.
  repository.git({"update-ref", "refs/remotes/origin/target", second});
  EXPECT_EQ(resolve_revision(repository.path(), "target"), second);
  for (const char* tag : {"target", "origin/target"}) {
    repository.git({"tag", tag, first});
    EXPECT_FALSE(resolve_revision(repository.path(), tag)) << tag;
    repository.git({"tag", "-d", tag});
  }
}

TEST(ResolveRevision, SuggestsANameForAnUnknownOne) {
  Repository repository;
  repository.commit("one");
  repository.git({"branch", "feature/fast"});
  const auto revision = resolve_revision(repository.path(), "feature/fats");
  ASSERT_FALSE(revision);
  EXPECT_EQ(revision.error().kind, ErrorKind::usage);
  EXPECT_THAT(revision.error().message, HasSubstr("`feature/fats`"));
  EXPECT_THAT(revision.error().advice, HasSubstr("`feature/fast`"));
}

TEST(ResolveRevision, NeverTakesANameForAnOption) {
  Repository repository;
  repository.commit("one");
  for (const std::string& name :
       {std::string("--all"), std::string("-h"), std::string("--output=stolen"),
        std::string("main; touch stolen"), std::string("$(touch stolen)"), std::string("main\nstolen"),
        std::string(""), std::string("main..main"), std::string("^main"), std::string("main:counter")})
    EXPECT_FALSE(resolve_revision(repository.path(), name)) << name;
  EXPECT_FALSE(std::filesystem::exists(repository.path() + "/stolen"));
}

TEST(ResolveRevision, SaysWhenThereIsNoRepository) {
  const TemporaryFolder folder;
  const auto revision = resolve_revision(folder.path(), "main");
  ASSERT_FALSE(revision);
  EXPECT_EQ(revision.error().kind, ErrorKind::usage);
}

TEST(MergeBase, IsWhereTwoBranchesParted) {
  Repository repository;
  const std::string base = repository.commit("base");
  repository.git({"checkout", "--quiet", "-b", "topic"});
  const std::string topic = repository.commit("topic");
  repository.git({"checkout", "--quiet", "main"});
  repository.git({"reset", "--quiet", "--hard", base});
  repository.write("other", "1");
  const std::string later = repository.commit("later");
  EXPECT_EQ(merge_base(repository.path(), later, topic), base);
  EXPECT_EQ(merge_base(repository.path(), base, topic), base);
}

TEST(MergeBase, OfUnrelatedHistoriesIsASlip) {
  Repository repository;
  const std::string one = repository.commit("one");
  repository.git({"checkout", "--quiet", "--orphan", "other"});
  const std::string two = repository.commit("two");
  const auto base = merge_base(repository.path(), one, two);
  ASSERT_FALSE(base);
  EXPECT_EQ(base.error().kind, ErrorKind::usage);
}

TEST(ShallowClone, IsExplained) {
  Repository repository;
  const std::string base = repository.commit("base");
  const std::string main = repository.commit("main");
  repository.git({"checkout", "--quiet", "-b", "topic", base});
  repository.write("topic", "1");
  const std::string topic = repository.commit("topic");
  const TemporaryFolder folder;
  const std::string clone = repository.shallow_clone(folder.path() / "clone", "topic");
  EXPECT_TRUE(is_shallow(clone));
  EXPECT_FALSE(is_shallow(repository.path()));
  const auto unknown = resolve_revision(clone, "main");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().advice, HasSubstr("fetch-depth: 0"));
  const auto fetched =
      run_command({{"git", "fetch", "--quiet", "--depth", "1", "origin", "main:main"}, clone});
  ASSERT_TRUE(fetched && fetched->exit.ok());
  const auto hidden = merge_base(clone, main, topic);
  ASSERT_FALSE(hidden);
  EXPECT_EQ(hidden.error().kind, ErrorKind::usage);
  EXPECT_THAT(hidden.error().advice,
              testing::AllOf(HasSubstr("git fetch --unshallow"), HasSubstr("fetch-depth: 0")));
}

TEST(Ancestors, ComeNearestFirstAlongFirstParents) {
  Repository repository;
  const std::string a = repository.commit("a");
  const std::string b = repository.commit("b");
  repository.git({"checkout", "--quiet", "-b", "side", a});
  repository.write("side", "1");
  const std::string s = repository.commit("side");
  repository.git({"checkout", "--quiet", "main"});
  repository.git({"merge", "--quiet", "--no-ff", "-X", "ours", "-m", "merge", "side"});
  const std::string m = repository.git({"rev-parse", "HEAD"});
  const auto line = ancestors(repository.path(), m, 10);
  ASSERT_TRUE(line);
  std::vector<std::pair<std::string, int>> found;
  for (const Ancestor& one : *line) found.emplace_back(one.commit, one.distance);
  EXPECT_EQ(found, (std::vector<std::pair<std::string, int>>{{m, 0}, {b, 1}, {s, 1}, {a, 2}}));
  EXPECT_EQ(ancestors(repository.path(), m, 2)->size(), 2U);
  EXPECT_FALSE(ancestors(repository.path(), "0000000000000000000000000000000000000000", 2));
}

TEST(FileAt, ReadsARevision) {
  Repository repository;
  repository.write("sub/data", "old\n\n");
  const std::string first = repository.commit("one");
  repository.write("sub/data", "new");
  const std::string second = repository.commit("two");
  EXPECT_EQ(file_at(repository.path(), first, "sub/data"), "old\n\n") << "to the last byte";
  EXPECT_EQ(file_at(repository.path(), second, "sub/data"), "new");
  EXPECT_EQ(file_at(repository.path() + "/sub", first, "./data"), "old\n\n") << "relative to the folder";
  EXPECT_EQ(file_at(repository.path(), first, "absent").error().kind, ErrorKind::missing);
  repository.write("absent", "on disk only");
  EXPECT_EQ(file_at(repository.path(), first, "absent").error().kind, ErrorKind::missing);
  EXPECT_FALSE(file_at(repository.path(), "HEAD", "counter")) << "only commit ids";
}

TEST(RepositoryRoot, IsTheTopFolder) {
  Repository repository;
  repository.write("sub/data", "");
  EXPECT_EQ(std::filesystem::canonical(*repository_root(repository.path() + "/sub")),
            std::filesystem::canonical(repository.path()));
  const TemporaryFolder folder;
  EXPECT_EQ(repository_root(folder.path()), std::nullopt);
}

}  // namespace
}  // namespace harness
