// The parts that tables are made of.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/model/plan.h"
#include "harness/report/documents/identity.h"
#include "harness/report/media/terminal_text.h"
#include "harness/report/numbers.h"
#include "harness/report/words/summary_words.h"
#include "harness/report/words/told.h"

namespace harness::report {
namespace {

using Strings = std::vector<std::string>;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(FactorIds, SaysOnceWhatAllShare) {
  const Shared shared = factor_ids(Strings{"w/a/m=1/k=9", "w/b/m=2/k=9"});
  EXPECT_EQ(shared.pattern, "w/*/*/k=9");
  EXPECT_EQ(shared.labels, (Strings{"a/m=1", "b/m=2"}));
}

TEST(FactorIds, KeepsAnIdThatStandsAlone) {
  EXPECT_EQ(factor_ids(Strings{"w/a/m=1"}).pattern, "");
  EXPECT_EQ(factor_ids(Strings{"w/a/m=1"}).labels, Strings{"w/a/m=1"});
  EXPECT_EQ(factor_ids(Strings{"w/a", "w/a"}).labels, (Strings{"w/a", "w/a"}));
}

TEST(FactorIds, OfDifferentLengthsShareAPrefixAtMost) {
  const Shared shared = factor_ids(Strings{"w/a/m=1", "w/a/m=1/k=2", "w/a/m=3/k=2"});
  EXPECT_EQ(shared.pattern, "w/a/*");
  EXPECT_EQ(shared.labels, (Strings{"m=1", "m=1/k=2", "m=3/k=2"}));
  EXPECT_EQ(factor_ids(Strings{"w/a", "w/a/b"}).labels, (Strings{"a", "a/b"}));
}

NamedCase variant(const std::string& name, int m) {
  PlannedCase one;
  one.workload = "w";
  one.variant = name;
  one.params = sdk::Params({{"m", m}});
  one.id = fmt::format("w/{}/m={}", name, m);
  return named(one);
}

TEST(GroupCases, PutsVariantsOfOneShapeSideBySide) {
  const auto groups =
      group_cases(std::vector{variant("a", 1), variant("a", 2), variant("b", 1), variant("b", 2)});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].heading, "w/*/m=1");
  EXPECT_EQ(groups[0].members[1].label, "b");
  EXPECT_EQ(groups[0].members[1].index, 2U);
}

TEST(GroupCases, MakesOneGroupWhereMostWouldHaveOneMember) {
  const auto groups = group_cases(std::vector{variant("a", 1), variant("a", 2), variant("a", 3)});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].heading, "w/a/*");
  EXPECT_EQ(groups[0].members[2].label, "m=3");
  EXPECT_TRUE(group_cases({}).empty());
}

TEST(GroupCases, LeavesTheIdsOfOtherToolsWhole) {
  const auto groups =
      group_cases(std::vector<NamedCase>{{"BM_a/8/x", {}}, {"BM_a/16/x", {}}, {"BM_b/8/x", {}}});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].members.size(), 3U);
}

TEST(Abridge, CountsWhatItLeavesOut) {
  const auto some = abridge(Strings{"w/a/m=1", "w/b/m=1", "w/a/m=2", "x"});
  ASSERT_EQ(some.size(), 3U);
  EXPECT_EQ(some[0].pattern, "w/a/*");
  EXPECT_EQ(some[0].count, 2U);
  EXPECT_EQ(some[1].pattern, "w/b/m=1");
}

Summary noted(const std::string& id, Diagnostic diagnostic) {
  Summary summary;
  summary.case_id = id;
  summary.diagnostics = {std::move(diagnostic)};
  return summary;
}

Diagnostic crowded(int shared, int known) {
  return {DiagnosticCode::shared_run, {{"most", 2}, {"shared", shared}, {"known", known}}};
}

