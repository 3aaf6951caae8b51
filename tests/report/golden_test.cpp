// Every output, rendered from one fixed plan, record and comparison.
#include "golden.h"

#include <gtest/gtest.h>

#include "fixture.h"
#include "harness/report/report.h"

namespace harness {
namespace {

using golden::matches;

const Style normal{false, 100};
const Style wide{false, 220};
const Style narrow{false, 72};
const Style coloured{true, 100};

TEST(GoldenPlan, Terminal) {
  EXPECT_TRUE(matches("plan.txt", render_plan(fixture::plan(), Format::terminal, normal)));
}
TEST(GoldenPlan, Markdown) {
  EXPECT_TRUE(matches("plan.md", render_plan(fixture::plan(), Format::markdown, normal)));
}
TEST(GoldenPlan, Json) {
  EXPECT_TRUE(matches("plan.json", render_plan(fixture::plan(), Format::json, normal)));
}

std::string run(Format format, const Style& style) {
  return render_run(fixture::record(), fixture::summaries(), format, style);
}

TEST(GoldenRun, Terminal) {
  EXPECT_TRUE(matches("run.txt", run(Format::terminal, normal)));
}
TEST(GoldenRun, WideTerminal) {
  EXPECT_TRUE(matches("run_wide.txt", run(Format::terminal, wide)));
}
TEST(GoldenRun, NarrowTerminal) {
  EXPECT_TRUE(matches("run_narrow.txt", run(Format::terminal, narrow)));
}
TEST(GoldenRun, ColouredTerminal) {
  EXPECT_TRUE(matches("run_coloured.txt", run(Format::terminal, coloured)));
}
TEST(GoldenRun, Markdown) {
  EXPECT_TRUE(matches("run.md", run(Format::markdown, normal)));
}
TEST(GoldenRun, Json) {
  EXPECT_TRUE(matches("run.json", run(Format::json, normal)));
}

std::string compared(Format format, const Style& style) {
  return render_comparison(fixture::comparison(), format, style);
}

TEST(GoldenComparison, Terminal) {
  EXPECT_TRUE(matches("comparison.txt", compared(Format::terminal, normal)));
}
TEST(GoldenComparison, NarrowTerminal) {
  EXPECT_TRUE(matches("comparison_narrow.txt", compared(Format::terminal, narrow)));
}
TEST(GoldenComparison, ColouredTerminal) {
  EXPECT_TRUE(matches("comparison_coloured.txt", compared(Format::terminal, coloured)));
}
TEST(GoldenComparison, Markdown) {
  EXPECT_TRUE(matches("comparison.md", compared(Format::markdown, normal)));
}
TEST(GoldenComparison, Json) {
  EXPECT_TRUE(matches("comparison.json", compared(Format::json, normal)));
}

TEST(GoldenJunit, OfAPlanARunAndAComparison) {
  EXPECT_TRUE(matches("plan.junit.xml", render_plan(fixture::plan(), Format::junit, normal)));
  EXPECT_TRUE(matches("run.junit.xml", run(Format::junit, normal)));
  EXPECT_TRUE(matches("comparison.junit.xml", compared(Format::junit, normal)));
}
TEST(GoldenGithub, OfAPlanARunAndAComparison) {
  EXPECT_TRUE(matches("plan.github.txt", render_plan(fixture::plan(), Format::github, normal)));
  EXPECT_TRUE(matches("run.github.txt", run(Format::github, normal)));
  EXPECT_TRUE(matches("comparison.github.txt", compared(Format::github, normal)));
}

// Waivers, informative rows, kernels and the policy, in every medium.
std::string governed(Format format) {
  return render_comparison(fixture::governed_comparison(), format, normal);
}

TEST(GoldenGoverned, InEveryMedium) {
  EXPECT_TRUE(matches("governed.txt", governed(Format::terminal)));
  EXPECT_TRUE(matches("governed.md", governed(Format::markdown)));
  EXPECT_TRUE(matches("governed.json", governed(Format::json)));
  EXPECT_TRUE(matches("governed.junit.xml", governed(Format::junit)));
  EXPECT_TRUE(matches("governed.github.txt", governed(Format::github)));
}

TEST(GoldenDifference, ShowsOnlyTheLinesThatDifferAndTheirNeighbours) {
  EXPECT_EQ(golden::line_difference("a\nb\nc\nd\ne\nf\ng", "a\nb\nc\nd\nE\nf\ng"),
            "  ...\n  c\n  d\n- e\n+ E\n  f\n  g\n");
  EXPECT_EQ(golden::line_difference("same\n", "same\n"), "");
}

}  // namespace
}  // namespace harness
