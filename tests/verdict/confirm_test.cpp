// A regression stands only when fresh processes confirm it.
#include "harness/verdict/decide/confirm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts.h"
#include "harness/verdict/decide/looks.h"
#include "records.h"

namespace harness {
namespace {

// The first processes, and those that measured it again.
Record staged(const std::vector<double>& first, const std::vector<double>& fresh) {
  Series series = series_at(first);
  int number = last_plain_process;
  for (const double value : fresh) series.processes.push_back(process_at(++number, value));
  return record_of({case_of("c", {series})});
}

TEST(Confirm, FreshProcessesThatAgreeLetTheRegressionStand) {
  const Comparison comparison = compare(record_of(about(20)), staged(about(21), about(20.9)), {});
  const ComparisonRow& row = only_row(comparison);
  EXPECT_EQ(row.verdict, Verdict::regressed);
  ASSERT_TRUE(row.confirmation);
  EXPECT_TRUE(row.confirmation->confirmed);
  EXPECT_NEAR(row.confirmation->first.ratio, 1.05, 1e-3);
  EXPECT_NEAR(row.confirmation->fresh.ratio, 1.045, 1e-3);
  EXPECT_EQ(row.confirmation->fresh.processes, 5);
  EXPECT_EQ(row.confirmation->pooled.processes, 10);
  EXPECT_EQ(row.current.processes, 5);
  EXPECT_EQ(exit_code(comparison), 1);
}

// Fresh processes about a value, `step` apart.
std::vector<double> spread_about(double center, double step) {
  return {center * (1 - 2 * step), center * (1 - step), center, center * (1 + step), center * (1 + 2 * step)};
}

TEST(Confirm, TakesFivePercentWhereTheGateTakesOne) {
  const ComparisonRow weak =
      only_row(compare(record_of(about(20)), staged(about(21), spread_about(20.3, 0.0025)), {}));
  EXPECT_NEAR(weak.confirmation->fresh.p.value(), 0.0233, 1e-4);
  EXPECT_EQ(weak.verdict, Verdict::regressed);
  const ComparisonRow weaker =
      only_row(compare(record_of(about(20)), staged(about(21), spread_about(20.35, 0.005)), {}));
  EXPECT_NEAR(weaker.confirmation->fresh.p.value(), 0.0526, 1e-4);
  EXPECT_EQ(weaker.verdict, Verdict::inconclusive);
}

TEST(Confirm, OthersTakeItBackAndAllProcessesAreShown) {
  const Comparison comparison = compare(record_of(about(20)), staged(about(21), about(20)), {});
  const ComparisonRow& row = only_row(comparison);
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(row.reason.code, ReasonCode::not_confirmed);
  EXPECT_NEAR(row.reason.number("first"), 0.05, 1e-3);
  EXPECT_NEAR(row.reason.number("fresh"), 0, 1e-3);
  ASSERT_TRUE(row.confirmation);
  EXPECT_FALSE(row.confirmation->confirmed);
  EXPECT_EQ(row.current.processes, 10);
  EXPECT_NEAR(row.ratio, 1.025, 1e-3);
  EXPECT_EQ(exit_code(comparison), 3);
}

// Tells on which devices the two groups of processes ran.
Record on_devices(Record record, const std::string& first, const std::string& fresh) {
  for (const ProcessSamples& one : record.cases.front().series.front().processes) {
    ProcessResult result;
    result.case_id = "c";
    result.process = one.process;
    result.device_uuid = confirms(one.process) ? fresh : first;
    record.cases.front().processes.push_back(result);
  }
  return record;
}

TEST(Confirm, DevicesThatDisagreeAreNamed) {
  const Record current = staged(about(21), about(20));
  const ComparisonRow row =
      only_row(compare(record_of(about(20)), on_devices(current, "GPU-A", "GPU-B"), {}));
  EXPECT_EQ(row.reason.code, ReasonCode::not_confirmed);
  EXPECT_EQ(row.reason.text("first_device"), "GPU-A");
  EXPECT_EQ(row.reason.text("fresh_device"), "GPU-B");
  const ComparisonRow same =
      only_row(compare(record_of(about(20)), on_devices(current, "GPU-A", "GPU-A"), {}));
  EXPECT_EQ(same.reason.text("first_device"), "");
}

TEST(Confirm, TooFewFreshProcessesChangeNothing) {
  const ComparisonRow row = only_row(compare(record_of(about(20)), staged(about(21), {20, 20}), {}));
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_FALSE(row.confirmation);
}

TEST(Confirm, NeverMakesARowRed) {
  const ComparisonRow row = only_row(compare(record_of(about(20)), staged(about(20), about(21)), {}));
  EXPECT_EQ(row.verdict, Verdict::unchanged);
  EXPECT_EQ(row.current.processes, 5);
  EXPECT_FALSE(row.confirmation);
}

TEST(Confirm, ReachesNoFurtherLook) {
  Record current = staged(about(21), about(21));
  current.cases.front().gate.looks = {5, 10};
  EXPECT_EQ(processes_tried(current.cases.front()), 5);
  ProcessResult alone;
  alone.process = last_confirming_process + 1;
  current.cases.front().processes.push_back(alone);
  EXPECT_EQ(processes_tried(current.cases.front()), 5);
  const ComparisonRow row = only_row(compare(record_of(about(20)), current, {}));
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_EQ(row.look.number, 1);
  EXPECT_TRUE(row.confirmation && row.confirmation->confirmed);
}

TEST(Confirm, TakesTheRatiosOfFreshProcessesThatHeldBothBuilds) {
  Record before = staged(about(20), about(20)), after = staged(about(21), about(20));
  before.pairing = after.pairing = Pairing{"p", Pairing::Kind::process};
  const ComparisonRow row = only_row(compare(before, after, {}));
  EXPECT_EQ(row.reason.code, ReasonCode::not_confirmed);
  EXPECT_EQ(row.confirmation->first.processes, 5);
  EXPECT_NEAR(row.confirmation->fresh.ratio, 1, 1e-3);
}

}  // namespace
}  // namespace harness
