// The table of one figure for a README, and how it gets there.
#include "harness/report/readme_marks.h"

#include <gmock/gmock.h>

#include "fixture.h"

namespace harness {
namespace {

using report::put_between_marks;
using report::Shown;
using testing::HasSubstr;
using testing::Not;

Result<std::string> table_of(const Record& record, const std::vector<Summary>& summaries, Shown shown,
                             const std::vector<std::string>& filters = {}) {
  const Result<Report> table = report::table_document(record, summaries, filters, shown);
  if (!table) return fail(table.error());
  return render(*table, Format::markdown);
}

Result<std::string> table(Shown shown, const std::vector<std::string>& filters = {}) {
  return table_of(fixture::record(), fixture::summaries(), shown, filters);
}

TEST(ReadmeTable, HasARowAShapeAndAColumnAVariant) {
  const auto text = table(Shown::time);
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_THAT(*text, HasSubstr("cublas_unfused"));
  EXPECT_THAT(*text, HasSubstr("cublaslt_epilogue"));
  EXPECT_THAT(*text, HasSubstr("m=512/n=1024/k=1024"));
  EXPECT_THAT(*text, HasSubstr("nvidia-h200"));
  EXPECT_THAT(*text, HasSubstr("gpu_time"));
}

TEST(ReadmeTable, ShowsSpeedupsWithTheirIntervalsAndNamesTheReference) {
  const auto text = table(Shown::speedup);
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_THAT(*text, HasSubstr("1.51x [1.51, 1.52]"));
  EXPECT_THAT(*text, HasSubstr("reference"));
}

TEST(ReadmeTable, ShowsOnlyWhatTheFiltersMatch) {
  const auto text = table(Shown::time, {"*/m=512/*"});
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_THAT(*text, Not(HasSubstr("8192")));
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
  const auto text = table_of(record, {summary}, Shown::time);
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_THAT(*text, HasSubstr("| `gemm/mode=hot` | 12.50 |"));
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
  EXPECT_THAT(put_between_marks(text, "b", "new\n").value(),
              HasSubstr("<!-- measured: a -->\n1\n<!-- end of a"));
}

TEST(Marks, ThatAreMissingDoubledOrSwappedAreAnErrorThatNamesThem) {
  for (const char* text :
       {"", "<!-- measured: a -->\n", "<!-- end of a -->\n", "<!-- end of a -->\n<!-- measured: a -->\n",
        "<!-- measured: a -->\n<!-- measured: a -->\n<!-- end of a -->\n"}) {
    const auto put = put_between_marks(text, "a", "t");
    ASSERT_FALSE(put) << text;
    EXPECT_THAT(put.error().advice, HasSubstr("<!-- measured: a -->"));
  }
}

}  // namespace
}  // namespace harness