TEST(GroupedNotes, TellTheRangeAndEveryCasesOwnFigures) {
  const std::vector<ReasonGroup> groups =
      grouped_notes({noted("a", crowded(12, 20)), noted("b", {DiagnosticCode::some_zeros}),
                     noted("c", crowded(9, 20)), noted("d", crowded(17, 25))});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0].reason, testing::HasSubstr("9 to 17 of 20 to 25 placements"));
  EXPECT_THAT(groups[0].ids, ElementsAre("a", "c", "d"));
  EXPECT_THAT(groups[0].figures, ElementsAre("12, 20", "9, 20", "17, 25"));
  EXPECT_THAT(groups[1].ids, ElementsAre("b"));
  EXPECT_THAT(groups[1].figures, IsEmpty());
}

TEST(GroupedNotes, HaveNoFiguresWhereAllAreTheSame) {
  const std::vector<ReasonGroup> groups =
      grouped_notes({noted("a", crowded(1, 2)), noted("b", crowded(1, 2)), noted("b", crowded(1, 2))});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_THAT(groups[0].ids, ElementsAre("a", "b"));
  EXPECT_THAT(groups[0].figures, IsEmpty());
}

TEST(GroupedNotes, KeepTextsAndSignsApart) {
  const auto drift = [](const char* side, double change) {
    return Diagnostic{DiagnosticCode::slowing, {{"side", side}, {"change", change}}};
  };
  EXPECT_EQ(grouped_notes({noted("a", drift("current", 0.1)), noted("b", drift("current", -0.1)),
                           noted("c", drift("baseline", 0.1)), noted("d", drift("current", 0.2))})
                .size(),
            3U);
}

TEST(Told, TellsOneNumberAndItsUnitOnce) {
  const Figures one{{"share", 0.125}, {"count", 1}};
  EXPECT_EQ(Told(one).percent("share", "{:g}"), "12.5 %");
  EXPECT_EQ(Told(one).counted("count", "process", "processes"), "1 process");
  const Figures other{{"share", 0.25}, {"count", 3}};
  const Told both(std::vector<const Figures*>{&one, &other});
  EXPECT_EQ(both.percent("share", "{:g}"), "12.5 to 25 %");
  EXPECT_EQ(both.counted("count", "process", "processes"), "1 to 3 processes");
  EXPECT_THAT(both.differing(), ElementsAre("12.5, 1", "25, 3"));
}

TEST(Scale, IsSharedWhileTheValuesAllow) {
  EXPECT_EQ(scale_for("us", std::vector{1500.0, 23000.0}).unit, "ms");
  EXPECT_EQ(scale_for("us", std::vector{900.0, 23000.0}).unit, "us");
  EXPECT_EQ(scale_for("us", std::vector{0.5}).unit, "ns");
  EXPECT_FALSE(scale_for("us", std::vector{1.0, 1e6}).shared);
  EXPECT_EQ(scale_for("widgets", std::vector{1e-9, 1e9}).unit, "widgets");
  EXPECT_EQ(quantity(1.5e6, scale_for("us", std::vector{1.0, 1e6})), "1.500 s");
  EXPECT_EQ(quantity(1500, scale_for("us", std::vector{1500.0})), "1.500");
}

TEST(Numbers, ShowTheWidthOfAnInterval) {
  const Scale us{1, "us", true, "us"};
  EXPECT_EQ(bounds({37.80, 37.95}, us), "[37.80, 37.95]");
  EXPECT_EQ(bounds({37.8799, 37.8801}, us), "[37.87990, 37.88010]");
  EXPECT_EQ(bounds({1898.4, 1909.6}, us), "[1898, 1910]");
  EXPECT_EQ(bounds({1.492, 1.514}), "[1.49, 1.51]");
  EXPECT_EQ(bounds({0.9981, 1.0004}), "[0.998, 1.000]") << "like 0.999, which lies between them";
  EXPECT_EQ(percent_bounds({0.98, 1.0412}), "[-2.00 %, +4.12 %]");
  EXPECT_EQ(bounds({2, 20}), "[2.0, 20.0]") << "they lie ten times apart";
  EXPECT_EQ(bounds({1.9, 20}), "varies too much to say");
  EXPECT_EQ(bounds({0, 4168255}, us), "varies too much to say");
  EXPECT_EQ(bounds({0, 0}), "[0.0, 0.0]") << "a metric that is always 0";
  EXPECT_EQ(percent_bounds({0.0001, 357}), "varies too much to say");
  EXPECT_EQ(percent_bounds({32.3, 349.1}), "[+3130 %, +34810 %]") << "at least 32 times slower";
}

