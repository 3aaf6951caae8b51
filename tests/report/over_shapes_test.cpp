// Speedups over all shapes of a suite's entry: the figures, what belongs together, and where they are told.
#include "harness/report/over_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fixture.h"

namespace harness {
namespace {

using report::SpeedupOverShapes;
using report::speedups_over_shapes;

struct Point {
  std::string variant;
  std::string shape;
  double ratio = 0;  // 0: the reference itself
  std::vector<std::string> tags = {"small"};
  std::optional<double> half_width = 0.1;
};

struct Measurement {
  Record record;
  std::vector<Summary> summaries;
};

Measurement run_of(const std::vector<Point>& all) {
  Measurement run;
  run.record.suite.name = "attention";
  for (const Point& one : all) {
    CaseRecord record;
    record.id = "attention/" + one.variant + "/s=" + one.shape;
    record.workload = "attention";
    record.variant = one.variant;
    record.device = "cuda";
    record.reference = "attention/cudnn/s=" + one.shape;
    record.tags = one.tags;
    record.items = 100;
    record.item_name = "tokens";
    Summary summary;
    summary.case_id = record.id;
    summary.metric = "gpu_time";
    summary.unit = "us";
    summary.processes = 5;
    summary.samples = 10;
    summary.center = 1;
    summary.items_per_s = 1e8;
    if (one.ratio != 0) {
      summary.speedup = Speedup{record.reference, one.ratio, std::nullopt};
      if (one.half_width)
        summary.speedup->interval = Interval{one.ratio - *one.half_width, one.ratio + *one.half_width};
    }
    run.record.cases.push_back(record);
    run.summaries.push_back(summary);
  }
  return run;
}

const std::vector<Point> three_shapes = {{"cudnn", "32"},    {"cudnn", "64"},    {"cudnn", "128"},
                                         {"mma", "32", 0.5}, {"mma", "64", 2.0}, {"mma", "128", 8.0}};

std::vector<report::Table> tables_of(const Measurement& run) {
  std::vector<report::Table> tables;
  for (const report::Block& block : report::run_document(run.record, run.summaries).document.blocks)
    if (const auto* table = std::get_if<report::Table>(&block.content)) tables.push_back(*table);
  return tables;
}

TEST(OverShapes, HaveNoTableWhereEveryShapeIsAlike) {
  Measurement run = run_of({{"cudnn", "32"}, {"cudnn", "64"}, {"mma", "32", 1}, {"mma", "64", 1}});
  EXPECT_EQ(speedups_over_shapes(run.record, run.summaries).size(), 1U) << "readers of JSON get it";
  const std::size_t without = tables_of(run).size();
  run.summaries.back().speedup->ratio = 1.01;
  EXPECT_EQ(tables_of(run).size(), without + 1);
}

TEST(OverShapes, TheFiguresAreThoseOfTheRatiosAndOfTheirBounds) {
  const Measurement run = run_of(three_shapes);
  const std::vector<SpeedupOverShapes> rows = speedups_over_shapes(run.record, run.summaries);
  ASSERT_EQ(rows.size(), 1U);
  const SpeedupOverShapes& row = rows.front();
  EXPECT_EQ(row.variant, "mma");
  EXPECT_EQ(row.reference, "cudnn");
  EXPECT_EQ(row.shapes, 3U);
  EXPECT_NEAR(row.geometric_mean.value, 2.0, 1e-12);
  EXPECT_NEAR(row.geometric_mean.interval->lo, std::cbrt(0.4 * 1.9 * 7.9), 1e-12);
  EXPECT_NEAR(row.geometric_mean.interval->hi, std::cbrt(0.6 * 2.1 * 8.1), 1e-12);
  EXPECT_NEAR(row.arithmetic_mean.value, 3.5, 1e-12);
  EXPECT_NEAR(row.arithmetic_mean.interval->lo, 3.4, 1e-12);
  EXPECT_NEAR(row.median.value, 2.0, 1e-12);
  EXPECT_NEAR(row.median.interval->hi, 2.1, 1e-12);
  EXPECT_EQ(row.least.value, 0.5);
  EXPECT_EQ(row.least.case_id, "attention/mma/s=32");
  EXPECT_EQ(row.most.value, 8.0);
  EXPECT_EQ(row.most.case_id, "attention/mma/s=128");
}

TEST(OverShapes, TheMedianOfAnEvenNumberIsBetweenTheTwoInTheMiddle) {
  const Measurement run = run_of({{"cudnn", "1"}, {"cudnn", "2"}, {"mma", "1", 4.0}, {"mma", "2", 1.0}});
  EXPECT_EQ(speedups_over_shapes(run.record, run.summaries).at(0).median.value, 2.5);
}

TEST(OverShapes, OfASpeedupAndItsInverseTheGeometricMeanIsOne) {
  const Measurement run = run_of({{"cudnn", "1"}, {"cudnn", "2"}, {"mma", "1", 4.0}, {"mma", "2", 0.25}});
  EXPECT_NEAR(speedups_over_shapes(run.record, run.summaries).at(0).geometric_mean.value, 1.0, 1e-12);
}

TEST(OverShapes, OneShapeIsNoSummaryAndTagsAreKeptApart) {
  const Measurement run =
      run_of({{"cudnn", "1"}, {"cudnn", "2", 0, {"large"}}, {"mma", "1", 4.0}, {"mma", "2", 2.0, {"large"}}});
  EXPECT_TRUE(speedups_over_shapes(run.record, run.summaries).empty());
}

TEST(OverShapes, AShapeWithoutAnIntervalLeavesTheFiguresWithoutOne) {
  Point bare{"mma", "2", 2.0};
  bare.half_width.reset();
  const Measurement run = run_of({{"cudnn", "1"}, {"cudnn", "2"}, {"mma", "1", 4.0}, bare});
  const auto rows = speedups_over_shapes(run.record, run.summaries);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_FALSE(rows[0].geometric_mean.interval);
  EXPECT_FALSE(rows[0].least.interval);
  EXPECT_TRUE(rows[0].most.interval);
}

TEST(OverShapes, WhatWasNotMeasuredIsLeftOut) {
  Measurement run = run_of(three_shapes);
  run.summaries.back().outcome = Outcome::incorrect;
  EXPECT_EQ(speedups_over_shapes(run.record, run.summaries).at(0).shapes, 2U);
}

TEST(OverShapes, HaveATableWithARowAVariant) {
  const Measurement run = run_of(three_shapes);
  const report::Grid grid = tables_of(run).back().grid;
  ASSERT_EQ(grid.sections.size(), 1U);
  ASSERT_EQ(grid.sections[0].rows.size(), 1U);
  EXPECT_EQ(grid.sections[0].rows[0].label, "mma");
  EXPECT_EQ(grid.sections[0].rows[0].cells.size(), 11U) << "shapes, and five figures with their intervals";
}

TEST(ItemsColumn, NamesWhatIsCounted) {
  const Measurement run = run_of(three_shapes);
  const report::Grid grid = tables_of(run).front().grid;
  EXPECT_EQ(std::count_if(grid.columns.begin(), grid.columns.end(),
                          [](const report::Column& column) { return column.header == "Mtokens/s"; }),
            1);
}

TEST(OverShapes, HostileTagsAreEscaped) {
  Measurement run = run_of({{"cudnn", "1", 0, {"<b>|\x1b[31m"}},
                            {"cudnn", "2", 0, {"<b>|\x1b[31m"}},
                            {"mma", "1", 4.0, {"<b>|\x1b[31m"}},
                            {"mma", "2", 2.0, {"<b>|\x1b[31m"}}});
  const auto drawn = [&](Format format) { return render_run(run.record, run.summaries, format); };
  EXPECT_EQ(drawn(Format::terminal).find("\x1b[31m"), std::string::npos);
  EXPECT_EQ(drawn(Format::markdown).find("<b>"), std::string::npos);
}

}  // namespace
}  // namespace harness
