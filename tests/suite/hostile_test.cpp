// Suites that mean harm. None may hang, overflow the stack or fill the memory: each is refused after a
// bounded amount of work, which the limits in harness/suite/yaml/yaml_text.h set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/base/files.h"
#include "harness/suite/load_suite.h"
#include "test_catalog.h"

namespace harness::test {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string repeated(const std::string& text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string refused(const std::string& text) {
  const Checked<Suite> suite = parse_suite(text, "hostile.yaml");
  return suite ? "accepted" : suite.error().front().text();
}

TEST(HostileSuite, AHundredMegabytesAreRefusedByTheirSize) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "huge.yaml";
  std::ofstream(path) << "version: 1\n";
  fs::resize_file(path, 100'000'000);
  const Checked<Suite> suite = load_suite(path.string());
  ASSERT_FALSE(suite.has_value());
  const Error& error = suite.error().front();
  EXPECT_EQ(error.where, (Location{path.string()}));
  EXPECT_THAT(error.message, AllOf(HasSubstr("8 MiB"), HasSubstr("100000000 bytes")));
  EXPECT_THAT(error.advice, HasSubstr("`axes`"));
}

TEST(HostileSuite, AFileWithoutEndIsReadOnlyToTheLimit) {
  const Checked<Suite> suite = load_suite("/dev/zero");
  ASSERT_FALSE(suite.has_value());
  EXPECT_THAT(suite.error().front().message, HasSubstr("8 MiB"));
}

TEST(HostileSuite, TextBeyondTheLimitIsNotParsed) {
  EXPECT_THAT(refused(std::string((8 << 20) + 1, '#')), HasSubstr("8 MiB"));
  EXPECT_THAT(refused(std::string(8 << 20, '#')), Not(HasSubstr("8 MiB")));
}

TEST(HostileSuite, NestingOfAnyKindIsBounded) {
  for (const char* level : {"[", "{a: ", "[{a: ", "- ", "? ", "&a [", "!!seq ["})
    EXPECT_NE(refused("a: " + repeated(level, 90'000)), "accepted") << level;
  EXPECT_THAT(refused(repeated("- ", 1'000'000)), HasSubstr(" 64 "));
  EXPECT_THAT(refused(repeated("[", 2'000'000)), HasSubstr(" 300000 "));
}

TEST(HostileSuite, FloodsOfTokensAreRefusedBeforeTheyAreParsed) {
  for (const char* token : {"1, ", "&a ", "*a ", "!x ", "'' ", "\"\" ", "{}"})
    EXPECT_THAT(refused(repeated(token, 400'000)), HasSubstr(" 300000 ")) << token;
}

TEST(HostileSuite, ManyValuesAreRefused) {
  EXPECT_THAT(refused(repeated("- a\n", 300'000)), HasSubstr(" 200000 "));
}

TEST(HostileSuite, ManyGroupsOfManyPointsStopAtTheLimitOfCases) {
  std::string values;
  for (int i = 1; i <= 300; ++i) values += std::to_string(i) + ", ";
  const std::string axes = "{dtype: f32, m: &v [" + values + "], n: *v}";
  std::string cases;
  for (int i = 0; i < 20; ++i)
    cases += "  - {workload: gemm, variant: plain, axes: " +
             (i == 0 ? axes : std::string("{dtype: f32, m: *v, n: *v}")) + ", exclude: [{dtype: f32}]}\n";
  const std::string errors = errors_of(suite_text(cases));
  EXPECT_NE(errors.find(" 100000 "), std::string::npos) << errors.substr(0, 500);
}

TEST(HostileSuite, NamesCannotDriveTheTerminal) {
  const std::string errors = errors_of(
      suite_text("  - {workload: gemm, variant: plain, axes: {dtype: f32, m: 1, n: 1, form: \"\\e[2J\"}}\n"
                 "  - {workload: \"\\e]0;x\\a\", variant: \"a\\nb\", reference: \"\\u202eevil\"}\n"));
  EXPECT_EQ(errors.find('\x1b'), std::string::npos);
  EXPECT_EQ(errors.find('\a'), std::string::npos);
  EXPECT_NE(errors.find("\\u001b[2J"), std::string::npos) << errors;
}

TEST(HostileSuite, LongNamesAreCutInMessages) {
  const std::string errors =
      errors_of(suite_text("  - {workload: " + std::string(100'000, 'x') + ", variant: a}\n"));
  EXPECT_LT(errors.size(), 400U);
}

TEST(LoadSuite, AMissingFileNamesItsNeighbour) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "fusion.yaml") << "version: 1\n";
  const Checked<Suite> suite = load_suite((folder.path() / "fuson.yaml").string());
  ASSERT_FALSE(suite.has_value());
  EXPECT_THAT(suite.error().front().advice, HasSubstr('`' + (folder.path() / "fusion.yaml").string() + '`'));
  EXPECT_EQ(suite.error().front().kind, ErrorKind::usage);
}

TEST(LoadSuite, AFolderIsNoSuite) {
  const TemporaryFolder folder;
  const Checked<Suite> suite = load_suite(folder.path().string());
  ASSERT_FALSE(suite.has_value());
  EXPECT_EQ(suite.error().front().where.file, folder.path().string());
  EXPECT_THAT(suite.error().front().message, HasSubstr("folder"));
}

TEST(LoadSuite, KeepsThePathAndHashesTheText) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "s.yaml";
  const std::string text = suite_text("  - {workload: nop, variant: only}\n", "modules: [./a.so, /b/c.so]\n");
  std::ofstream(path) << text;
  const Checked<Suite> suite = load_suite(path.string());
  ASSERT_TRUE(suite.has_value()) << text_of(suite.error());
  EXPECT_EQ(suite->identity.file, path.string());
  EXPECT_EQ(suite->identity.hash, content_hash(text));
  EXPECT_EQ(suite->modules[0].value, "./a.so");
  EXPECT_EQ(suite->modules[0].where.line, 3);
  EXPECT_EQ(module_paths(*suite), (std::vector<std::string>{(folder.path() / "a.so").string(), "/b/c.so"}));
}

}  // namespace
}  // namespace harness::test
