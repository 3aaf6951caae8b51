// Every code of a finding has words, and its figures are in them.
#include <gmock/gmock.h>

#include "harness/report/words/diagnostic_words.h"
#include "harness/report/words/policy_words.h"
#include "harness/report/words/reason_words.h"
#include "harness/report/words/source_words.h"
#include "harness/report/words/study_words.h"

namespace harness::report {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(FindingWords, ExistForEveryReason) {
  for (const auto& [code, name] : enum_names<ReasonCode>) {
    if (code == ReasonCode::none) continue;
    ComparisonRow row;
    row.reason = {code, {{"side", "baseline"}, {"outcome", "failed"}}};
    row.over_places = OverPlaces{};
    EXPECT_GT(reason_words(row).size(), 5U) << name;
  }
}

TEST(FindingWords, ExistForEveryDiagnosticAndRemark) {
  for (const auto& [code, name] : enum_names<DiagnosticCode>)
    EXPECT_GT(words(Diagnostic{code}).size(), 10U) << name;
  for (const auto& [code, name] : enum_names<WaiverAdviceCode>)
    EXPECT_GT(words(WaiverAdvice{code}).size(), 10U) << name;
  for (const auto& [code, name] : enum_names<RemarkCode>) EXPECT_GT(words(Remark{code}).size(), 10U) << name;
}

TEST(FindingWords, ExistForEverySourceAndStudy) {
  for (const auto& [code, name] : enum_names<SourceCode>) {
    RecordSource source;
    source.revision.commit = "3f2c1d9a8b";
    source.found.code = code;
    EXPECT_FALSE(words(source).empty()) << name;
  }
  for (const auto& [code, name] : enum_names<HistoryNoteCode>)
    EXPECT_GT(words(HistoryNote{code}).size(), 10U) << name;
  for (const auto& [code, name] : enum_names<CalibrationNoteCode>)
    EXPECT_GT(words(CalibrationNote{code}).size(), 10U) << name;
  SelftestReport report;
  report.rows.emplace_back();
  for (const auto& [code, name] : enum_names<SelftestRemarkCode>)
    EXPECT_GT(words(SelftestRemark{code, {{"row", 0}}}, report).size(), 10U) << name;
}

TEST(FindingWords, HoldTheFigures) {
  EXPECT_THAT(words(Diagnostic{DiagnosticCode::drift, {{"side", "current"}, {"change", 0.0155}}}),
              HasSubstr("current: drift: the processes changed by +1.55 %"));
  EXPECT_THAT(words(Diagnostic{DiagnosticCode::renamed_to, {{"case", "gemm/b"}}}), HasSubstr("`gemm/b`"));
  RecordSource pooled;
  pooled.found = {
      SourceCode::ancestor,
      {{"name", "main"}, {"pooled", 10}, {"least", 5}, {"most", 50}, {"passed_over", 2}, {"undecided", 1}}};
  EXPECT_THAT(words(pooled), HasSubstr("samples of 10 records, 5 to 50 processes a case; 2 nearer records"));
  EXPECT_THAT(words(pooled), HasSubstr("could not be decided"));
  ComparisonRow row;
  row.baseline.processes = 3;
  row.current.processes = 5;
  row.reason = {ReasonCode::too_few_processes, {{"needed", 5}}};
  EXPECT_THAT(reason_words(row), HasSubstr("3 against 5 processes"));
  EXPECT_THAT(reason_words(row), HasSubstr("2 more of the baseline"));
}

// Of 100 us as it lies.
ComparisonRow row_at_places(int best_shift, double best) {
  ComparisonRow row;
  row.unit = "us";
  row.current.center = 100;
  row.reason = {ReasonCode::moved};
  OverPlaces places;
  places.places = 8;
  places.best_shift = best_shift;
  places.best = best;
  row.over_places = places;
  return row;
}

TEST(FindingWords, TellWhatTheBestPlaceGives) {
  EXPECT_THAT(
      advice_words(row_at_places(2, 98.9)),
      ElementsAre(AllOf(HasSubstr("best of the 8 places of its code the current build is 1.1 % faster"),
                        HasSubstr("98.90 us, 3 instructions further on"),
                        HasSubstr("shorter, split or unrolled less"))));
  EXPECT_THAT(advice_words(row_at_places(0, 98.9)), ElementsAre(HasSubstr("1 instruction further on")));
}

TEST(FindingWords, DoNotAdviseAPlaceThatIsNotBetter) {
  EXPECT_THAT(advice_words(row_at_places(7, 100)),
              ElementsAre(AllOf(HasSubstr("None of the other 7 places"), HasSubstr("unrolled less"))));
  ComparisonRow unshown = row_at_places(2, 98.9);
  unshown.reason.figures = {{"as_compiled", 0.013}, {"at_same_place", 0.0}};
  EXPECT_THAT(advice_words(unshown), IsEmpty()) << "the copies are no guide to the build";
  ComparisonRow passing = row_at_places(2, 98.9);
  passing.reason = {ReasonCode::within};
  EXPECT_THAT(advice_words(passing), IsEmpty()) << "nothing is wrong with it";
}

TEST(FindingWords, TellWhatWasNotMeasuredAtOtherPlaces) {
  EXPECT_THAT(
      words(Remark{RemarkCode::places_left_out, {{"results", 3}, {"budget", 60.0}}}),
      AllOf(HasSubstr("3 results that pass or are undecided were not measured"), HasSubstr(" s ended")));
  EXPECT_THAT(words(Remark{RemarkCode::places_left_out, {{"results", 1}, {"budget", 0.0}}}),
              AllOf(HasSubstr("1 result that passes or is undecided was not"), HasSubstr("budget of 0 s")));
}

TEST(FindingWords, TellWhatAPlaceMayHide) {
  const auto told = [](std::int64_t worse, std::int64_t unweighed, std::int64_t fixed, std::int64_t apart) {
    return words(Remark{RemarkCode::places_open,
                        {{"worse", worse}, {"unweighed", unweighed}, {"fixed", fixed}, {"apart", apart}}});
  };
  EXPECT_THAT(told(1, 0, 0, 0),
              AllOf(HasSubstr("1 result is worse in the mean"), HasSubstr("at 5 % alone.")));
  EXPECT_THAT(told(2, 3, 0, 0),
              AllOf(HasSubstr("2 results are worse"), HasSubstr("3 results were measured")));
  EXPECT_EQ(told(0, 0, 1, 0), "1 result may hide a slowdown by its place: its kernels cannot be moved.");
  EXPECT_THAT(told(0, 0, 0, 4),
              HasSubstr("4 results may hide a slowdown by their place: only `--pair process`"));
}

// The mean over the places is told of a row that passes, too.
TEST(FindingWords, TellTheMeanOverThePlacesOfARowThatPasses) {
  for (const ReasonCode code : {ReasonCode::within, ReasonCode::not_worse, ReasonCode::undecided,
                                ReasonCode::corrected, ReasonCode::not_confirmed}) {
    ComparisonRow row = row_at_places(7, 100);
    row.reason = {code};
    row.over_places->ratio = 1.0012;
    EXPECT_THAT(reason_words(row), HasSubstr("+0.12 % in the mean over 8 places")) << name_of(code);
  }
}

}  // namespace
}  // namespace harness::report
