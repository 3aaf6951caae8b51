// The parts of a build: which files a process executes, and whether one of them is another one now.
#include "harness/cli/provenance/tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "harness/base/files.h"
#include "harness/base/process.h"

namespace harness {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;

TEST(BuildParts, AreTheProgramTheVariablesAndWhatAProcessExecutes) {
  BuildParts build = this_build();
  const std::string program = "./bin/" + this_program().filename().string();
  EXPECT_THAT(build, Contains(Key(program)));
  EXPECT_THAT(build, Contains(Key("environment")));
  EXPECT_TRUE(add_mapped(build, getpid()));
  EXPECT_THAT(build, Contains(Key(HasSubstr("/libc.so"))));
  EXPECT_THAT(build, Contains(Key(HasSubstr("/libstdc++.so"))));
  EXPECT_THAT(build, Not(Contains(Pair(testing::_, ""))));
  EXPECT_FALSE(changed_part(build));
  EXPECT_FALSE(add_mapped(build, getpid())) << "it is all known";
}

TEST(BuildParts, OfAProcessThatTheSystemDoesNotShowAreUnknown) {
  BuildParts build = this_build();
  EXPECT_TRUE(add_mapped(build, 1 << 30));
  EXPECT_THAT(build, IsEmpty());
}

TEST(BuildParts, TellTheFirstOneThatChanged) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "lib.so").string();
  std::ofstream(file) << "one";
  BuildParts build{{file, "of another content"}};
  EXPECT_EQ(changed_part(build), file);
  build[file] = content_hash("one");
  EXPECT_FALSE(changed_part(build));
  std::ofstream(file) << "and two";
  EXPECT_EQ(changed_part(build), file);
  build = {{(folder.path() / "gone.so").string(), ""}};
  EXPECT_TRUE(changed_part(build)) << "a file that is missing, then and now, is no evidence";
}

TEST(BuildParts, KnowFilesOfManyMegabytesByTheirSizeAndTime) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "large.so";
  std::ofstream(file) << "x";
  std::filesystem::resize_file(file, 33 << 20);
  const BuildParts build{{file.string(), content_hash(*read_file(file.string()))}};
  EXPECT_TRUE(changed_part(build)) << "its content is not read";
}

TEST(BuildParts, FollowVariablesThatSteerLibraries) {
  const BuildParts build = this_build();
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 1);
  EXPECT_EQ(changed_part(build), "environment");
  unsetenv("CUBLAS_WORKSPACE_CONFIG");
  EXPECT_FALSE(changed_part(build));
}

}  // namespace
}  // namespace harness
