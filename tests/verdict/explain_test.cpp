// The retelling of a verdict: its numbers are those of the comparison.
#include "harness/verdict/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stats/hypothesis/welch.h"
#include "records.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Three cases with two placements a process, of which the second is 1 % slower, and one far outlier.
Record measured(double center) {
  Record record =
      record_of({case_of("gemm/a", {series_at(about(center))}), case_of("gemm/b", {series_at(about(20))}),
                 case_of("gelu/a", {series_at(about(20))})});
  for (CaseRecord& one : record.cases)
    for (ProcessSamples& process : one.series[0].processes) {
      Placement& first = process.placements[0];
      const double value = first.samples[0];
      for (int i = 0; i < 20; ++i) first.samples.push_back(value * (1 + 0.0001 * (i % 5)));
      process.placements.push_back(first);
      for (double& sample : process.placements[1].samples) sample *= 1.01;
      process.placements[1].samples[3] = value * 3;
    }
  return record;
}

const ComparisonRow& row_of(const Comparison& comparison, const std::string& id) {
  for (const ComparisonRow& row : comparison.rows)
    if (row.case_id == id) return row;
  throw std::runtime_error("no row " + id);
}

TEST(Explain, TellsTheNumbersOfTheComparison) {
  const Record before = measured(20), after = measured(20.6);
  const Comparison comparison = compare(before, after, {});
  const Retelling retelling = explain(before, after, {}, "gemm/a");
  ASSERT_EQ(retelling.rows.size(), 1u);
  const RowExplanation& one = retelling.rows[0];
  const ComparisonRow& row = row_of(comparison, "gemm/a");
  EXPECT_EQ(one.row.verdict, Verdict::regressed);
  EXPECT_EQ(one.row.p, row.p);
  EXPECT_EQ(one.row.p_adjusted, row.p_adjusted);
  EXPECT_EQ(one.row.interval, row.interval);
  ASSERT_TRUE(one.test);
  const TestEvidence& test = *one.test;
  EXPECT_DOUBLE_EQ(std::exp(test.effect), row.ratio);
  EXPECT_DOUBLE_EQ(std::exp(test.lo), row.interval->lo);
  EXPECT_DOUBLE_EQ(std::exp(test.hi), row.interval->hi);
  EXPECT_DOUBLE_EQ(test.degrees_of_freedom, row.degrees_of_freedom);
  EXPECT_NEAR(stats::students_t_tail(test.degrees_of_freedom, test.t_worse), *row.p, 1e-12);
  EXPECT_NEAR(stats::students_t_tail(test.degrees_of_freedom, -test.t_better), *row.p_improved, 1e-12);
  ASSERT_TRUE(test.moderation);
  const Moderation& by = *test.moderation;
  const double own =
      (row.baseline.process_sd * row.baseline.process_sd + row.current.process_sd * row.current.process_sd) /
      2;
  EXPECT_NEAR(by.own_sd, std::sqrt(own), 1e-15);
  EXPECT_NEAR(by.sd * by.sd,
              (by.usual_freedom * by.usual_sd * by.usual_sd + by.own_freedom * own) /
                  (by.usual_freedom + by.own_freedom),
              1e-15);
  EXPECT_NEAR(test.standard_error, std::sqrt(0.4 * by.sd * by.sd + test.known_variance), 1e-15);
  EXPECT_DOUBLE_EQ(test.known_variance, 2 * Policy{}.session_sd * Policy{}.session_sd);
  EXPECT_EQ(test.family, 3u);
  EXPECT_EQ(test.rank_worse, 1u);
  EXPECT_EQ(test.rank_better, 3u);
  EXPECT_DOUBLE_EQ(*row.p_adjusted, std::min(1.0, 3 * *row.p));
}

TEST(Explain, TellsTheStatisticsBehindEachP) {
  for (const double center : {19.8, 20.0, 20.1, 20.2, 20.25}) {
    const RowExplanation one = explain(measured(20), measured(center), {}, "gemm/a").rows.at(0);
    const double nu = one.test->degrees_of_freedom;
    EXPECT_NEAR(stats::students_t_tail(nu, one.test->t_worse) / *one.row.p, 1, 1e-9) << center;
    EXPECT_NEAR(stats::students_t_tail(nu, -one.test->t_better) / *one.row.p_improved, 1, 1e-9) << center;
  }
}

