// The rows of a comparison: which there are, which are comparable, and their order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../schema/filled.h"
#include "facts.h"
#include "harness/model/plan_fields.h"
#include "harness/verdict/read/process_values.h"
#include "policies.h"

namespace harness {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

ComparisonRow row_of(const Record& before, const Record& after, const Policy& policy = {}) {
  return only_row(compare(before, after, policy));
}

TEST(Pairing, TellsANewCaseFromARemovedOne) {
  const Record one = record_of(about(20)), none = record_of(std::vector<CaseRecord>{});
  const ComparisonRow added = row_of(none, one), removed = row_of(one, none);
  EXPECT_EQ(added.verdict, Verdict::missing);
  EXPECT_EQ(added.reason.code, ReasonCode::new_case);
  EXPECT_EQ(added.metric, "gpu_time");
  EXPECT_EQ(removed.verdict, Verdict::missing);
  EXPECT_EQ(removed.reason.code, ReasonCode::removed_case);
}

TEST(Pairing, TellsANewMetricFromARemovedOne) {
  const Record one = record_of({case_of("c", {series_at(about(20)), series_at(about(30), "wall_time")})});
  const Record other = record_of({case_of("c", {series_at(about(20)), series_at(about(40), "memory")})});
  const Comparison comparison = compare(one, other, Policy{});
  ASSERT_EQ(comparison.rows.size(), 3u);
  EXPECT_EQ(comparison.rows[0].metric, "memory");
  EXPECT_EQ(comparison.rows[0].reason.code, ReasonCode::new_metric);
  EXPECT_EQ(comparison.rows[1].metric, "wall_time");
  EXPECT_EQ(comparison.rows[1].reason.code, ReasonCode::removed_metric);
  EXPECT_EQ(comparison.rows[2].verdict, Verdict::unchanged);
}

TEST(Pairing, OfACaseThatNeitherSideMeasuredIsSkipped) {
  Record after = record_of(about(20));
  after.cases[0].outcome = Outcome::skipped;
  after.cases[0].reason = told_cause("no CUDA device");
  for (const Record& before : {after, record_of(std::vector<CaseRecord>{})}) {
    const Comparison comparison = compare(before, after, Policy{});
    EXPECT_EQ(comparison.rows.at(0).verdict, Verdict::skipped);
    EXPECT_EQ(comparison.rows.at(0).reason.code, ReasonCode::skipped);
    EXPECT_EQ(comparison.rows.at(0).cause, told_cause("no CUDA device"));
    EXPECT_EQ(comparison.verdict, Verdict::skipped);
    EXPECT_EQ(exit_code(comparison), 4) << "nothing compared is no pass";
  }
}

TEST(Pairing, OfACaseThatOnlyTheBaselineMeasuredIsMissing) {
  Record after = record_of(about(20));
  after.cases[0].outcome = Outcome::skipped;
  after.cases[0].reason = told_cause("no CUDA device");
  const ComparisonRow row = row_of(record_of(about(20)), after);
  EXPECT_EQ(row.verdict, Verdict::missing);
  EXPECT_EQ(row.reason.code, ReasonCode::skipped_now);
  EXPECT_EQ(row.cause, told_cause("no CUDA device"));
}

TEST(Pairing, SaysWhenTheGateIsLooserThanTheBaselines) {
  Record before = record_of(about(20)), after = record_of(about(20));
  EXPECT_FALSE(only_row(compare(before, after, accepting())).loosened);
  after.cases[0].gate.margin = 0.5;
  EXPECT_TRUE(only_row(compare(before, after, accepting())).loosened);
  after.cases[0].gate = before.cases[0].gate;
  after.cases[0].gate.alpha = before.cases[0].gate.alpha / 10;
  EXPECT_TRUE(only_row(compare(before, after, accepting())).loosened);
}

TEST(Pairing, OfACaseThatWentWrongIsFailed) {
  for (const Outcome outcome : {Outcome::failed, Outcome::incorrect, Outcome::timed_out}) {
    Record after = record_of(about(20));
    after.cases[0].outcome = outcome;
    after.cases[0].reason = told_cause("the reason");
    EXPECT_EQ(row_of(record_of(about(20)), after).verdict, Verdict::failed);
    const ComparisonRow row = row_of(record_of(std::vector<CaseRecord>{}), after);
    EXPECT_EQ(row.verdict, Verdict::failed);
    EXPECT_THAT(row.reason, fact(ReasonCode::not_measured, {{"outcome", std::string(name_of(outcome))}}));
    EXPECT_EQ(row.cause, told_cause("the reason"));
  }
}

TEST(Pairing, WithABaselineThatWasNotMeasuredIsMissing) {
  for (const Outcome outcome : {Outcome::failed, Outcome::incorrect, Outcome::timed_out, Outcome::skipped}) {
    Record before = record_of(about(20));
    before.cases[0].outcome = outcome;
    before.cases[0].reason = told_cause("the reason");
    const ComparisonRow row = row_of(before, record_of(about(20)));
    EXPECT_EQ(row.verdict, Verdict::missing);
    EXPECT_EQ(row.reason.code, ReasonCode::baseline_not_measured);
    EXPECT_EQ(row.cause, told_cause("the reason"));
  }
}

TEST(Pairing, WithoutSamplesSaysOnWhichSide) {
  Record empty = record_of(about(20));
  for (ProcessSamples& process : empty.cases[0].series[0].processes) process.placements.clear();
  EXPECT_THAT(row_of(empty, record_of(about(20))).reason,
              fact(ReasonCode::no_samples, {{"side", "baseline"}}));
  EXPECT_THAT(row_of(record_of(about(20)), empty).reason,
              fact(ReasonCode::no_samples, {{"side", "current"}}));
  EXPECT_THAT(row_of(empty, empty).reason, fact(ReasonCode::no_samples, {{"side", "both"}}));
  const Record no_series = record_of({case_of("c", {})});
  EXPECT_EQ(row_of(no_series, no_series).verdict, Verdict::missing);
}

TEST(Pairing, LeavesOutAProcessWithoutSamplesAndSaysSo) {
  Record after = record_of(about(20));
  after.cases[0].series[0].processes[1].placements.clear();
  const ComparisonRow row = row_of(record_of(about(20)), after);
  EXPECT_EQ(row.current.processes, 4);
  EXPECT_THAT(row.diagnostics,
              Contains(fact(DiagnosticCode::empty_processes, {{"side", "current"}, {"processes", "2"}})));
}

TEST(Pairing, OfSamplesWithoutALogarithmIsNeverANumber) {
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    Record broken = record_of(about(20));
    broken.cases[0].series[0].processes[2].placements[0].samples[1] = bad;
    const ComparisonRow now = row_of(record_of(about(20)), broken),
                        before = row_of(broken, record_of(about(20)));
    EXPECT_EQ(now.verdict, Verdict::failed) << bad;
    EXPECT_THAT(now.reason, fact(ReasonCode::unusable_sample, {{"side", "current"}, {"process", 3}}));
    EXPECT_EQ(before.verdict, Verdict::missing) << bad;
    EXPECT_THAT(before.reason, fact(ReasonCode::unusable_sample, {{"side", "baseline"}, {"process", 3}}));
    for (const ComparisonRow& row : {now, before}) {
      EXPECT_FALSE(std::isnan(row.ratio));
      EXPECT_FALSE(row.p);
    }
  }
}

