// Names and sizes in the tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "harness/base/text.h"
#include "tree_files.h"

namespace harness::tree {
namespace {

constexpr std::size_t longest_header = 250;
constexpr std::size_t longest_source = 450;
constexpr std::size_t longest_readme = 60;

std::vector<std::string> longer_than(const std::vector<SourceFile>& files, std::size_t limit) {
  std::vector<std::string> found;
  for (const SourceFile& file : files)
    if (file.lines() > limit)
      found.push_back(file.path + " has " + std::to_string(file.lines()) + " lines of " +
                      std::to_string(limit));
  return found;
}

bool says_nothing(const std::string& folder) {
  static constexpr std::array<std::string_view, 6> names{"util",    "utils",  "common",
                                                         "manager", "detail", "misc"};
  const std::string name = folder.substr(folder.rfind('/') + 1);
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(Shape, HeadersAndSourcesAreShortEnoughToRead) {
  const auto headers = files_below({"harness"}, {".h", ".cuh"});
  const auto sources = files_below({"harness"}, {".cpp", ".cu"});
  ASSERT_GT(headers.size(), 20U);
  ASSERT_GT(sources.size(), 20U);
  EXPECT_EQ(join(longer_than(headers, longest_header), "\n"), "");
  EXPECT_EQ(join(longer_than(sources, longest_source), "\n"), "");
}

TEST(Shape, ReadmesOfFoldersFitOnAScreen) {
  std::vector<SourceFile> readmes;
  for (SourceFile& file : files_below({""}, {".md"}))
    if (file.path.ends_with("/README.md")) readmes.push_back(std::move(file));
  ASSERT_GT(readmes.size(), 1U);
  EXPECT_EQ(join(longer_than(readmes, longest_readme), "\n"), "");
}

TEST(Shape, NoFolderHasANameThatSaysNothing) {
  const std::vector<std::string> folders = all_folders();
  ASSERT_GT(folders.size(), 15U);
  for (const std::string& folder : folders) EXPECT_FALSE(says_nothing(folder)) << folder;
}

TEST(Shape, EveryHeaderGuardsItselfAndOpensWithAParagraph) {
  for (const SourceFile& file : files_below({"harness"}, {".h"})) {
    EXPECT_TRUE(file.text.starts_with("//")) << file.path << " does not say what it is";
    EXPECT_NE(file.text.find("#pragma once"), std::string::npos) << file.path;
  }
}

TEST(ShapeChecker, SeesWhatIsTooLongOrBadlyNamed) {
  const SourceFile file{"a.h", "1\n2\n3\n"};
  EXPECT_EQ(longer_than({file}, 2), std::vector<std::string>{"a.h has 3 lines of 2"});
  EXPECT_TRUE(longer_than({file}, 3).empty());
  EXPECT_TRUE(says_nothing("harness/utils"));
  EXPECT_TRUE(says_nothing("common"));
  EXPECT_FALSE(says_nothing("harness/commonplace"));
}

}  // namespace
}  // namespace harness::tree
