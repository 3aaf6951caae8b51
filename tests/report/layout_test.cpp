// The parts that tables are made of.
#include <gmock/gmock.h>

#include "harness/base/text.h"
#include "harness/report/documents/identity.h"
#include "harness/report/media/terminal_text.h"
#include "harness/report/numbers.h"

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

TEST(GroupIds, PutsVariantsOfOneShapeSideBySide) {
  const auto groups = group_ids(Strings{"w/a/m=1", "w/a/m=2", "w/b/m=1", "w/b/m=2"});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].heading, "w/*/m=1");
  EXPECT_EQ(groups[0].members[1].label, "b");
  EXPECT_EQ(groups[0].members[1].index, 2U);
}

TEST(GroupIds, MakesOneGroupWhereMostWouldHaveOneMember) {
  const auto groups = group_ids(Strings{"w/a/m=1", "w/a/m=2", "w/a/m=3"});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].heading, "w/a/*");
  EXPECT_EQ(groups[0].members[2].label, "m=3");
  EXPECT_TRUE(group_ids(Strings{}).empty());
}

TEST(Abridge, CountsWhatItLeavesOut) {
  const auto some = abridge(Strings{"w/a/m=1", "w/b/m=1", "w/a/m=2", "x"});
  ASSERT_EQ(some.size(), 3U);
  EXPECT_EQ(some[0].pattern, "w/a/*");
  EXPECT_EQ(some[0].count, 2U);
  EXPECT_EQ(some[1].pattern, "w/b/m=1");
}

std::vector<ReasonGroup> sentences(const std::vector<std::string>& reasons) {
  std::vector<Reasoned> cases;
  for (std::size_t i = 0; i < reasons.size(); ++i) cases.push_back({"case" + std::to_string(i), reasons[i]});
  return group_by_sentence(cases);
}

TEST(GroupBySentence, TellsTheRangeAndEveryCasesOwnFigures) {
  const std::vector<ReasonGroup> groups = sentences({
      "throttled (power_cap) in 12 of 20 placements, 7.5 us: more than 20 %",
      "something else",
      "throttled (power_cap) in 9 of 20 placements, 81 us: more than 20 %",
      "throttled (power_cap) in 100 of 20 placements, 7.5 us: more than 20 %",
  });
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].reason,
            "throttled (power_cap) in 9 to 100 of 20 placements, 7.5 to 81 us: more than 20 %");
  EXPECT_THAT(groups[0].ids, ElementsAre("case0", "case2", "case3"));
  EXPECT_THAT(groups[0].figures, ElementsAre("12, 7.5", "9, 81", "100, 7.5"));
  EXPECT_EQ(groups[1].reason, "something else");
  EXPECT_THAT(groups[1].figures, IsEmpty());
}

TEST(GroupBySentence, HasNoFiguresWhereAllAreTheSame) {
  const std::vector<ReasonGroup> groups = sentences({"raise it above 0.5 s.", "raise it above 0.5 s."});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].reason, "raise it above 0.5 s.");
  EXPECT_THAT(groups[0].figures, IsEmpty());
}

TEST(GroupBySentence, KeepsNamesApartThatHoldNumbers) {
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
           {"no speedup over gemm/m=512", "no speedup over gemm/m=1024"},
           {"kernel `tile 64 of 8`", "kernel `tile 32 of 8`"},
           {"an H200 is it", "an H100 is it"},
           {"p is 1.2e-05", "p is 1.3e-05"},
           {"since 12:30:10", "since 12:30:11"},
           {"1,234 calls", "1,235 calls"},
           {"", "1"}})
    EXPECT_EQ(sentences({one, other}).size(), 2U) << one;
}

TEST(GroupBySentence, TakesEndsOfSentencesForWhatTheyAre) {
  EXPECT_EQ(sentences({"takes 1.5.", "takes 2."}).at(0).reason, "takes 1.5 to 2.");
  EXPECT_EQ(sentences({"5", "40"}).at(0).reason, "5 to 40");
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
  EXPECT_EQ(percent_bounds({0.98, 1.0412}), "[-2.00 %, +4.12 %]");
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

TEST(Draw, AlignsOnTheDecimalPoint) {
  EXPECT_EQ(draw(small_grid(), {false, 100}),
            "  case      time  rate  p\n"
            "  one       1.25    10  x\n"
            "  twenty  100        -  y\n");
}

TEST(Draw, MakesATableABlockAndThenStacksLabels) {
  Grid grid = small_grid();
  grid.sections[0].rows[0].label = std::string(35, 'o');
  EXPECT_EQ(draw(grid, {false, 40}),
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

TEST(Draw, NamesTheColumnsItLeavesOut) {
  Grid grid = small_grid();
  grid.sections[0].rows[0].label = std::string(36, 'o');
  grid.sections[0].rows[0].cells[0].text = std::string(30, '1');
  const std::string text = draw(grid, {false, 40});
  EXPECT_NE(text.find("not shown at this width: rate\n"), std::string::npos) << text;
}

TEST(Wrapped, IndentsWhatFollowsTheFirstLine) {
  EXPECT_EQ(wrapped("aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii", "  - ", {false, 40}),
            "  - aaaa bbbb cccc dddd eeee ffff gggg\n    hhhh iiii\n");
  EXPECT_EQ(wrapped("", "x ", {false, 40}), "x \n");
}

}  // namespace
}  // namespace harness::report
