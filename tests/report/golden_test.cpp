// Every report in every format, drawn from fixed facts. Golden files are the only place that checks wording.
#include "golden.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "studies.h"

namespace harness {
namespace {

using fixture::drawn;
using golden::matches;

std::string ending_of(Format format) {
  switch (format) {
    case Format::terminal: return ".txt";
    case Format::markdown: return ".md";
    case Format::junit: return ".junit.xml";
    case Format::github: return ".github.txt";
    default: return fmt::format(".{}", name_of(format));
  }
}

class Golden : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Reports, Golden, testing::ValuesIn(fixture::report_names()),
                         [](const auto& report) { return report.param; });

TEST_P(Golden, InEveryFormat) {
  for (const auto& [format, name] : enum_names<Format>)
    EXPECT_TRUE(matches(GetParam() + ending_of(format), drawn(GetParam(), format)));
}

TEST(GoldenTerminal, OfEveryWidthAndColour) {
  EXPECT_TRUE(matches("run_wide.txt", drawn("run", Format::terminal, {false, 220})));
  EXPECT_TRUE(matches("run_narrow.txt", drawn("run", Format::terminal, {false, 72})));
  EXPECT_TRUE(matches("run_coloured.txt", drawn("run", Format::terminal, {true, 100})));
  EXPECT_TRUE(matches("comparison_narrow.txt", drawn("comparison", Format::terminal, {false, 72})));
  EXPECT_TRUE(matches("comparison_coloured.txt", drawn("comparison", Format::terminal, {true, 100})));
}

TEST(GoldenDifference, ShowsOnlyTheLinesThatDifferAndTheirNeighbours) {
  EXPECT_EQ(golden::line_difference("a\nb\nc\nd\ne\nf\ng", "a\nb\nc\nd\nE\nf\ng"),
            "  ...\n  c\n  d\n- e\n+ E\n  f\n  g\n");
  EXPECT_EQ(golden::line_difference("same\n", "same\n"), "");
}

}  // namespace
}  // namespace harness