TEST(Comparable, NamesTheBlockingFieldAndBothValues) {
  Record before = record_of(about(20)), after = record_of(about(20));
  after.machines["cuda"].fields[0].value = "NVIDIA H100";
  const ComparisonRow row = row_of(before, after);
  EXPECT_EQ(row.verdict, Verdict::not_comparable);
  EXPECT_EQ(row.reason.code, ReasonCode::machines_differ);
  EXPECT_THAT(row.differences, ElementsAre(Difference{"device", "NVIDIA H200", "NVIDIA H100"}));
  after = record_of(about(20));
  after.machines["cuda"].machine_class = "nvidia-h100";
  EXPECT_THAT(row_of(before, after).differences,
              ElementsAre(Difference{"machine_class", "nvidia-h200", "nvidia-h100"}));
  after = record_of(about(20));
  after.machines["cuda"].fields.erase(after.machines["cuda"].fields.begin());
  EXPECT_THAT(row_of(before, after).differences, ElementsAre(Difference{"device", "NVIDIA H200", {}}));
  after = record_of(about(20));
  after.machines.clear();
  EXPECT_EQ(row_of(before, after).verdict, Verdict::not_comparable);
  before.machines.clear();
  EXPECT_EQ(row_of(before, after).verdict, Verdict::unchanged);
}

