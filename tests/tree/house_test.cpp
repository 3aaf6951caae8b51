// The house keeps itself: rules of harness/README.md over the whole tree. The number of exceptions is given
// here, by folder. It may only shrink.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/text.h"
#include "house_rules.h"
#include "source_parts.h"
#include "tree_files.h"

namespace harness::tree {
namespace {

using Allowed = std::map<std::string, int>;

std::vector<SourceFile> sources(const std::vector<std::string>& folders) {
  return files_below(folders, {".h", ".cpp", ".cu", ".cuh"});
}

// The part of the tree that a finding belongs to: "harness/cli" or "kernels".
std::string area_of(const std::string& path) {
  const std::vector<std::string> parts = split(path, '/');
  return parts.size() > 2 && parts[0] == "harness" ? "harness/" + parts[1] : parts[0];
}

void expect_at_most(const std::vector<std::string>& found, const Allowed& allowed) {
  std::map<std::string, std::vector<std::string>> by_area;
  for (const std::string& one : found) by_area[area_of(one.substr(0, one.find(':')))].push_back(one);
  for (const auto& [area, places] : by_area) {
    const auto known = allowed.find(area);
    const int most = known == allowed.end() ? 0 : known->second;
    EXPECT_LE(static_cast<int>(places.size()), most) << area << ":\n" << join(places, "\n");
  }
}

template <class Rule>
std::vector<std::string> broken(Rule rule, const std::vector<SourceFile>& files) {
  std::vector<std::string> found;
  for (const SourceFile& file : files)
    for (std::string& one : rule(file)) found.push_back(std::move(one));
  return found;
}

TEST(House, HasNoIncludeCircles) {
  std::vector<std::string> found;
  for (const auto& circle : include_circles(sources({"harness"})))
    for (const std::string& unit : circle) found.push_back(unit + ": in a circle with " + join(circle, ", "));
  expect_at_most(found, {});
}

TEST(House, NamesEachFormatInOnePlace) {
  const std::string place = "harness/schema/formats.h";
  std::vector<SourceFile> files = sources({"harness"});
  const auto formats =
      std::find_if(files.begin(), files.end(), [&](const SourceFile& file) { return file.path == place; });
  ASSERT_NE(formats, files.end());
  std::set<std::string> names;
  for (const Piece& literal : take_apart(formats->text).literals)
    if (literal.text.starts_with("harness-")) names.insert(literal.text);
  ASSERT_GT(names.size(), 10U);
  std::vector<std::string> found;
  for (const SourceFile& file : files)
    for (const std::string& name : names)
      if (file.path != place && file.text.find('"' + name + '"') != std::string::npos)
        found.push_back(file.path + ": names " + name + ", which " + place + " does");
  expect_at_most(found, {});
}

TEST(House, HasNoBaseNameTwice) {
  EXPECT_EQ(join(repeated_base_names(sources({"harness"})), "\n"), "");
}

TEST(House, HasFoldersThatAReaderCanHold) {
  for (const auto& [folder, files] :
       large_folders(files_below({"harness", "kernels"}, {".h", ".cpp", ".cu", ".cuh", ".in"}), 25))
    ADD_FAILURE() << folder << " has " << files << " files";
}

// The most lines that harness/ may have, without the SDK: what it had once, and a row for all that came
// since, with what a user gets for it. A change that removes lines lowers the first row.
struct Lines {
  long count;
  const char* why;
};
constexpr Lines ceiling_of_lines[]{
    {116'900, "30 November 2026: what was never released had gone, and a second generator of pages"},
    {2'100, "programs whose files are observed are proven by them, and not measured"},
    {1'100, "the metric `energy`, for each call of a kernel"},
    {1'150, "pins hold figures of processes instead of samples, and can be reviewed"},
    {750, "places of code that a build moved are kept, and do not decide"},
};

TEST(House, HoldsTheCeilingOfItsLines) {
  long lines = 0, most = 0;
  for (const SourceFile& file : files_below({"harness"}, {".h", ".cpp", ".cu", ".in"}))
    if (!file.path.starts_with("harness/sdk/")) lines += std::count(file.text.begin(), file.text.end(), '\n');
  for (const Lines& row : ceiling_of_lines) most += row.count;
  EXPECT_LE(lines, most) << "remove what is unneeded, or add a row to ceiling_of_lines";
}

TEST(House, ReadsTheEnvironmentInOnePlace) {
  std::vector<SourceFile> files = sources({"harness", "kernels"});
  std::erase_if(files, [](const SourceFile& file) { return file.path == "harness/base/environment.cpp"; });
  // The SDK is installed alone, and kernels include nothing but the SDK.
  expect_at_most(broken(environment_reads, files), {{"harness/sdk", 1}, {"kernels", 3}});
}

// Only a message that is itself the subject of a test is checked by its words.
TEST(House, ChecksFewWordsInShellTests) {
  std::vector<std::string> found;
  for (const SourceFile& file : files_below({"tests"}, {".sh"}))
    for (const std::string& line : split(file.text, '\n'))
      if (trim(line).starts_with("says ")) found.push_back(file.path + ": " + line);
  expect_at_most(found, {{"tests", 14}});
}

TEST(House, NamesTheKindCudaInOnePlace) {
  std::vector<SourceFile> files = sources({"harness"});
  std::erase_if(files, [](const SourceFile& file) { return file.path == "harness/model/device_kinds.h"; });
  // Three other things have this name: the module, a key of the toolkit's version.json, a field of a job.
  expect_at_most(broken(cuda_literals, files), {{"harness/device", 2}, {"harness/measure", 1}});
}

TEST(House, ReadsNoSentence) {
  expect_at_most(broken(read_sentences, sources({"harness"})), {});
}

TEST(House, AdvisesOnlyInstalledFiles) {
  expect_at_most(broken(uninstalled_files, sources({"harness"})), {});
}

// Allowed: "machine class", a fact's name, and "(anonymous namespace)", a part of kernels' names.
TEST(House, HasNoEnglishWhereVerdictsAreMade) {
  expect_at_most(broken(english_literals, sources({"harness/verdict", "harness/study"})), {});
}

TEST(House, WritesPlainComments) {
  expect_at_most(broken(hard_sentences, sources({"harness", "kernels", "tests"})), {});
}

TEST(House, WritesPlainCommentsInScripts) {
  std::vector<SourceFile> files = files_below({"ci", "cmake", "page/src", "tests", "harness", "kernels"},
                                              {".sh", ".py", ".ts", ".mjs", ".cjs", ".cmake", ".txt"});
  std::erase_if(files, [](const SourceFile& file) { return file.path.starts_with("tests/golden/"); });
  expect_at_most(broken(hard_sentences, files), {});
}

TEST(House, NamesFilesThatAreThere) {
  std::vector<SourceFile> files = files_below({"harness", "kernels"}, {".h", ".cpp", ".cu", ".cuh"});
  for (SourceFile& file : files_below({""}, {".md"}))
    if (!file.path.starts_with("tests/golden/")) files.push_back(std::move(file));
  expect_at_most(
      broken([paths = all_paths()](const SourceFile& file) { return missing_files(file, paths); }, files),
      {});
}

TEST(House, WritesPlainDocuments) {
  std::vector<SourceFile> files = files_below({""}, {".md"});
  std::erase_if(files, [](const SourceFile& file) { return file.path.starts_with("tests/golden/"); });
  expect_at_most(broken(hard_sentences, files), {});
}

}  // namespace
}  // namespace harness::tree
