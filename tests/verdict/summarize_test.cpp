#include "harness/verdict/read/summarize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "facts.h"
#include "harness/verdict/read/process_values.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;

TEST(Summarize, CountsEverySampleAndRemovesNone) {
  Record record = record_of({case_of("c", {Series{"gpu_time", "us", Direction::lower_is_better, {}}})});
  Series& series = record.cases[0].series[0];
  series.processes.push_back(ProcessSamples{1, {Placement{{1, 2, 3}, 0, 0}, Placement{{4, 5}, 0, 0}}});
  series.processes.push_back(ProcessSamples{2, {Placement{{6, 7, 8, 9, 10}, 0, 0}}});
  record.cases[0].series.push_back({"first_call",
                                    "us",
                                    Direction::lower_is_better,
                                    {{1, {Placement{{90}, 0, 0}}}, {2, {Placement{{110}, 0, 0}}}}});
  const Summary summary = summarize(record).at(0);
  EXPECT_EQ(summary.samples, 10u);
  EXPECT_EQ(summary.processes, 2);
  EXPECT_DOUBLE_EQ(summary.mean, 5.5);
  EXPECT_DOUBLE_EQ(summary.median, 5.5);
  EXPECT_NEAR(summary.sd, 3.0276503540974917, 1e-12);
  EXPECT_NEAR(summary.cv, 3.0276503540974917 / 5.5, 1e-12);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 10);
  EXPECT_NEAR(summary.p95, 9.55, 1e-12);
  EXPECT_NEAR(summary.p99, 9.91, 1e-12);
  EXPECT_EQ(summary.first_call, 100);
  const std::vector<double> values = process_values(record.cases[0].series[0]);
  EXPECT_NEAR(summary.center, std::sqrt(values[0] * values[1]), 1e-12);
}

TEST(Summarize, IntervalIsStudentsOverProcesses) {
  const Record record = record_of(std::vector<double>{std::exp(1.0), std::exp(1.1), std::exp(1.2)});
  const Summary summary = summarize(record, 0.95).at(0);
  EXPECT_NEAR(summary.process_sd, 0.1, 1e-9);
  const double reach = 4.302652729749462 * 0.1 / std::sqrt(3.0);  // t(2) at .975
  EXPECT_NEAR(std::log(summary.interval->lo), 1.1 - reach, 1e-9);
  EXPECT_NEAR(std::log(summary.interval->hi), 1.1 + reach, 1e-9);
  EXPECT_EQ(summary.confidence, 0.95);
  EXPECT_FALSE(summarize(record_of(std::vector<double>{3}), 0.95).at(0).interval);
  EXPECT_EQ(summarize(record, 7).at(0).confidence, 0.99);
}

TEST(Summarize, LabelsOutliersByTheirPlacement) {
  Record record = record_of(std::vector<double>{20});
  auto& samples = record.cases[0].series[0].processes[0].placements[0].samples;
  samples = {10, 10.1, 10.2, 9.9, 9.8, 10.05, 9.95, 10.15, 11.0, 10.6};
  const Summary summary = summarize(record).at(0);
  EXPECT_EQ(summary.mild_outliers, 1u);
  EXPECT_EQ(summary.far_outliers, 1u);
  EXPECT_EQ(summary.max, 11.0);
}

TEST(Summarize, GivesSpeedupAgainstTheReferenceOfTheSameRecord) {
  CaseRecord fused = case_of("fused", {series_at(about(10)), series_at(about(3), "wall_time")});
  fused.reference = "plain";
  CaseRecord plain = case_of("plain", {series_at(about(25))});
  plain.reference = "plain";
  const std::vector<Summary> summaries = summarize(record_of({fused, plain}));
  ASSERT_EQ(summaries.size(), 3u);
  ASSERT_TRUE(summaries[0].speedup);
  EXPECT_NEAR(summaries[0].speedup->ratio, 2.5, 1e-9);
  EXPECT_LT(summaries[0].speedup->interval->lo, 2.5);
  EXPECT_GT(summaries[0].speedup->interval->hi, 2.5);
  EXPECT_FALSE(summaries[1].speedup);  // the reference has no wall_time
  EXPECT_THAT(summaries[1].diagnostics, Contains(fact(DiagnosticCode::no_speedup, {{"reference", "plain"}})));
  EXPECT_FALSE(summaries[2].speedup);  // its own reference
  EXPECT_TRUE(summaries[2].diagnostics.empty());
}

