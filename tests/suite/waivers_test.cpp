// The waivers file: what it says, and everything it is refused with.
#include "harness/suite/waivers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/base/files.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string waiver(const std::string& keys) {
  return "version: 1\nwaivers:\n  - {" + keys + "}\n";
}

// Every error as one line, "line:column message | advice".
std::vector<std::string> errors_of(const std::string& text) {
  const auto waivers = parse_waivers(text, "w.yaml");
  EXPECT_FALSE(waivers) << "was accepted";
  std::vector<std::string> lines;
  if (waivers) return lines;
  for (const Error& error : waivers.error()) {
    EXPECT_EQ(error.where.file, "w.yaml");
    lines.push_back(std::to_string(error.where.line) + ":" + std::to_string(error.where.column) + " " +
                    error.message + " | " + error.advice);
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
              ElementsAre(HasSubstr("3:5 missing key `pattern` in a waiver | Which cases"),
                          HasSubstr("3:5 missing key `ceiling` in a waiver | How much worse"),
                          HasSubstr("3:5 missing key `expires` in a waiver | The last day"),
                          HasSubstr("3:5 missing key `reason` in a waiver | Why")));
  EXPECT_THAT(errors_of(waiver("pattern: a, ceiling: 5%, expires: 2026-12-31, reason: ' '")),
              ElementsAre(HasSubstr("`reason`: expected a sentence")));
}

TEST(Waivers, WithADayThatDoesNotExistAreRefused) {
  for (const char* day : {"2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10"})
    EXPECT_THAT(errors_of(waiver(std::string("pattern: a, ceiling: 5%, reason: x, expires: ") + day)),
                ElementsAre(HasSubstr(std::string("there is no day `") + day)));
  for (const char* day : {"tomorrow", "2026-1-1", "31.12.2026", "20261231"})
    EXPECT_THAT(errors_of(waiver(std::string("pattern: a, ceiling: 5%, reason: x, expires: ") + day)),
                ElementsAre(HasSubstr("`expires`: expected a date such as 2026-12-31")));
}

TEST(Waivers, WithACeilingThatMakesNoSenseAreRefused) {
  for (const char* ceiling : {"0%", "5", "-5%", "lots", "0", "100%", "0.5"})
    EXPECT_THAT(
        errors_of(waiver(std::string("pattern: a, reason: x, expires: 2026-12-31, ceiling: ") + ceiling)),
        ElementsAre(HasSubstr("`ceiling`: ")))
        << ceiling;
}

TEST(Waivers, OfTheSamePatternAndMetricAreAnErrorThatNamesBothLines) {
  const std::string one = "  - {pattern: a/*, ceiling: 5%, expires: 2026-12-31, reason: x}\n";
  const std::string timed = "  - {pattern: a/*, metric: time, ceiling: 5%, expires: 2026-12-31, reason: x}\n";
  EXPECT_TRUE(parse_waivers("version: 1\nwaivers:\n" + one + timed, "w.yaml"));
  EXPECT_THAT(
      errors_of("version: 1\nwaivers:\n" + one + timed + one + timed),
      ElementsAre("5:15 a second waiver of `a/*` | line 3 has one already; keep one of them",
                  "6:15 a second waiver of `a/*` for `time` | line 4 has one already; keep one of them"));
}

TEST(Waivers, NameTheNearestKey) {
  EXPECT_THAT(errors_of(waiver("patern: a, ceiling: 5%, expires: 2026-12-31, reason: x")),
              Contains(HasSubstr("unknown key `patern` in a waiver | did you mean `pattern`?")));
  EXPECT_THAT(errors_of("version: 1\nwaivers: []\nwaiver: []\n"),
              ElementsAre(HasSubstr("unknown key `waiver` in the waivers file | did you mean `waivers`?")));
}

TEST(Waivers, OfAnotherVersionOrOfNothingSaySo) {
  EXPECT_THAT(errors_of("version: 2\nanything: else\n"),
              ElementsAre(HasSubstr("1:10 unknown version 2 of the waivers file")));
  EXPECT_THAT(errors_of(""), ElementsAre(HasSubstr("the waivers file is empty | write `version: 1`")));
  EXPECT_THAT(errors_of("[]\n"), ElementsAre(HasSubstr("the waivers file: expected a map with the keys")));
  EXPECT_THAT(errors_of("waivers: []\n"),
              ElementsAre(HasSubstr("missing key `version` in the waivers file")));
  EXPECT_THAT(errors_of("version: 1\nwaivers: []\n---\nversion: 1\n"),
              ElementsAre(HasSubstr("a file holds one waivers file")));
}

TEST(Waivers, ThatAreNotThereAreAnErrorWithAnExample) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "none.yaml";
  const auto waivers = load_waivers(path);
  ASSERT_FALSE(waivers);
  EXPECT_EQ(waivers.error().front().text(),
            path +
                ": error: no such waivers file\n"
                "  advice: write `version: 1` and `waivers: []`; baselines/README.md has an example");
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
