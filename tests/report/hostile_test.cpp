// Names that attack whoever reads the report.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fixture.h"
#include "harness/base/text.h"
#include "harness/report/markdown_text.h"
#include "harness/report/report.h"
#include "harness/report/terminal_text.h"

namespace harness {
namespace {

std::vector<std::string> all_reports(const std::string& name, Format format, const Style& style) {
  return {render_plan(fixture::hostile_plan(name), format, style),
          render_run(fixture::hostile_record(name), fixture::hostile_summaries(name), format, style),
          render_comparison(fixture::hostile_comparison(name), format, style)};
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

TEST_P(Hostile, KeepsJsonValidUtf8AndWhole) {
  for (const std::string& report : all_reports(GetParam(), Format::json, {})) {
    const nlohmann::json json = nlohmann::json::parse(report, nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << report.substr(0, 200);
    EXPECT_EQ(json["version"], 1);
    EXPECT_EQ(json["cases"].size(), report.find("harness-comparison") != std::string::npos ? 9U : 11U);
  }
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

TEST_P(Hostile, IsInertInMarkdown) {
  for (const std::string& report : all_reports(GetParam(), Format::markdown, {})) {
    std::size_t columns = 0;
    for (const std::string& line : split(report, '\n')) {
      const std::string bare = without_our_tags(without_code(line));
      EXPECT_EQ(bare.find_first_of("<>\\~$"), std::string::npos) << bare;
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
  }
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