TEST(Numbers, SayNothingTwiceAndNothingFalse) {
  EXPECT_EQ(signed_percent(-0.00001), "0.00 %");
  EXPECT_EQ(signed_percent(2.5), "+250 %");
  EXPECT_EQ(plain_percent(0.01), "1 %");
  EXPECT_EQ(plain_percent(0.0125), "1.25 %");
  EXPECT_EQ(probability(1e-30), "< 1e-16");
  EXPECT_EQ(probability(0.0421), "0.042");
  EXPECT_EQ(probability(std::nullopt), "-");
  EXPECT_EQ(coarse_duration(3725), "1 h 2 min");
  EXPECT_EQ(coarse_duration(90), "1 min 30 s");
  EXPECT_EQ(grouped_digits(1234567), "1,234,567");
  EXPECT_EQ(grouped_digits(123), "123");
}

Grid small_grid() {
  Grid grid;
  grid.label_header = "case";
  grid.columns = {{"time", Align::decimal, 0, 0}, {"rate", Align::decimal, 0, 9}, {"p", Align::right, 1, 0}};
  grid.sections = {
      {"", Paint::faint, {{"one", {{"1.25"}, {"10"}, {"x"}}}, {"twenty", {{"100"}, {"-"}, {"y"}}}}}};
  return grid;
}

std::string drawn(const Grid& grid, const Style& style) {
  std::string text;
  draw(grid, style, text);
  return text;
}

TEST(Draw, AlignsOnTheDecimalPoint) {
  EXPECT_EQ(drawn(small_grid(), {false, 100}),
            "  case      time  rate  p\n"
            "  one       1.25    10  x\n"
            "  twenty  100        -  y\n");
}

TEST(Draw, MakesATableABlockAndThenStacksLabels) {
  Grid grid = small_grid();
  grid.sections[0].rows[0].label = std::string(35, 'o');
  EXPECT_EQ(drawn(grid, {false, 40}),
            "        time  rate\n"
            "  " +
                std::string(35, 'o') +
                "\n"
                "        1.25    10\n"
                "  twenty\n"
                "      100        -\n"
                "\n"
                "  case                                 p\n"
                "  " +
                std::string(35, 'o') +
                "  x\n"
                "  twenty                               y\n");
}

TEST(Draw, LeavesOutTheColumnOfTheHighestPriority) {
  Grid grid = small_grid();
  grid.sections[0].rows[0].label = std::string(36, 'o');
  grid.sections[0].rows[0].cells = {{std::string(30, '1')}, {"10"}, {"x"}};
  const std::string text = drawn(grid, {false, 40});
  EXPECT_EQ(text.find("rate"), std::string::npos) << text;
  EXPECT_NE(text.find(std::string(30, '1')), std::string::npos) << text;
}

TEST(Draw, LeavesOutSpareColumnsFromTheRightBeforeLabelsMove) {
  Grid grid = small_grid();
  grid.columns = {
      {"time"}, {"rate", Align::decimal, 0, 0, false, true}, {"p", Align::right, 0, 0, false, true}};
  grid.sections[0].rows[0].label = std::string(26, 'o');
  EXPECT_EQ(drawn(grid, {false, 40}),
            "  case                         time rate\n"
            "  oooooooooooooooooooooooooo   1.25   10\n"
            "  twenty                     100       -\n");
}

TEST(Wrapped, IndentsWhatFollowsTheFirstLine) {
  EXPECT_EQ(wrapped("aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii", "  - ", {false, 40}),
            "  - aaaa bbbb cccc dddd eeee ffff gggg\n    hhhh iiii\n");
  EXPECT_EQ(wrapped("", "x ", {false, 40}), "x \n");
}

}  // namespace
}  // namespace harness::report
