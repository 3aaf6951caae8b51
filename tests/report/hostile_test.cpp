// Names that attack whoever reads the report.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "fixture.h"
#include "harness/base/text.h"
#include "harness/report/media/markdown_text.h"
#include "harness/report/media/terminal_text.h"
#include "studies.h"

namespace harness {
namespace {

std::vector<std::string> all_reports(const std::string& name, Format format, const Style& style) {
  std::vector<std::string> all;
  for (const std::string& report : fixture::hostile_report_names())
    all.push_back(fixture::drawn(report, format, style, name));
  return all;
}

// Markdown with its code spans and <code> elements taken out: what is left must be inert.
std::string without_code(const std::string& line) {
  std::string out;
  for (std::size_t i = 0; i < line.size();) {
    const bool element = line.compare(i, 6, "<code>") == 0;
    if (!element && line[i] != '`') {
      out += line[i++];
      continue;
    }
    const std::string end = element ? "</code>" : "`";
    const std::size_t close = line.find(end, i + 1);
    EXPECT_NE(close, std::string::npos) << "code that never ends: " << line;
    if (close == std::string::npos) return out;
    const std::string inside = line.substr(i + (element ? 6 : 1), close - i - (element ? 6 : 1));
    EXPECT_EQ(inside.find_first_of(element ? "<>`|@*_[]\\" : "|\\"), std::string::npos) << inside;
    i = close + end.size();
  }
  return out;
}

std::string without_our_tags(std::string line) {
  for (const std::string_view tag : {"<details>", "</details>", "<summary>", "</summary>"})
    for (std::size_t at = line.find(tag); at != std::string::npos; at = line.find(tag))
      line.erase(at, tag.size());
  return line;
}

// No tag, entity or cell is broken, no element left open, and nothing of a name means anything.
void expect_inert(const std::string& report) {
  std::size_t columns = 0;
  for (const std::string& line : split(report, '\n')) {
    const std::string bare = without_our_tags(without_code(line));
    const bool quoted = bare.starts_with("> ");  // the sentence about what was left out
    EXPECT_EQ(bare.substr(quoted ? 2 : 0).find_first_of("<>\\~$"), std::string::npos) << bare;
    EXPECT_EQ(bare.find('@'), std::string::npos) << bare;
    EXPECT_EQ(bare.find("]("), std::string::npos) << bare;
    EXPECT_EQ(bare.find("://"), std::string::npos) << bare;
    EXPECT_EQ(bare.find("www."), std::string::npos) << bare;
    if (!line.starts_with("|")) {
      columns = 0;
      continue;
    }
    const auto bars = static_cast<std::size_t>(std::count(line.begin(), line.end(), '|'));
    if (columns == 0) columns = bars;
    EXPECT_EQ(bars, columns) << "a cell was broken: " << line;
  }
  const auto times = [&](std::string_view tag) {
    std::size_t count = 0;
    for (std::size_t at = report.find(tag); at != std::string::npos; at = report.find(tag, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(times("<details>"), times("</details>"));
  EXPECT_EQ(times("<code>"), times("</code>"));
}

std::string printable_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) lines.push_back(printable(line));
  return join(lines, "\n");
}

class Hostile : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Names, Hostile, testing::ValuesIn(fixture::hostile_names()),
                         [](const auto& name) { return std::to_string(name.index); });

TEST_P(Hostile, CannotDriveATerminalNorBreakItsLines) {
  for (const int width : {40, 72, 100, 220})
    for (const std::string& report : all_reports(GetParam(), Format::terminal, {false, width}))
      for (const std::string& line : split(report, '\n')) {
        EXPECT_EQ(line, printable(line));
        EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
      }
}

// A line that a runner of GitHub's would obey.
bool is_command(std::string_view line) {
  return trim(line).starts_with("::") || line.find("##[") != std::string_view::npos;
}

TEST_P(Hostile, CommandsNoRunnerThatReadsTheLog) {
  for (const Format format : {Format::terminal, Format::markdown, Format::json})
    for (const std::string& report : all_reports(GetParam(), format, {}))
      for (const std::string& line : split(report, '\n'))
        EXPECT_FALSE(is_command(line)) << line.substr(0, 200);
}

TEST_P(Hostile, MakesNoAnnotationsOfItsOwn) {
  std::size_t reports = 0;
  for (const std::string& report : all_reports(GetParam(), Format::github, {})) {
    ++reports;
    ASSERT_TRUE(report.ends_with('\n'));
    std::size_t lines = 0;
    for (const std::string& line : split(report.substr(0, report.size() - 1), '\n')) {
      ++lines;
      EXPECT_EQ(line, printable(line));
      const std::size_t end = line.find("::", 2);
      ASSERT_TRUE(line.starts_with("::") && end != std::string::npos) << line;
      const std::vector<std::string> properties = split(line.substr(2, end - 2), ',');
      EXPECT_LE(properties.size(), 3U) << line;
      for (const std::string& property : properties)
        EXPECT_EQ(std::count(property.begin(), property.end(), ':'), 0) << line;
      EXPECT_LT(line.size(), 40000U);
    }
    // A plan: one. A run: one error, one notice. A comparison: two warnings and what they are together, a
    // notice of the informative row ... never more for one name than for another.
    EXPECT_LE(lines, 8U) << report;
    EXPECT_GE(lines, 1U);
  }
  EXPECT_EQ(reports, fixture::hostile_report_names().size());
}

std::string junit_name(const std::string& raw) {
  return report::safe_name(raw, 2000);
}

TEST_P(Hostile, KeepsTheNamesOfCasesInJunit) {
  const std::string name = GetParam();
  for (const char* report : {"plan", "run", "comparison"}) {
    pugi::xml_document document;
    ASSERT_TRUE(
        document.load_string(fixture::drawn(report, Format::junit, {}, name).c_str(), pugi::parse_full));
    std::size_t cases = 0;
    for (const pugi::xpath_node& one : document.select_nodes("/testsuites/testsuite/testcase")) {
      const std::string shown = one.node().attribute("name").value();
      if (shown.starts_with("(the whole")) continue;
      const std::string expected = name + std::to_string(cases++);
      const bool alone =
          shown == junit_name(expected) || shown.starts_with(junit_name(expected).substr(0, 900));
      EXPECT_TRUE(alone) << shown << " is not " << expected;
      EXPECT_STREQ(one.node().attribute("classname").value(), junit_name(name).c_str());
    }
    EXPECT_GE(cases, 9U);
  }
}

TEST_P(Hostile, ComesBackFromJunitAsTheTextItIs) {
  const std::string name = GetParam();
  for (const std::string& report : all_reports(name, Format::junit, {})) {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed =
        document.load_buffer(report.data(), report.size(), pugi::parse_full, pugi::encoding_utf8);
    ASSERT_TRUE(parsed) << parsed.description() << " at " << parsed.offset;
    EXPECT_EQ(report, printable_lines(report));
    for (const pugi::xpath_node& one : document.select_nodes("/testsuites/testsuite/testcase"))
      EXPECT_LE(display_width(one.node().attribute("name").value()), 2000U);
    EXPECT_EQ(document
                  .select_nodes("//*[not(self::testsuites or self::testsuite or self::testcase or "
                                "self::properties or self::property or self::skipped or self::failure or "
                                "self::error or self::system-out)]")
                  .size(),
              0U);
    EXPECT_EQ(document.select_nodes("//comment()|//processing-instruction()").size(), 0U);
  }
}

TEST_P(Hostile, KeepsMarkdownWithinItsLimitAndUnbroken) {
  for (const std::size_t limit :
       {std::size_t{1000}, std::size_t{3000}, std::size_t{9000}, std::size_t{30000}}) {
    Style style;
    style.markdown_limit = limit;
    style.whole = GetParam();
    for (const std::string& report : all_reports(GetParam(), Format::markdown, style)) {
      EXPECT_LE(report.size(), limit);
      expect_inert(report);
    }
  }
}

TEST_P(Hostile, KeepsJsonValidUtf8AndWhole) {
  for (const std::string& report : all_reports(GetParam(), Format::json, {})) {
    const nlohmann::json json = nlohmann::json::parse(report, nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << report.substr(0, 200);
    EXPECT_GE(json["version"].get<int>(), 1);
    EXPECT_TRUE(json["format"].get<std::string>().starts_with("harness-"));
  }
}

TEST_P(Hostile, IsInertInMarkdown) {
  for (const std::string& report : all_reports(GetParam(), Format::markdown, {})) expect_inert(report);
}

TEST_P(Hostile, LeavesNoElementOpenInMarkdown) {
  for (const std::string& report : all_reports(GetParam(), Format::markdown, {})) {
    const auto times = [&](std::string_view tag) {
      std::size_t count = 0;
      for (std::size_t at = report.find(tag); at != std::string::npos; at = report.find(tag, at + 1)) ++count;
      return count;
    };
    EXPECT_EQ(times("<details>"), times("</details>"));
    EXPECT_EQ(times("<code>"), times("</code>"));
    EXPECT_LT(report.size(), 120000U);  // ten-kilobyte names do not fill the 1 MiB of a job summary
  }
}

TEST(LongNames, LoseTheirMiddleAndKeepBothEnds) {
  const std::string name = "begin/" + std::string(5000, 'x') + "/end";
  const std::string shown = report::safe_name(name, 30);
  EXPECT_EQ(display_width(shown), 30U);
  EXPECT_TRUE(shown.starts_with("begin/"));
  EXPECT_TRUE(shown.ends_with("/end"));
  EXPECT_NE(shown.find("…"), std::string::npos);
}

TEST(LongNames, AreCutBetweenCodePoints) {
  std::string name;
  for (int i = 0; i < 100; ++i) name += "µ";
  const std::string shown = report::safe_name(name, 11);
  EXPECT_EQ(display_width(shown), 11U);
  EXPECT_EQ(printable(shown), shown);
}

TEST(MarkdownCode, UsesAPlainSpanWhereTheNameAllowsOne) {
  EXPECT_EQ(report::markdown_code("linear_gelu/fused/m=512"), "`linear_gelu/fused/m=512`");
  EXPECT_EQ(report::markdown_code("a|b"), "<code>a&#124;b</code>");
  EXPECT_EQ(report::markdown_code("a`b"), "<code>a&#96;b</code>");
  EXPECT_EQ(report::markdown_code(" a"), "<code> a</code>");
}

TEST(MarkdownProse, TurnsPairedBackticksIntoCode) {
  EXPECT_EQ(report::markdown_prose("use `a_b` now"), "use `a_b` now");
  EXPECT_EQ(report::markdown_prose("odd ` one"), "odd &#96; one");
  EXPECT_EQ(report::markdown_prose("@you <b>"), "&#64;\u200byou &lt;b&gt;");
  EXPECT_EQ(report::markdown_prose("snake_case _em_"), "snake_case &#95;em&#95;");
  EXPECT_EQ(report::markdown_prose("- item"), "&#45; item");
  EXPECT_EQ(report::markdown_prose("12. item"), "12&#46; item");
}

}  // namespace
}  // namespace harness
