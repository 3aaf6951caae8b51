// The table of one figure for a README, and how it gets there.
#include "harness/report/readme_marks.h"

#include <gtest/gtest.h>

#include "fixture.h"

namespace harness {
namespace {

using report::put_between_marks;
using report::Shown;

Result<Report> table(Shown shown, const std::vector<std::string>& filters = {}) {
  static const Record record = fixture::record();
  static const std::vector<Summary> summaries = fixture::summaries();
  return report::table_document(record, summaries, filters, shown);
}

const report::Grid& grid_of(const Report& table) {
  return std::get<report::Table>(table.document.blocks.at(0).content).grid;
}

TEST(ReadmeTable, HasARowAShapeAndAColumnAVariant) {
  const auto shown = table(Shown::time);
  ASSERT_TRUE(shown) << shown.error().text();
  const report::Grid& grid = grid_of(*shown);
  ASSERT_EQ(grid.columns.size(), 3U);
  EXPECT_EQ(grid.columns[0].header, "cublas_unfused");
  EXPECT_EQ(grid.columns[1].header, "cublaslt_epilogue");
  ASSERT_EQ(grid.sections.at(0).rows.size(), 2U);
  EXPECT_EQ(grid.sections[0].rows[0].label, "m=512/n=1024/k=1024");
}

TEST(ReadmeTable, ShowsSpeedupsWithTheirIntervalsAndNamesTheReference) {
  const auto shown = table(Shown::speedup);
  ASSERT_TRUE(shown) << shown.error().text();
  const report::GridRow& row = grid_of(*shown).sections.at(0).rows.at(0);
  EXPECT_EQ(row.cells[0].text, "reference");
  EXPECT_EQ(row.cells[1].text, "1.51x [1.51, 1.52]");
}

TEST(ReadmeTable, ShowsOnlyWhatTheFiltersMatch) {
  const auto shown = table(Shown::time, {"*/m=512/*"});
  ASSERT_TRUE(shown) << shown.error().text();
  EXPECT_EQ(grid_of(*shown).sections.at(0).rows.size(), 1U);
}

TEST(ReadmeTable, ShowsCasesOfAnotherToolByTheirIds) {
  Record record;
  record.cases.emplace_back();
  record.cases.back().id = "gemm/mode=hot";
  Summary summary;
  summary.case_id = "gemm/mode=hot";
  summary.metric = "gpu_time";
  summary.unit = "us";
  summary.samples = 5;
  summary.processes = 1;
  summary.center = 12.5;
  const std::vector<Summary> summaries{summary};
  const auto shown = report::table_document(record, summaries, {}, Shown::time);
  ASSERT_TRUE(shown) << shown.error().text();
  EXPECT_EQ(grid_of(*shown).sections.at(0).rows.at(0).label, "gemm/mode=hot");
  EXPECT_EQ(grid_of(*shown).sections.at(0).rows.at(0).cells[0].text, "12.50");
}

TEST(ReadmeTable, IsAnErrorWhereNothingIsLeftOrNothingIsKnown) {
  EXPECT_EQ(table(Shown::time, {"nothing/*"}).error().kind, ErrorKind::usage);
  EXPECT_EQ(table(Shown::items).error().kind, ErrorKind::usage);
}

TEST(ReadmeTable, EveryNameIsUnderstoodAndNoOther) {
  for (const std::string& name : all_names<Shown>()) EXPECT_TRUE(parse_name<Shown>(name)) << name;
  EXPECT_FALSE(parse_name<Shown>("tim"));
}

TEST(Marks, TheTableReplacesWhatStandsBetweenThem) {
  const std::string text = "# a\n<!-- measured: small -->\nold\nolder\n<!-- end of small -->\nrest\n";
  const auto once = put_between_marks(text, "small", "| t |\n");
  ASSERT_TRUE(once) << once.error().text();
  EXPECT_EQ(*once, "# a\n<!-- measured: small -->\n\n| t |\n\n<!-- end of small -->\nrest\n");
  EXPECT_EQ(put_between_marks(*once, "small", "| t |\n").value(), *once) << "twice is once";
}

TEST(Marks, OtherPlacesStayAsTheyAre) {
  const std::string text =
      "<!-- measured: a -->\n1\n<!-- end of a -->\n<!-- measured: b -->\n2\n<!-- end of b -->\n";
  EXPECT_TRUE(
      put_between_marks(text, "b", "new\n").value().starts_with("<!-- measured: a -->\n1\n<!-- end of a"));
}

TEST(Marks, ThatAreMissingDoubledOrSwappedAreAnErrorThatNamesThem) {
  for (const char* text :
       {"", "<!-- measured: a -->\n", "<!-- end of a -->\n", "<!-- end of a -->\n<!-- measured: a -->\n",
        "<!-- measured: a -->\n<!-- measured: a -->\n<!-- end of a -->\n"}) {
    const auto put = put_between_marks(text, "a", "t");
    ASSERT_FALSE(put) << text;
    EXPECT_NE(put.error().advice.find("<!-- measured: a -->"), std::string::npos);
  }
}

}  // namespace
}  // namespace harness