TEST(Comparable, AnotherMachineOfAnotherDeviceKindDoesNotMatter) {
  Record before = record_of(about(20)), after = record_of(about(20));
  before.machines["cpu"] = Machine{"cpu-a", "1", {{"cpu", "A", FieldClass::block}}, {}};
  after.machines["cpu"] = Machine{"cpu-b", "2", {{"cpu", "B", FieldClass::block}}, {}};
  EXPECT_EQ(row_of(before, after).verdict, Verdict::unchanged);
}

TEST(Comparable, AnotherDeviceOfTheSameModelNeedsPermission) {
  Record before = record_of(about(20)), after = record_of(about(20.8));
  after.machines["cuda"].device_uuid = "GPU-2";
  ComparisonRow row = row_of(before, after);
  EXPECT_EQ(row.verdict, Verdict::not_comparable);
  EXPECT_THAT(row.reason, fact(ReasonCode::other_device, {{"device_sd", 0.003}}));
  EXPECT_THAT(row.differences, ElementsAre(Difference{"device", "GPU-1", "GPU-2"}));
  Policy policy;
  policy.allow_other_device = true;
  row = row_of(before, after, policy);
  EXPECT_EQ(row.verdict, Verdict::regressed);
  const ComparisonRow same_device = row_of(before, record_of(about(20.8)), policy);
  EXPECT_GT(row.interval->hi - row.interval->lo, 1.5 * (same_device.interval->hi - same_device.interval->lo));
  after.machines["cuda"].fields[0].value = "NVIDIA H100";
  EXPECT_EQ(row_of(before, after, policy).verdict, Verdict::not_comparable);
}

TEST(Comparable, ALockedClockIsAnotherMachine) {
  Record before = record_of(about(20)), after = record_of(about(20));
  after.machines["cuda"].fields.push_back({"clock_lock", "1485 MHz", FieldClass::block});
  const ComparisonRow row = row_of(before, after);
  EXPECT_EQ(row.verdict, Verdict::not_comparable);
  EXPECT_THAT(row.differences, ElementsAre(Difference{"clock_lock", {}, "1485 MHz"}));
  before.machines["cuda"].fields.push_back({"clock_lock", "1485 MHz", FieldClass::block});
  EXPECT_EQ(row_of(before, after).verdict, Verdict::unchanged);
}

TEST(Comparable, WarnFieldsAreToldAndInfoFieldsAreNot) {
  Record before = record_of(about(20)), after = record_of(about(20));
  EXPECT_THAT(compare(before, after, Policy{}).differences, IsEmpty());
  after.machines["cuda"].fields[1].value = "580.2";
  after.machines["cuda"].fields[3].value = "yes";
  const Comparison comparison = compare(before, after, Policy{});
  EXPECT_THAT(comparison.differences, ElementsAre(MachineDifference{"", {"driver", "580.1", "580.2"}}));
  EXPECT_EQ(comparison.verdict, Verdict::unchanged);
}

TEST(Comparable, OtherSamplingIsAnotherMeasurement) {
  const auto with = [](auto change) {
    Record after = record_of(about(20));
    change(after.cases[0].sampling);
    return row_of(record_of(about(20)), after);
  };
  const ComparisonRow hot = with([](Sampling& sampling) { sampling.cache = CacheMode::hot; });
  EXPECT_EQ(hot.verdict, Verdict::not_comparable);
  EXPECT_EQ(hot.reason.code, ReasonCode::sampling_differs);
  EXPECT_THAT(hot.differences, ElementsAre(Difference{"cache", "cold", "hot"}));
  const ComparisonRow batch = with([](Sampling& sampling) { sampling.timing = TimingMode::batch; });
  EXPECT_EQ(batch.verdict, Verdict::not_comparable);
  EXPECT_THAT(batch.differences, ElementsAre(Difference{"timing", "auto", "batch"}));
  const ComparisonRow longer = with([](Sampling& sampling) { sampling.batch_nodes = {100, 400}; });
  EXPECT_THAT(longer.differences, ElementsAre(Difference{"batch_nodes", "[]", "[100, 400]"}));
  const ComparisonRow fewer = with([](Sampling& sampling) { sampling.placements = 2; });
  EXPECT_THAT(fewer.differences, ElementsAre(Difference{"placements", "10", "2"}));
  const ComparisonRow hotter = with([](Sampling& sampling) { sampling.power = PowerMode::sustained; });
  EXPECT_EQ(hotter.verdict, Verdict::not_comparable);
  EXPECT_THAT(hotter.differences, ElementsAre(Difference{"power", "boost", "sustained"}));
  std::vector<std::string_view> may_differ;
  for_each_field<Sampling>([&](const auto& field) {
    const auto differ = [&](Sampling& sampling) {
      sampling.*field.member = filled<Sampling>().*field.member;
    };
    if (with(differ).verdict == Verdict::unchanged) may_differ.push_back(field.name);
  });
  EXPECT_THAT(may_differ, ElementsAre("processes", "samples", "min_samples", "width_samples", "preheat_most",
                                      "steady", "max_time", "timeout", "gate_deadline"))
      << "a new field is in force by default; of the seed see StandsFor";
}