TEST(Summarize, SpeedupOfAHigherIsBetterMetricIsAboveOneWhenHigher) {
  const auto rate = [](double center) {
    return series_at(about(center), "rate", "GB/s", Direction::higher_is_better);
  };
  CaseRecord fused = case_of("fused", {rate(300)});
  fused.reference = "plain";
  EXPECT_NEAR(summarize(record_of({fused, case_of("plain", {rate(100)})})).at(0).speedup->ratio, 3, 1e-9);
}

TEST(Summarize, EfficiencyIsTheWorkPerSecondAndGpuOverThatOfTheReference) {
  CaseRecord one = case_of("one", {series_at(about(100), "gpu_time")});
  CaseRecord four = case_of("four", {series_at(about(30), "gpu_time")});
  one.flops = four.flops = 1e9;
  four.gpus = 4;
  four.reference = one.reference = "one";
  Summary strong = summarize(record_of({one, four})).at(1);
  ASSERT_TRUE(strong.efficiency);
  EXPECT_NEAR(strong.efficiency->ratio, 100.0 / 30 / 4, 1e-9);
  EXPECT_NEAR(strong.efficiency->interval->lo, strong.speedup->interval->lo / 4, 1e-9);
  EXPECT_NEAR(strong.efficiency->interval->hi, strong.speedup->interval->hi / 4, 1e-9);
  EXPECT_FALSE(summarize(record_of({one, four})).at(0).efficiency) << "it has no reference";
  four.flops = 4e9;
  four.series = {series_at(about(110), "gpu_time")};
  EXPECT_NEAR(summarize(record_of({one, four})).at(1).efficiency->ratio, 100.0 / 110, 1e-9) << "weak";
  four.flops = 0;
  four.items = 20;
  EXPECT_FALSE(summarize(record_of({one, four})).at(1).efficiency) << "the work of the reference is unknown";
  one.items = 10;
  EXPECT_NEAR(summarize(record_of({one, four})).at(1).efficiency->ratio, 100.0 / 110 * 2 / 4, 1e-9);
  four.gpus = 1;
  EXPECT_FALSE(summarize(record_of({one, four})).at(1).efficiency);
}

TEST(Summarize, SeveralGpusReachAsManyTimesACeilingAndTheirLinkHasItsOwn) {
  Record record = record_of(std::vector<double>{10, 10, 10});  // us
  record.cases[0].gpus = 4;
  record.cases[0].bytes = 12e6;
  record.cases[0].link_bytes = 1e6;
  record.machines["cuda"].ceilings = {{"copy_bytes_per_s", 4e11}};
  Summary summary = summarize(record).at(0);
  EXPECT_NEAR(*summary.share_of_ceiling, 0.75, 1e-6);
  EXPECT_EQ(summary.bound, "memory");
  record.machines["cuda"].ceilings[link_ceiling] = 1.25e11;
  summary = summarize(record).at(0);
  EXPECT_NEAR(*summary.share_of_ceiling, 0.8, 1e-6);
  EXPECT_EQ(summary.bound, "link");
}

TEST(Summarize, SetsThroughputAgainstTheMeasuredCeilings) {
  Record record = record_of(std::vector<double>{10, 10, 10});  // us
  record.cases[0].flops = 2e9;
  record.cases[0].bytes = 3e6;
  record.cases[0].items = 512;
  const double center = summarize(record).at(0).center;
  record.machines["cuda"].ceilings = {{"copy_bytes_per_s", 4e11}, {"gemm_flops_per_s", 8e14}};
  Summary summary = summarize(record).at(0);
  EXPECT_NEAR(summary.flops_per_s, 2e9 / (center * 1e-6), 1);
  EXPECT_NEAR(summary.bytes_per_s, 3e6 / (center * 1e-6), 1);
  EXPECT_NEAR(summary.items_per_s, 512 / (center * 1e-6), 1e-3);
  EXPECT_NEAR(*summary.share_of_ceiling, 0.75, 1e-6);
  EXPECT_EQ(summary.bound, "memory");
  record.cases[0].flops = 7.2e9;
  summary = summarize(record).at(0);
  EXPECT_NEAR(*summary.share_of_ceiling, 0.9, 1e-6);
  EXPECT_EQ(summary.bound, "compute");
  record.cases[0].processes.resize(2);
  record.cases[0].processes[1].multiplies = sdk::DType::e4m3;
  EXPECT_EQ(summarize(record).at(0).bound, "memory") << "no ceiling of 8-bit products is known";
  record.machines["cuda"].ceilings["gemm_8bit_flops_per_s"] = 9e14;
  EXPECT_NEAR(*summarize(record).at(0).share_of_ceiling, 0.8, 1e-6);
  record.cases[0].bytes = 9e6;
  EXPECT_THAT(summarize(record).at(0).diagnostics,
              Contains(fact(DiagnosticCode::above_ceiling, {{"share", 2.25}, {"bound", "memory"}})));
  record.cases[0].series[0].unit = "tokens";
  EXPECT_EQ(summarize(record).at(0).flops_per_s, 0);
}

