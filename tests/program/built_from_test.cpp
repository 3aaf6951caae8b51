// The identity of a build, or of a plug-in, follows its sources, and a commit has the same one.
#include "harness/cli/provenance/built_from.h"

#include <gtest/gtest.h>

#include <regex>

#include "harness/cli/provenance/module_sources.h"
#include "tests/store/repository.h"

namespace harness {
namespace {

class BuiltFrom : public testing::Test {
 protected:
  void SetUp() override {
    repository_.write("CMakeLists.txt", "project(harness)");
    repository_.write("harness/sdk/workload.h", "// one");
    repository_.write("harness/README.md", "one");
    repository_.write("kernels/gelu.cu", "// one");
    first_ = repository_.commit("first");
  }

  // As a build of the tree as it is writes it; with "ON", of a module whose CMake project lies in kernels/.
  [[nodiscard]] std::string built_now(const std::string& module = "OFF") const {
    const TemporaryFolder scratch;
    const std::string file = (scratch.path() / "value.cpp").string();
    const std::string source = repository_.path() + (module == "ON" ? "/kernels" : "");
    const auto made = run_command({{HARNESS_CMAKE, "-DSOURCE=" + source, "-DMODULE=" + module,
                                    "-DOUTPUT=" + file, "-P", HARNESS_SOURCE_DIR "/cmake/built_from.cmake"},
                                   {},
                                   {}});
    if (!made || !made->exit.ok()) return "cmake failed";
    const std::string text = read_file(file).value_or("");
    std::smatch found;
    return std::regex_search(text, found, std::regex("return \"([^\"]*)\"")) ? found[1].str() : "no value";
  }

  [[nodiscard]] std::string of(const std::string& commit) const {
    return sources_of(repository_.path(), commit);
  }

  Repository repository_;
  std::string first_;
};

TEST_F(BuiltFrom, IsTheSameOfATreeAndOfItsCommit) {
  EXPECT_EQ(built_now().size(), 32u);
  EXPECT_EQ(built_now(), of(first_));
  EXPECT_EQ(repository_.git({"status", "--porcelain"}), "") << "the build leaves the repository as it was";
}

TEST_F(BuiltFrom, FollowsEditsAndNewFilesAndNeedsNoBuildForTheirCommit) {
  repository_.write("kernels/gelu.cu", "// two");
  const std::string edited = built_now();
  EXPECT_NE(edited, of(first_));
  repository_.write("kernels/new.cu", "// new, and git does not know it");
  const std::string with_new = built_now();
  EXPECT_NE(with_new, edited);
  EXPECT_EQ(of(repository_.commit("both")), with_new);
}

TEST_F(BuiltFrom, DoesNotChangeWithDocumentsAndOtherFolders) {
  repository_.write("harness/README.md", "two");
  repository_.write("suites/smoke.yaml", "version: 1");
  const std::string second = repository_.commit("documents");
  EXPECT_EQ(of(second), of(first_));
  EXPECT_EQ(built_now(), of(first_));
}

TEST_F(BuiltFrom, RefusesACleanCommitOfOtherSources) {
  EXPECT_FALSE(check_built_from_head(repository_.path())) << "this program is not of these sources";
  repository_.write("kernels/gelu.cu", "// edited");
  EXPECT_TRUE(check_built_from_head(repository_.path())) << "nobody can tell";
}

TEST_F(BuiltFrom, SaysNothingOfAnotherProject) {
  repository_.git({"rm", "--quiet", "harness/sdk/workload.h"});
  EXPECT_EQ(of(repository_.commit("another project")), "");
  EXPECT_TRUE(check_built_from_head(repository_.path()));
  const TemporaryFolder nowhere;
  EXPECT_TRUE(check_built_from_head(nowhere.path()));
}

TEST_F(BuiltFrom, IsOfAModuleAllSourcesThatGitTracks) {
  const auto of_module = [&](const std::string& commit) {
    return module_sources_of(repository_.path(), commit);
  };
  EXPECT_EQ(built_now("ON").size(), 32u);
  EXPECT_EQ(built_now("ON"), of_module(first_));
  repository_.write("suites/smoke.yaml", "version: 1");
  EXPECT_EQ(of_module(repository_.commit("a suite")), of_module(first_));
  repository_.write("kernels/gelu.cu", "// two");
  repository_.write("kernels/\303\244 new.cuh", "// a name that git quotes");
  const std::string edited = built_now("ON");
  EXPECT_NE(edited, of_module(first_));
  const std::string second = repository_.commit("both");
  EXPECT_NE(edited, of_module(second)) << "it did not know the new file";
  EXPECT_EQ(built_now("ON"), of_module(second));
  repository_.git({"rm", "--quiet", "kernels/gelu.cu"});
  EXPECT_EQ(built_now("ON"), of_module(repository_.commit("removed")));
  EXPECT_EQ(repository_.git({"status", "--porcelain"}), "");
}

TEST_F(BuiltFrom, IsNothingOfAModuleWhereGitTracksNoSource) {
  repository_.git({"rm", "--quiet", "-r", "CMakeLists.txt", "harness/sdk", "kernels"});
  const std::string none = repository_.commit("documents alone");
  repository_.write("kernels/gelu.cu", "// git does not know it");
  EXPECT_EQ(built_now("ON"), "");
  EXPECT_EQ(module_sources_of(repository_.path(), none), "");
}

}  // namespace
}  // namespace harness
