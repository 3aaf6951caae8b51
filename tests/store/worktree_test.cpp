// Checkouts beside the user's tree, and the line of a branch.
#include "harness/store/worktree.h"

#include <gtest/gtest.h>

#include "harness/store/git.h"
#include "repository.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

class Worktrees : public testing::Test {
 protected:
  Worktrees() {
    repository_.write("file", "old");
    old_ = repository_.commit("old");
    repository_.write("file", "new");
    new_ = repository_.commit("new");
  }

  [[nodiscard]] fs::path folder() const { return fs::path(repository_.path()) / ".harness" / "worktrees"; }
  // Entries there, locks included.
  [[nodiscard]] int entries() const {
    int count = 0;
    std::error_code code;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder(), code)) ++count;
    return count;
  }

  Repository repository_;
  std::string old_, new_;
};

TEST_F(Worktrees, HoldAnotherCommitAndLeaveTheTreeAlone) {
  {
    auto worktree = Worktree::add(repository_.path(), "test", old_);
    ASSERT_TRUE(worktree) << worktree.error().text();
    EXPECT_EQ(*read_file(worktree->path() / "file"), "old");
    EXPECT_EQ(head_revision(worktree->path()).commit, old_);
    EXPECT_EQ(*read_file(fs::path(repository_.path()) / "file"), "new");
    EXPECT_EQ(repository_.git({"status", "--porcelain"}), "") << "git is told to leave them alone";
    ASSERT_TRUE(write_file_atomically(worktree->path() / "file", "changed"));
    ASSERT_TRUE(write_file_atomically(worktree->path() / "built", "untracked"));
    ASSERT_TRUE(worktree->check_out(new_));
    EXPECT_EQ(*read_file(worktree->path() / "file"), "new");
    EXPECT_EQ(*read_file(worktree->path() / "built"), "untracked") << "a build folder can be used again";
  }
  EXPECT_EQ(entries(), 0);
  EXPECT_EQ(repository_.git({"worktree", "list"}).find('\n'), std::string::npos);
}

TEST_F(Worktrees, AreNotTakenForStaleWhileTheirOwnerLives) {
  auto worktree = Worktree::add(repository_.path(), "test", old_);
  ASSERT_TRUE(worktree);
  const Worktree moved = std::move(*worktree);
  remove_stale_worktrees(repository_.path());
  EXPECT_TRUE(fs::exists(moved.path() / "file"));
  auto other = Worktree::add(repository_.path(), "test", new_);
  ASSERT_TRUE(other);
  EXPECT_TRUE(fs::exists(moved.path() / "file"));
}

TEST_F(Worktrees, OfTheDeadAreRemovedByTheNext) {
  const fs::path left = folder() / "test-dead";
  repository_.git({"worktree", "add", "--detach", left.string(), old_});
  ASSERT_TRUE(write_file_atomically(left.string() + ".lock", ""));
  ASSERT_TRUE(Worktree::add(repository_.path(), "test", old_));
  EXPECT_EQ(entries(), 0);
  EXPECT_EQ(repository_.git({"worktree", "list"}).find('\n'), std::string::npos);
}

TEST_F(Worktrees, SayWhatCannotBeCheckedOut) {
  EXPECT_FALSE(Worktree::add(repository_.path(), "test", std::string(40, '0')));
  EXPECT_EQ(entries(), 0);
  const TemporaryFolder nowhere;
  EXPECT_FALSE(Worktree::add(nowhere.path(), "test", old_));
}

TEST(FirstParents, AreTheBranchAsItGrew) {
  Repository repository;
  const std::string root = repository.commit("root");
  repository.git({"checkout", "-q", "-b", "side"});
  const std::string side = repository.commit("side");
  repository.git({"checkout", "-q", "main"});
  const std::string straight = repository.commit("straight; \xC3\xA4 \"quoted\"");
  repository.git({"merge", "-q", "--no-edit", "-X", "ours", "-m", "merge", "side"});
  const std::string merge = repository.git({"rev-parse", "HEAD"});
  const auto line = first_parents(repository.path(), merge, 10);
  ASSERT_TRUE(line) << line.error().text();
  ASSERT_EQ(line->size(), 3U) << "without what was merged";
  EXPECT_EQ((*line)[0].hash, merge);
  EXPECT_EQ((*line)[1].hash, straight);
  EXPECT_EQ((*line)[1].subject, "straight; \xC3\xA4 \"quoted\"");
  EXPECT_EQ((*line)[1].author, "tester");
  EXPECT_EQ((*line)[2].hash, root);
  EXPECT_EQ((*line)[0].date.size(), 20U) << (*line)[0].date;
  EXPECT_EQ((*line)[0].date.back(), 'Z');
  EXPECT_EQ(first_parents(repository.path(), merge, 2)->size(), 2U);
  EXPECT_FALSE(first_parents(repository.path(), std::string(40, '0'), 2));
}

}  // namespace
}  // namespace harness
