// Names in the tree, and how headers begin.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tree_files.h"

namespace harness::tree {
namespace {

bool says_nothing(const std::string& folder) {
  static constexpr std::array<std::string_view, 6> names{"util",    "utils",  "common",
                                                         "manager", "detail", "misc"};
  const std::string name = folder.substr(folder.rfind('/') + 1);
  return std::find(names.begin(), names.end(), name) != names.end();
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

TEST(ShapeChecker, SeesANameThatSaysNothing) {
  EXPECT_TRUE(says_nothing("harness/utils"));
  EXPECT_TRUE(says_nothing("common"));
  EXPECT_FALSE(says_nothing("harness/commonplace"));
}

}  // namespace
}  // namespace harness::tree
