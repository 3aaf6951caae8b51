// The content of other reports, whatever its format.
#include "harness/report/report.h"

#include <gtest/gtest.h>

#include "fixture.h"
#include "grids.h"
#include "harness/base/text.h"

namespace harness {
namespace {

const Style style{false, 100};

TEST(Plan, TellsOneReasonOnceForManyCases) {
  Plan plan = fixture::plan();
  for (PlannedCase& one : plan.cases) one.skip = told_cause("there is no GPU here");
  EXPECT_EQ(times(render_plan(plan, Format::terminal, style), "there is no GPU here"), 1U);
}

TEST(Plan, ShowsWhatDiffersFromCaseToCase) {
  Plan plan = fixture::plan();
  const std::size_t before = headers_of(tables_of(report::plan_document(plan)).at(0)).size();
  plan.cases[0].gate.margin = 0.005;
  plan.cases[1].sampling.processes = 9;
  const report::Grid grid = tables_of(report::plan_document(plan)).at(0);
  EXPECT_EQ(headers_of(grid).size(), before + 2);
  EXPECT_NE(cells_of(grid, "gate").at(0).text.find("0.5 %"), std::string::npos);
  EXPECT_EQ(cells_of(grid, "sampling").at(1).text, "9 x 5 x 50 cold");
}

TEST(Plan, NamesEveryMetricInFull) {
  const std::string counter = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum.per_second";
  Plan plan = fixture::plan();
  plan.counters = {CounterCode::looked_up, {{"chip", "GH100"}}};
  for (PlannedCase& one : plan.cases) one.metrics = {"time", "error", counter};
  for (const Format format : {Format::terminal, Format::markdown}) {
    const auto text = [&] {
      std::string whole = render_plan(plan, format, style);
      for (std::size_t at = whole.find("&#95;"); at != std::string::npos; at = whole.find("&#95;"))
        whole.replace(at, 5, "_");
      return whole;
    };
    EXPECT_EQ(times(text(), counter), 1U) << text();
    plan.cases[0].metrics = {"time", counter, "dram__bytes_read.sum"};
    EXPECT_EQ(times(text(), counter), 1U) << text();
    plan.cases[0].metrics = plan.cases[1].metrics;
  }
}

TEST(EmptyInputs, AreRendered) {
  for (const Format format : {Format::terminal, Format::markdown, Format::json}) {
    EXPECT_FALSE(render_plan({}, format, style).empty());
    EXPECT_FALSE(render_run({}, {}, format, style).empty());
    EXPECT_FALSE(render_comparison({}, format, style).empty());
  }
}

TEST(Colour, IsThereOnlyWhenAskedFor) {
  EXPECT_EQ(render_comparison(fixture::comparison(), Format::terminal, style).find('\x1b'),
            std::string::npos);
  const std::string coloured = render_comparison(fixture::comparison(), Format::terminal, {true, 100});
  EXPECT_TRUE(coloured.starts_with("\x1b[1;31m"));
  std::string plain;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b')
      i = coloured.find('m', i);
    else
      plain += coloured[i];
  }
  EXPECT_EQ(plain, render_comparison(fixture::comparison(), Format::terminal, style));
}

}  // namespace
}  // namespace harness