TEST(Explain, TakesAProcessApartIntoItsPlacements) {
  const Record record = measured(20);
  const RowExplanation one = explain(record, record, {}, "gemm/a").rows.at(0);
  ASSERT_EQ(one.baseline.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    const ProcessEvidence& process = one.baseline[i];
    ASSERT_EQ(process.placements.size(), 2u);
    EXPECT_DOUBLE_EQ(process.value, one.row.baseline.process_values[i]);
    EXPECT_NEAR(std::sqrt(process.placements[0].value * process.placements[1].value), process.value, 1e-9)
        << "the mean of logs over placements";
    EXPECT_NEAR(process.placements[1].value, 1.01 * process.placements[0].value, 1e-2);
    EXPECT_EQ(process.placements[1].samples, 23u);
    EXPECT_GE(process.placements[1].far, 1u);
  }
  EXPECT_NEAR(static_cast<double>(one.baseline[0].placements[1].far + one.baseline[0].placements[0].far) / 46,
              one.row.baseline.outlier_rate, 0.05);
}

TEST(Explain, TakesWildcardsAndOneMetric) {
  const Record record = measured(20);
  EXPECT_EQ(explain(record, record, {}, "gemm/*").rows.size(), 2u);
  EXPECT_EQ(explain(record, record, {}, "*", "time").rows.size(), 3u);
  EXPECT_THAT(explain(record, record, {}, "gem").rows, IsEmpty());
  EXPECT_THAT(explain(record, record, {}, "gemm/*", "wall_time").rows, IsEmpty());
}

TEST(Explain, NamesTheCheckThatStoppedARow) {
  const Record before = measured(20);
  Record after = measured(20);
  after.machines["cuda"].device_uuid = "GPU-2";
  const RowExplanation one = explain(before, after, {}, "gemm/a").rows.at(0);
  EXPECT_FALSE(one.test);
  EXPECT_EQ(one.alone, 4);
  std::size_t failed = 0;
  for (const ComparabilityCheck& check : one.checks) {
    if (!check.obstacle) continue;
    ++failed;
    EXPECT_EQ(check.question.code, CheckCode::machine);
    EXPECT_EQ(check.obstacle->reason.code, ReasonCode::other_device);
    EXPECT_THAT(check.obstacle->differences, ElementsAre(Difference{"device", "GPU-1", "GPU-2"}));
  }
  EXPECT_EQ(failed, 1u);
}

TEST(Explain, NamesFactsThatDifferAndForbidNothing) {
  Record before = measured(20), after = measured(20);
  before.machines["cuda"].fields.push_back({"vbios", "96.00", FieldClass::info});
  after.machines["cuda"].fields.push_back({"vbios", "96.01", FieldClass::info});
  before.machines["cuda"].fields.push_back({"counters", "everybody", FieldClass::info});
  after.machines["cuda"].fields.push_back({"counters", "administrators only", FieldClass::warn});
  const RowExplanation one = explain(before, after, {}, "gemm/a").rows.at(0);
  for (const ComparabilityCheck& check : one.checks) {
    EXPECT_FALSE(check.obstacle);
    if (check.question.code == CheckCode::machine) {
      EXPECT_THAT(check.information, ElementsAre(Difference{"vbios", "96.00", "96.01"}))
          << "counters are a warning already";
    }
  }
}

TEST(Explain, OfACaseThatOnlyOneSideHasOrThatFailedStillTellsWhatThereIs) {
  const Record before = measured(20);
  Record after = measured(20);
  after.cases.erase(after.cases.begin());
  after.cases[0].outcome = Outcome::failed;
  const RowExplanation removed = explain(before, after, {}, "gemm/a").rows.at(0);
  EXPECT_EQ(removed.row.verdict, Verdict::missing);
  EXPECT_EQ(removed.baseline.size(), 5u);
  EXPECT_THAT(removed.current, IsEmpty());
  EXPECT_EQ(removed.checks.at(0).obstacle->reason.code, ReasonCode::removed_case);
  EXPECT_EQ(explain(before, after, {}, "gemm/b").rows.at(0).alone, 5);
}

TEST(Explain, SaysWhatTheRowAloneDoesToTheBuild) {
  const Record before = measured(20), after = measured(20.6);
  EXPECT_EQ(explain(before, after, {}, "gemm/a").rows.at(0).alone, 1);
  EXPECT_EQ(explain(before, after, {}, "gemm/b").rows.at(0).alone, 0);
  Policy policy;
  policy.waivers = {{"gemm/a", "", 0.09, "2026-12-31", "known", "", {}}};
  policy.today = "2026-11-20";
  EXPECT_EQ(explain(before, after, policy, "gemm/a").rows.at(0).alone, 0);
}

}  // namespace
}  // namespace harness