TEST(Summarize, GivesNoThroughputToTheTimeOfSomethingElse) {
  Record record = record_of({case_of("a", {series_at(about(20)), series_at(about(2), "launch_time")})});
  record.cases[0].flops = 1e9;
  const std::vector<Summary> summaries = summarize(record);
  EXPECT_GT(summaries.at(0).flops_per_s, 0);
  EXPECT_EQ(summaries.at(1).flops_per_s, 0);
}

TEST(Summarize, ShowsOneOfNotesThatDifferByTheirFiguresAlone) {
  CaseRecord record = case_of("c", {series_at(about(20))});
  for (const int samples : {231, 240, 9})
    record.processes.emplace_back().notes = {{NoteCode::out_of_time, {{"samples", samples}, {"of", 250}}}};
  record.processes.emplace_back().notes = {told_note("another")};
  EXPECT_THAT(summarize(record_of({record})).at(0).notes,
              testing::ElementsAre(fact(NoteCode::out_of_time, {{"samples", 231}, {"other_processes", 2}}),
                                   told_note("another")));
}

TEST(Summarize, SaysOnceThatCallsAreTooShort) {
  Series series = series_at(about(2));
  series.metric = "gpu_time";
  series.unit = "us";
  CaseRecord record = case_of("c", {series});
  record.processes.emplace_back().control = Control{1.8, 0.5};
  EXPECT_THAT(summarize(record_of({record})).at(0).diagnostics,
              testing::ElementsAre(coded(DiagnosticCode::launch_bound),
                                   fact(DiagnosticCode::control, {{"call_us", 1.8}, {"advise", 0}})));
}

TEST(Summarize, TellsOutcomesAndTheWorstVerification) {
  CaseRecord skipped = case_of("s", {});
  skipped.outcome = Outcome::skipped;
  skipped.reason = told_cause("no CUDA device");
  CaseRecord checked = case_of("c", {series_at(about(20))});
  for (const double error : {1e-4, 3e-4, 2e-4}) {
    ProcessResult result;
    result.verification = Verification{1e-5, error, 1e-3, 64};
    result.notes = {told_note("a note")};
    checked.processes.push_back(result);
  }
  std::vector<Summary> summaries = summarize(record_of({skipped, checked}));
  EXPECT_EQ(summaries[0].outcome, Outcome::skipped);
  EXPECT_EQ(summaries[0].reason, told_cause("no CUDA device"));
  EXPECT_EQ(summaries[0].samples, 0u);
  EXPECT_EQ(summaries[1].verification->after, 3e-4);
  EXPECT_THAT(summaries[1].notes, testing::ElementsAre(told_note("a note")));
  checked.processes[0].verification->after = std::nan("");
  summaries = summarize(record_of({checked}));
  EXPECT_TRUE(std::isnan(summaries[0].verification->after));
}

TEST(Summarize, LeavesOutWhatIsNotANumberAndSaysSo) {
  Record record = record_of(about(20));
  auto& samples = record.cases[0].series[0].processes[0].placements[0].samples;
  samples[0] = std::nan("");
  samples[1] = std::numeric_limits<double>::infinity();
  const Summary summary = summarize(record).at(0);
  EXPECT_EQ(summary.samples, 13u);
  EXPECT_EQ(summary.processes, 4);
  EXPECT_TRUE(std::isfinite(summary.mean));
  EXPECT_TRUE(std::isfinite(summary.center));
  EXPECT_THAT(summary.diagnostics, Contains(fact(DiagnosticCode::unusable_sample,
                                                 {{"process", 1}, {"unit", "us"}, {"left_out", 2}})));
}

}  // namespace
}  // namespace harness
