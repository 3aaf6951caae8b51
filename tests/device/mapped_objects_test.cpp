#include "harness/device/host/mapped_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace harness {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

TEST(MappedObjects, AreTheLibrariesOfThisProcessWithTheirBuildIds) {
  const std::vector<std::string> lines = mapped_objects();
  EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end()));
  EXPECT_THAT(lines, Contains(MatchesRegex("libc\\.so\\.6 [0-9a-f]{16,}")));
  EXPECT_THAT(lines, Contains(HasSubstr("libstdc++.so.6 ")));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("linux-vdso")))) << "it is the kernel's, and no file";
  EXPECT_THAT(lines, Not(Contains(HasSubstr("test_device")))) << "the program's contents are hashed";
  for (const std::string& line : lines) EXPECT_THAT(line, Not(HasSubstr("/"))) << "a folder says nothing";
}

}  // namespace
}  // namespace harness