TEST(Comparable, ImportsAreNotHeldToSettingsNobodyKnows) {
  Record before = record_of(about(20)), after = record_of(about(20));
  for (Record* record : {&before, &after}) {
    record->machines.clear();
    record->cases[0].device = "import";
  }
  after.cases[0].sampling.samples = 7;
  EXPECT_EQ(row_of(before, after).verdict, Verdict::unchanged);
  after.cases[0].device = "cuda";
  EXPECT_EQ(row_of(before, after).reason.code, ReasonCode::device_kind_differs);
}

TEST(Comparable, AnotherUnitDirectionOrEstimatorIsAnotherMeasurement) {
  Record after = record_of(about(20));
  after.cases[0].series[0].unit = "ms";
  EXPECT_EQ(row_of(record_of(about(20)), after).reason.code, ReasonCode::unit_differs);
  EXPECT_THAT(row_of(record_of(about(20)), after).differences, ElementsAre(Difference{"unit", "us", "ms"}));
  after = record_of(about(20));
  after.cases[0].series[0].direction = Direction::higher_is_better;
  EXPECT_EQ(row_of(record_of(about(20)), after).verdict, Verdict::not_comparable);
  after = record_of(about(20));
  after.estimator = "median";
  EXPECT_EQ(row_of(record_of(about(20)), after).reason.code, ReasonCode::estimator_differs);
  EXPECT_EQ(row_of(after, after).reason.code, ReasonCode::estimator_unknown);
}

TEST(Order, IsWorstFirstAndTheSameForEqualRows) {
  std::vector<CaseRecord> before, after;
  const auto add = [&](const std::string& id, double factor) {
    before.push_back(case_of(id, {series_at(about(20))}));
    after.push_back(case_of(id, {series_at(about(20 * factor))}));
  };
  add("b_same", 1);
  add("a_same", 1);
  add("better", 0.9);
  add("much_better", 0.5);
  add("worse", 1.1);
  add("much_worse", 2);
  add("failed", 1);
  after.back().outcome = Outcome::failed;
  add("skipped", 1);
  before.back().outcome = after.back().outcome = Outcome::skipped;
  add("unsure", 1.0101);
  after.push_back(case_of("new", {series_at(about(1))}));
  const Comparison comparison = compare(record_of(before), record_of(after), Policy{});
  std::vector<std::string> order;
  for (const ComparisonRow& row : comparison.rows) order.push_back(row.case_id);
  EXPECT_THAT(order, ElementsAre("failed", "much_worse", "worse", "new", "unsure", "much_better", "better",
                                 "a_same", "b_same", "skipped"));
  EXPECT_EQ(comparison.verdict, Verdict::failed);
  EXPECT_EQ(exit_code(comparison), 5);
}

TEST(Sources, NameTheDeviceAndTheRevision) {
  Record before = record_of(about(20));
  before.revision.commit = "abc";
  const Comparison comparison = compare(before, record_of(about(20)), Policy{});
  EXPECT_EQ(comparison.baseline.device, "NVIDIA H200 GPU-1");
  EXPECT_EQ(comparison.baseline.revision.commit, "abc");
  EXPECT_EQ(comparison.suite, "a");
}

TEST(Pairing, OfTwoCasesWithOneNameTakesTheFirst) {
  Record after = record_of(about(20));
  after.cases.push_back(case_of("c", {series_at(about(40))}));
  EXPECT_EQ(row_of(record_of(about(20)), after).verdict, Verdict::unchanged);
}

TEST(ProcessValues, AreTheTrimmedGeometricMeansInProcessOrder) {
  Series series = series_at({10, 20});
  series.processes.push_back(ProcessSamples{3, {}});
  series.processes.push_back(process_at(4, 5));
  const std::vector<double> values = process_values(series);
  ASSERT_EQ(values.size(), 3u);
  EXPECT_NEAR(values[0], 10, 1e-12);
  EXPECT_NEAR(values[2], 5, 1e-12);
}

}  // namespace
}  // namespace harness
