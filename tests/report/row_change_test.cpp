// Changes and margins in the metric's own unit, beside those in percent.
#include "harness/report/row_change.h"

#include <gtest/gtest.h>

#include "harness/report/words/diagnostic_words.h"
#include "harness/report/words/reason_words.h"

namespace harness::report {
namespace {

ComparisonRow row_in_points() {
  ComparisonRow row;
  row.metric = "accuracy";
  row.unit = "%";
  row.direction = Direction::higher_is_better;
  row.baseline = {10, 97.0, 0.006, 0, {}};
  row.current = {10, 96.7, 0.006, 0, {}};
  row.ratio = 96.7 / 97;
  row.margin = 0.5 / 97;
  row.in_unit = UnitChange{0.5, "points", -0.3123, Interval{-0.4, -0.2}, true};
  return row;
}

TEST(RowChange, IsToldInTheUnitOfTheMargin) {
  const ComparisonRow row = row_in_points();
  EXPECT_EQ(margin_words(row), "0.5 points");
  EXPECT_EQ(change_words(row), "-0.312 points");
  EXPECT_EQ(interval_words(row), "[-0.4, -0.2] points");
  EXPECT_EQ(change_with_interval(row), "-0.312 points (-0.4 to -0.2)");
}

TEST(RowChange, HasNoWordForAPlainNumber) {
  ComparisonRow row = row_in_points();
  row.in_unit->unit = "absolute";
  EXPECT_EQ(margin_words(row), "0.5");
  EXPECT_EQ(change_words(row), "-0.312");
}

TEST(RowChange, IsAPercentageForOtherMargins) {
  ComparisonRow row;
  row.ratio = 1.04;
  row.margin = 0.01;
  row.interval = Interval{1.03, 1.05};
  EXPECT_EQ(margin_words(row), "1 %");
  EXPECT_EQ(change_words(row), "+4.00 %");
  EXPECT_EQ(interval_words(row), "[+3.00 %, +5.00 %]");
}

TEST(RowChange, IsUnknownBeforeTheRowIsJudged) {
  ComparisonRow row = row_in_points();
  row.in_unit->interval.reset();
  EXPECT_EQ(change_words(row), "-");
  EXPECT_EQ(interval_words(row), "-");
}

TEST(RowChange, OfEachSeedAlikeSaysSo) {
  ComparisonRow row = row_in_points();
  row.exact = true;
  row.verdict = Verdict::unchanged;
  row.reason = {ReasonCode::within};
  row.current = row.baseline;
  row.in_unit->difference = 0;
  EXPECT_EQ(reason_words(row), "exactly the same in each of 10 processes");
  row.in_unit->difference = -0.25;
  row.in_unit->interval = Interval{-0.25, -0.25};
  row.current.center = 96.75;
  EXPECT_EQ(
      reason_words(row),
      "within the margin of 0.5 points: 97 % -> 96.75 % (-0.25 points), the same change in every process");
}

TEST(RowChange, MarginsOfOtherUnitsAreNamedInAdvice) {
  const Diagnostic loosened{DiagnosticCode::margin_loosened,
                            {{"baseline", 0.5}, {"current", 0.02}, {"baseline_unit", "points"}}};
  EXPECT_EQ(words(loosened), "The margin of this case was 0.5 points in the baseline and is 2.00 % now.");
  const Diagnostic wider{
      DiagnosticCode::wider_margin,
      {{"sd", 0.6123}, {"margin", 0.5}, {"processes", 10}, {"settled", 0.8345}, {"margin_unit", "points"}}};
  EXPECT_EQ(
      words(wider),
      "It varies by 0.61 points between processes, too much for a margin of 0.5 points. With 10 processes "
      "give its metric `margin: 0.84 points` in the suite.");
}

}  // namespace
}  // namespace harness::report
