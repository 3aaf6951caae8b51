// The rows of a comparison: which there are, which are comparable, and their order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records.h"

namespace harness {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ComparisonRow row_of(const Record& before, const Record& after, const Policy& policy = {}) {
  return only_row(compare(before, after, policy));
}

TEST(Pairing, TellsANewCaseFromARemovedOne) {
  const Record one = record_of(about(20)), none = record_of(std::vector<CaseRecord>{});
  const ComparisonRow added = row_of(none, one), removed = row_of(one, none);
  EXPECT_EQ(added.verdict, Verdict::missing);
  EXPECT_THAT(added.reason, HasSubstr("new"));
  EXPECT_THAT(added.reason, HasSubstr("baseline has no such case"));
  EXPECT_EQ(added.metric, "gpu_time");
  EXPECT_EQ(removed.verdict, Verdict::missing);
  EXPECT_THAT(removed.reason, HasSubstr("removed: only the baseline"));
}

TEST(Pairing, TellsANewMetricFromARemovedOne) {
  const Record one = record_of({case_of("c", {series_at(about(20)), series_at(about(30), "wall_time")})});
  const Record other = record_of({case_of("c", {series_at(about(20)), series_at(about(40), "memory")})});
  const Comparison comparison = compare(one, other, Policy{});
  ASSERT_EQ(comparison.rows.size(), 3u);
  EXPECT_EQ(comparison.rows[0].metric, "memory");
  EXPECT_THAT(comparison.rows[0].reason, HasSubstr("new"));
  EXPECT_EQ(comparison.rows[1].metric, "wall_time");
  EXPECT_THAT(comparison.rows[1].reason, HasSubstr("removed"));
  EXPECT_EQ(comparison.rows[2].verdict, Verdict::unchanged);
}

TEST(Pairing, OfACaseThatNeitherSideMeasuredIsSkipped) {
  Record after = record_of(about(20));
  after.cases[0].outcome = Outcome::skipped;
  after.cases[0].reason = told_cause("no CUDA device");
  for (const Record& before : {after, record_of(std::vector<CaseRecord>{})}) {
    const Comparison comparison = compare(before, after, Policy{});
    EXPECT_EQ(comparison.rows.at(0).verdict, Verdict::skipped);
    EXPECT_EQ(comparison.rows.at(0).reason, "no CUDA device");
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
  EXPECT_THAT(row.reason, HasSubstr("no CUDA device"));
}

TEST(Pairing, SaysWhenTheGateIsLooserThanTheBaselines) {
  Record before = record_of(about(20)), after = record_of(about(20));
  EXPECT_FALSE(only_row(compare(before, after, Policy{})).loosened);
  after.cases[0].gate.margin = 0.5;
  EXPECT_TRUE(only_row(compare(before, after, Policy{})).loosened);
  after.cases[0].gate = before.cases[0].gate;
  after.cases[0].gate.alpha = before.cases[0].gate.alpha / 10;
  EXPECT_TRUE(only_row(compare(before, after, Policy{})).loosened);
}

TEST(Pairing, OfACaseThatWentWrongIsFailed) {
  for (const Outcome outcome : {Outcome::failed, Outcome::incorrect, Outcome::timed_out}) {
    Record after = record_of(about(20));
    after.cases[0].outcome = outcome;
    after.cases[0].reason = told_cause("the reason");
    EXPECT_EQ(row_of(record_of(about(20)), after).verdict, Verdict::failed);
    const ComparisonRow row = row_of(record_of(std::vector<CaseRecord>{}), after);
    EXPECT_EQ(row.verdict, Verdict::failed);
    EXPECT_THAT(row.reason, HasSubstr("the reason"));
  }
}

TEST(Pairing, WithABaselineThatWasNotMeasuredIsMissing) {
  for (const Outcome outcome : {Outcome::failed, Outcome::incorrect, Outcome::timed_out, Outcome::skipped}) {
    Record before = record_of(about(20));
    before.cases[0].outcome = outcome;
    before.cases[0].reason = told_cause("the reason");
    const ComparisonRow row = row_of(before, record_of(about(20)));
    EXPECT_EQ(row.verdict, Verdict::missing);
    EXPECT_THAT(row.reason, HasSubstr("the baseline was not measured"));
    EXPECT_THAT(row.reason, HasSubstr("the reason"));
  }
}

TEST(Pairing, WithoutSamplesSaysOnWhichSide) {
  Record empty = record_of(about(20));
  for (ProcessSamples& process : empty.cases[0].series[0].processes) process.placements.clear();
  EXPECT_THAT(row_of(empty, record_of(about(20))).reason, HasSubstr("the baseline holds no samples"));
  EXPECT_THAT(row_of(record_of(about(20)), empty).reason, HasSubstr("the current side holds no samples"));
  EXPECT_THAT(row_of(empty, empty).reason, HasSubstr("neither side"));
  const Record no_series = record_of({case_of("c", {})});
  EXPECT_EQ(row_of(no_series, no_series).verdict, Verdict::missing);
}

TEST(Pairing, LeavesOutAProcessWithoutSamplesAndSaysSo) {
  Record after = record_of(about(20));
  after.cases[0].series[0].processes[1].placements.clear();
  const ComparisonRow row = row_of(record_of(about(20)), after);
  EXPECT_EQ(row.current.processes, 4);
  EXPECT_THAT(row.advice, Contains(HasSubstr("current: process 2 holds no samples")));
}

TEST(Pairing, OfSamplesWithoutALogarithmIsNeverANumber) {
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    Record broken = record_of(about(20));
    broken.cases[0].series[0].processes[2].placements[0].samples[1] = bad;
    const ComparisonRow now = row_of(record_of(about(20)), broken),
                        before = row_of(broken, record_of(about(20)));
    EXPECT_EQ(now.verdict, Verdict::failed) << bad;
    EXPECT_THAT(now.reason, HasSubstr("current: process 3 holds a sample of"));
    EXPECT_EQ(before.verdict, Verdict::missing) << bad;
    EXPECT_THAT(before.reason, HasSubstr("baseline: process 3"));
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
  EXPECT_THAT(row.reason, HasSubstr("gpu: NVIDIA H200 -> NVIDIA H100"));
  after = record_of(about(20));
  after.machines["cuda"].machine_class = "nvidia-h100";
  EXPECT_THAT(row_of(before, after).reason, HasSubstr("machine class: nvidia-h200 -> nvidia-h100"));
  after = record_of(about(20));
  after.machines["cuda"].fields.erase(after.machines["cuda"].fields.begin());
  EXPECT_THAT(row_of(before, after).reason, HasSubstr("gpu: NVIDIA H200 -> (not recorded)"));
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
  EXPECT_THAT(row.reason, HasSubstr("device: GPU-1 -> GPU-2"));
  EXPECT_THAT(row.advice, Contains(HasSubstr("--allow-other-device")));
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
  EXPECT_THAT(row.reason, HasSubstr("clock_lock: (not recorded) -> 1485 MHz"));
  before.machines["cuda"].fields.push_back({"clock_lock", "1485 MHz", FieldClass::block});
  EXPECT_EQ(row_of(before, after).verdict, Verdict::unchanged);
}

TEST(Comparable, WarnFieldsAreToldAndInfoFieldsAreNot) {
  Record before = record_of(about(20)), after = record_of(about(20));
  EXPECT_THAT(compare(before, after, Policy{}).differences, IsEmpty());
  after.machines["cuda"].fields[1].value = "580.2";
  after.machines["cuda"].fields[2].value = "yes";
  const Comparison comparison = compare(before, after, Policy{});
  EXPECT_THAT(comparison.differences, ElementsAre("driver: 580.1 -> 580.2"));
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
  EXPECT_THAT(hot.reason, HasSubstr("cache: cold -> hot"));
  const ComparisonRow batch = with([](Sampling& sampling) { sampling.timing = TimingMode::batch; });
  EXPECT_EQ(batch.verdict, Verdict::not_comparable);
  EXPECT_THAT(batch.reason, HasSubstr("timing: events -> batch"));
  const ComparisonRow longer = with([](Sampling& sampling) { sampling.batch_nodes = {100, 400}; });
  EXPECT_THAT(longer.reason, HasSubstr("batch_nodes: [] -> [100, 400]"));
  const ComparisonRow fewer = with([](Sampling& sampling) { sampling.placements = 2; });
  EXPECT_THAT(fewer.reason, HasSubstr("placements: 5 -> 2"));
  EXPECT_EQ(with([](Sampling& sampling) { sampling.processes = 20; }).verdict, Verdict::unchanged);
  EXPECT_EQ(with([](Sampling& sampling) { sampling.max_time = 9; }).verdict, Verdict::unchanged);
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
  EXPECT_THAT(row_of(before, after).reason, HasSubstr("device `import` before and on `cuda` now"));
}

TEST(Comparable, AnotherUnitDirectionOrEstimatorIsAnotherMeasurement) {
  Record after = record_of(about(20));
  after.cases[0].series[0].unit = "ms";
  EXPECT_THAT(row_of(record_of(about(20)), after).reason, HasSubstr("unit changed: us -> ms"));
  after = record_of(about(20));
  after.cases[0].series[0].direction = Direction::higher_is_better;
  EXPECT_EQ(row_of(record_of(about(20)), after).verdict, Verdict::not_comparable);
  after = record_of(about(20));
  after.estimator = "median";
  EXPECT_THAT(row_of(record_of(about(20)), after).reason, HasSubstr("trimmed_log_mean -> median"));
  EXPECT_THAT(row_of(after, after).reason, HasSubstr("does not know the estimator `median`"));
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
  series.processes.push_back(ProcessSamples{3, std::nullopt, {}});
  series.processes.push_back(process_at(4, 5));
  const std::vector<double> values = process_values(series);
  ASSERT_EQ(values.size(), 3u);
  EXPECT_NEAR(values[0], 10, 1e-12);
  EXPECT_NEAR(values[2], 5, 1e-12);
}

}  // namespace
}  // namespace harness
