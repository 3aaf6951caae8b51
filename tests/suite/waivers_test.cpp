// The waivers file: what it says, and everything it is refused with.
#include "harness/suite/waivers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string waiver(const std::string& keys) {
  return "version: 1\nwaivers:\n  - {" + keys + "}\n";
}

// Every error as "line:column name name", with the names that it quotes.
std::vector<std::string> errors_of(const std::string& text) {
  const auto waivers = parse_waivers(text, "w.yaml");
  EXPECT_FALSE(waivers) << "was accepted";
  std::vector<std::string> lines;
  if (waivers) return lines;
  for (const Error& error : waivers.error()) {
    EXPECT_EQ(error.where.file, "w.yaml");
    std::string line = std::to_string(error.where.line) + ":" + std::to_string(error.where.column);
    const std::vector<std::string> parts = split(error.message + " " + error.advice, '`');
    for (std::size_t i = 1; i < parts.size(); i += 2) line += " " + parts[i];
    lines.push_back(std::move(line));
  }
  return lines;
}

TEST(Waivers, AreReadWithTheirPlace) {
  const auto waivers = parse_waivers(
      "version: 1\n"
      "waivers:\n"
      "  - pattern: linear_gelu/*/dtype=f16/*\n"
      "    metric: time\n"
      "    ceiling: 5%\n"
      "    expires: 2026-12-31\n"
      "    reason: the new epilogue is correct, and slower\n"
      "    issue: '#12'\n"
      "  - {pattern: '*', ceiling: 0.02, expires: '2028-02-29', reason: driver 590}\n",
      "w.yaml");
  ASSERT_TRUE(waivers) << waivers.error().front().text();
  EXPECT_THAT(*waivers, ElementsAre(Waiver{"linear_gelu/*/dtype=f16/*",
                                           "time",
                                           0.05,
                                           "2026-12-31",
                                           "the new epilogue is correct, and slower",
                                           "#12",
                                           {"w.yaml", 3, 5}},
                                    Waiver{"*", "", 0.02, "2028-02-29", "driver 590", "", {"w.yaml", 9, 5}}));
}

TEST(Waivers, MayBeNone) {
  const auto waivers = parse_waivers("version: 1\nwaivers: []\n", "w.yaml");
  ASSERT_TRUE(waivers);
  EXPECT_THAT(*waivers, IsEmpty());
}

TEST(Waivers, NeedAPatternACeilingADateAndAReason) {
  EXPECT_THAT(errors_of(waiver("metric: time")),
              ElementsAre(StartsWith("3:5 pattern"), StartsWith("3:5 ceiling"), StartsWith("3:5 expires"),
                          StartsWith("3:5 reason")));
  EXPECT_THAT(errors_of(waiver("pattern: a, ceiling: 5%, expires: 2026-12-31, reason: ' '")),
              ElementsAre(StartsWith("3:60 reason")));
}

TEST(Waivers, BehindMoreErrorsThanAreShownAreNotRead) {
  std::string text = "version: 1\nwaivers:\n";
  for (int i = 0; i < 60; ++i) text += "  - {pattern: a, ceiling: 5%, expires: tomorrow, reason: x}\n";
  EXPECT_GT(errors_of(text).size(), 50U);
}

TEST(Waivers, WithADayThatDoesNotExistAreRefused) {
  for (const char* day : {"2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10"})
    EXPECT_THAT(errors_of(waiver(std::string("pattern: a, ceiling: 5%, reason: x, expires: ") + day)),
                ElementsAre(HasSubstr(day)));
  for (const char* day : {"tomorrow", "2026-1-1", "31.12.2026", "20261231", "99999999999999-01-01"})
    EXPECT_THAT(errors_of(waiver(std::string("pattern: a, ceiling: 5%, reason: x, expires: ") + day)),
                ElementsAre(HasSubstr(" expires")));
}

TEST(Waivers, WithACeilingThatMakesNoSenseAreRefused) {
  for (const char* ceiling : {"0%", "5", "-5%", "lots", "0", "100%", "0.5", "1e999%"})
    EXPECT_THAT(
        errors_of(waiver(std::string("pattern: a, reason: x, expires: 2026-12-31, ceiling: ") + ceiling)),
        ElementsAre(HasSubstr(" ceiling")))
        << ceiling;
}

TEST(Waivers, OfTheSamePatternAndMetricAreAnErrorThatNamesBothLines) {
  const std::string one = "  - {pattern: a/*, ceiling: 5%, expires: 2026-12-31, reason: x}\n";
  const std::string timed = "  - {pattern: a/*, metric: time, ceiling: 5%, expires: 2026-12-31, reason: x}\n";
  EXPECT_TRUE(parse_waivers("version: 1\nwaivers:\n" + one + timed, "w.yaml"));
  EXPECT_THAT(errors_of("version: 1\nwaivers:\n" + one + timed + one + timed),
              ElementsAre("5:15 a/*", "6:15 a/* time"));
}

TEST(Waivers, NameTheNearestKey) {
  EXPECT_THAT(errors_of(waiver("patern: a, ceiling: 5%, expires: 2026-12-31, reason: x")),
              Contains("3:6 patern pattern"));
  EXPECT_THAT(errors_of("version: 1\nwaivers: []\nwaiver: []\n"), ElementsAre("3:1 waiver waivers"));
}

TEST(Waivers, OfAnotherVersionOrOfNothingSaySo) {
  EXPECT_THAT(errors_of("version: 2\nanything: else\n"), ElementsAre(StartsWith("1:10")));
  EXPECT_THAT(errors_of(""), ElementsAre(HasSubstr(" version: 1")));
  EXPECT_THAT(errors_of("[]\n"), ElementsAre(StartsWith("1:1")));
  EXPECT_THAT(errors_of("waivers: []\n"), ElementsAre(HasSubstr(" version")));
  EXPECT_THAT(errors_of("version: 1\nwaivers: []\n---\nversion: 1\n"), ElementsAre("3:1 ---"));
}

TEST(Waivers, ThatAreNotThereAreAnErrorWithAnExample) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "none.yaml";
  const auto waivers = load_waivers(path);
  ASSERT_FALSE(waivers);
  EXPECT_EQ(waivers.error().front().where.file, path);
  EXPECT_EQ(waivers.error().front().kind, ErrorKind::usage);
  EXPECT_FALSE(load_waivers(folder.path()));
}

TEST(Waivers, AreReadFromAFileOfBoundedSize) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "w.yaml";
  ASSERT_TRUE(write_file_atomically(path, waiver("pattern: a, ceiling: 5%, expires: 2026-12-31, reason: x")));
  const auto waivers = load_waivers(path);
  ASSERT_TRUE(waivers);
  EXPECT_EQ(waivers->front().where, (Location{path, 3, 5}));
  ASSERT_TRUE(write_file_atomically(path, "# " + std::string(2 << 20, 'x')));
  EXPECT_FALSE(load_waivers(path));
}

}  // namespace
}  // namespace harness
