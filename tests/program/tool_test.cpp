// The parts of a build, and when it cannot be told.
#include "harness/cli/provenance/tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "harness/base/files.h"
#include "tests/store/repository.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;

class BuildOf : public testing::Test {
 protected:
  BuildOf() {
    setenv("HARNESS_ENVIRONMENT", "sha256:1", 1);
    commit("kernel.cu", "one");
    std::filesystem::current_path(repository_.path());
  }
  ~BuildOf() override {
    std::filesystem::current_path(before_);
    unsetenv("HARNESS_ENVIRONMENT");
  }

  void commit(const std::string& file, std::string_view text) {
    repository_.write(file, text);
    repository_.git({"add", "--all"});
    repository_.git({"commit", "--quiet", "-m", "a commit"});
    head_ = repository_.git({"rev-parse", "HEAD"});
  }
  [[nodiscard]] std::string tree() const { return this_build({}, {head_, "main"}).at("tree"); }

  std::filesystem::path before_ = std::filesystem::current_path();
  Repository repository_;
  std::string head_;
};

TEST_F(BuildOf, HasAPartForEachThingThatDecidesWhatIsLaunched) {
  const Revision revision{head_, "main"};
  const BuildParts build = this_build({}, revision);
  EXPECT_THAT(build, ElementsAre(Key("environment"), Key("folder"), Key("kernels"), Key("module"),
                                 Key("program"), Key("tree"), Key("variables")));
  EXPECT_EQ(build.at("environment"), "sha256:1");
  EXPECT_EQ(build, this_build({}, revision));
  setenv("TILE", "8", 1);
  EXPECT_NE(build.at("variables"), this_build({}, revision).at("variables"));
  unsetenv("TILE");
}

TEST_F(BuildOf, CannotBeToldWithoutANameOfItsEnvironmentOrWithModules) {
  const Revision revision{head_, "main"};
  Plan plan;
  plan.modules = {"/tmp/plugin.so"};
  EXPECT_THAT(this_build(plan, revision), IsEmpty());
  unsetenv("HARNESS_ENVIRONMENT");
  EXPECT_THAT(this_build({}, revision), IsEmpty());
}

TEST_F(BuildOf, FollowsTheTrackedFilesButForMarkdown) {
  const std::string before = tree();
  commit("README.md", "words");
  EXPECT_EQ(tree(), before);
  repository_.write("kernel.cu", "two");
  EXPECT_NE(tree(), before) << "an uncommitted change";
  const std::string measured = head_;
  commit("kernel.cu", "two");
  EXPECT_NE(tree(), before);
  EXPECT_NE(this_build({}, {measured, "main"}).at("tree"), before) << "it was committed during the run";
}

TEST_F(BuildOf, ReadsTheFilesThatGitIsToldToSkip) {
  for (const char* flag : {"--skip-worktree", "--assume-unchanged"}) {
    commit("kernel.cu", std::string("for ") + flag);
    const std::string before = tree();
    repository_.git({"update-index", flag, "kernel.cu"});
    const std::string skipped = tree();
    repository_.write("kernel.cu", "another kernel");
    EXPECT_NE(tree(), skipped) << flag;
    repository_.git({"update-index", "--no-skip-worktree", "kernel.cu"});
    repository_.git({"update-index", "--no-assume-unchanged", "kernel.cu"});
  }
}

TEST_F(BuildOf, ASparseCheckoutIsTheSameEachTime) {
  commit("docs/large.txt", "never checked out");
  repository_.git({"update-index", "--skip-worktree", "docs/large.txt"});
  std::filesystem::remove(std::filesystem::path(repository_.path()) / "docs" / "large.txt");
  EXPECT_EQ(tree(), tree());
}

TEST_F(BuildOf, CountsTrackedFilesInTheFolderOfTheStore) {
  repository_.write(".harness/tile.txt", "8");
  repository_.git({"add", "--force", ".harness/tile.txt"});
  repository_.git({"commit", "--quiet", "-m", "a file beside the store"});
  head_ = repository_.git({"rev-parse", "HEAD"});
  const std::string before = tree();
  repository_.write(".harness/results.db", "what a run stores");
  EXPECT_EQ(tree(), before) << "the store itself is not tracked";
  repository_.write(".harness/tile.txt", "16");
  EXPECT_NE(tree(), before);
}

TEST_F(BuildOf, CannotBeToldBesideCodeThatGitDoesNotKnow) {
  Plan plan;
  plan.suite.file = "suites/a.yaml";
  commit("suites/a.yaml", "name: a");
  const Revision revision{head_, "main"};
  repository_.write("suites/notes.txt", "no code");
  repository_.write("elsewhere/tile.h", "code of nobody here");
  EXPECT_FALSE(this_build(plan, revision).empty());
  repository_.write("suites/tile.h", "#define TILE 8");
  EXPECT_THAT(this_build(plan, revision), IsEmpty());
  repository_.write(".gitignore", "suites/tile.h\n");
  EXPECT_FALSE(this_build(plan, revision).empty()) << "ignored files are made from others";
}

TEST_F(BuildOf, KnowsATreeWithoutItsRepositoryByItsCommit) {
  const TemporaryFolder folder;
  std::filesystem::current_path(folder.path());
  EXPECT_EQ(tree(), "commit " + head_);
  EXPECT_THAT(this_build({}, {}), IsEmpty());
  EXPECT_THAT(this_build({}, {head_, "main", true}), IsEmpty()) << "nobody knows the changes";
}

TEST_F(BuildOf, CannotBeToldWhereGitDoesNotReadTheRepository) {
  std::filesystem::remove(std::filesystem::path(repository_.path()) / ".git" / "HEAD");
  EXPECT_THAT(this_build({}, {head_, "main"}), IsEmpty())
      << "this tree was not carried without its repository";
}

TEST_F(BuildOf, ABlankIsNoName) {
  setenv("HARNESS_ENVIRONMENT", " \n", 1);
  EXPECT_THAT(this_build({}, {head_, "main"}), IsEmpty());
  setenv("HARNESS_ENVIRONMENT", " sha256:1 ", 1);
  EXPECT_EQ(this_build({}, {head_, "main"}).at("environment"), "sha256:1");
}

}  // namespace
}  // namespace harness
