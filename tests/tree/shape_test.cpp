// Names in the tree, and how headers begin.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>

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

// The first line of `file` that includes something; empty when there is none.
std::string first_include(const SourceFile& file) {
  const std::string text = "\n" + file.text;
  const std::size_t start = text.find("\n#include ");
  if (start == std::string::npos) return {};
  return text.substr(start + 1, text.find('\n', start + 1) - start - 1);
}

// The build of the source then proves that the header needs no other include before it.
TEST(Shape, ASourceIncludesTheHeaderOfItsNameFirst) {
  std::map<std::string, SourceFile> sources;
  for (const SourceFile& file : files_below({"harness", "kernels"}, {".cpp"})) sources[file.path] = file;
  std::size_t pairs = 0;
  for (const SourceFile& header : files_below({"harness", "kernels"}, {".h"})) {
    const auto source = sources.find(header.path.substr(0, header.path.size() - 2) + ".cpp");
    if (source == sources.end()) continue;
    ++pairs;
    EXPECT_EQ(first_include(source->second), "#include \"" + header.path + "\"") << source->first;
  }
  EXPECT_GT(pairs, 200U);
}

// Hidden folders are no part of files_below().
TEST(Shape, WhatDecidesOverAVerdictHasCodeOwners) {
  std::ifstream file(HARNESS_SOURCE_DIR "/.github/CODEOWNERS");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const char* path : {"/baselines/", "/waivers.yaml", "/.github/", "/ci/", "/.harness.yaml"})
    EXPECT_NE(text.find(std::string("\n") + path + " "), std::string::npos) << path;
}

TEST(ShapeChecker, SeesANameThatSaysNothing) {
  EXPECT_TRUE(says_nothing("harness/utils"));
  EXPECT_TRUE(says_nothing("common"));
  EXPECT_FALSE(says_nothing("harness/commonplace"));
}

}  // namespace
}  // namespace harness::tree
