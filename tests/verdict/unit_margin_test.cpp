// Margins in the metric's own unit: accuracies over seeds, losses, bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "facts.h"
#include "policies.h"

namespace harness {
namespace {

using testing::Contains;

// Accuracies in percent of ten seeds, which differ by more than any margin below.
const std::vector<double> by_seed{96.1, 97.8, 96.6, 97.2, 96.0, 97.5, 96.9, 97.1, 96.4, 97.7};

std::vector<double> plus(std::vector<double> values, double change, double spread = 0) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += change + (i % 2 == 0 ? spread : -spread);
  return values;
}

Gate gate_of_points(double margin, const std::string& unit = "points") {
  return gate_with({"accuracy", margin, {}, false, unit});
}

// One value a process, numbered from `first`.
Series accuracy_of(const std::vector<double>& values, int first = 1, const std::string& metric = "accuracy",
                   Direction direction = Direction::higher_is_better, const std::string& unit = "%") {
  Series series{metric, unit, direction, {}};
  for (const double value : values) series.processes.push_back({first++, {{{value}, 0, 0}}});
  return series;
}

ComparisonRow compared(const std::vector<double>& before, const std::vector<double>& after,
                       const Gate& gate = gate_of_points(0.5), int first = 1) {
  return only_row(
      compare(with_series({accuracy_of(before)}, gate), with_series({accuracy_of(after, first)}, gate), {}));
}

TEST(UnitMargins, PassWhereEachSeedGivesTheSameThoughSeedsDiffer) {
  const ComparisonRow row = compared(by_seed, by_seed);
  EXPECT_EQ(row.verdict, Verdict::unchanged) << name_of(row.reason.code);
  EXPECT_TRUE(row.exact);
  ASSERT_TRUE(row.in_unit);
  EXPECT_EQ(row.in_unit->difference, 0);
  EXPECT_TRUE(row.in_unit->by_process);
  EXPECT_EQ(row.in_unit->unit, "points");
  EXPECT_EQ(row.ratio, 1);
  EXPECT_NEAR(row.margin, 0.5 / 96.93, 1e-12);
}

TEST(UnitMargins, CompareProcessesOfTheSameSeed) {
  const ComparisonRow row = compared(by_seed, plus(by_seed, -0.2, 0.1));
  EXPECT_EQ(row.verdict, Verdict::unchanged) << "in spite of a spread of 0.6 points between seeds";
  EXPECT_FALSE(row.exact);
  EXPECT_NEAR(row.in_unit->difference, -0.2, 1e-9);
  // t of 9 degrees of freedom at 5 %: 1.8331; sd 0.1 sqrt(10/9).
  EXPECT_NEAR(row.in_unit->interval->hi, -0.2 + 1.8331 * 0.1 * std::sqrt(10.0 / 9) / std::sqrt(10.0), 1e-5);
  EXPECT_EQ(row.degrees_of_freedom, 9);
}

TEST(UnitMargins, FailWhatIsWorseByMoreThanTheMargin) {
  EXPECT_EQ(compared(by_seed, plus(by_seed, -1.2, 0.1)).verdict, Verdict::regressed);
  EXPECT_EQ(compared(by_seed, plus(by_seed, 1.2, 0.1)).verdict, Verdict::improved);
  EXPECT_EQ(compared(by_seed, plus(by_seed, -0.5, 0.3)).verdict, Verdict::inconclusive);
  const Gate gate = gate_of_points(0.5);
  const Comparison all = compare(with_series({accuracy_of(by_seed)}, gate),
                                 with_series({accuracy_of(plus(by_seed, -1.2, 0.1))}, gate), {});
  EXPECT_EQ(exit_code(all), 1);
}

TEST(UnitMargins, JudgeAConstantChangeAsANumber) {
  EXPECT_EQ(compared(by_seed, plus(by_seed, -0.4)).verdict, Verdict::unchanged);
  EXPECT_TRUE(compared(by_seed, plus(by_seed, -0.4)).exact);
  EXPECT_EQ(compared(by_seed, plus(by_seed, -0.5)).verdict, Verdict::unchanged) << "just the margin";
  EXPECT_EQ(compared(by_seed, plus(by_seed, -0.6)).verdict, Verdict::regressed);
  const std::vector<double> constant(5, 1000.0), more(5, 1008.0);
  const ComparisonRow row = compared(more, constant, gate_of_points(7, "absolute"));
  EXPECT_EQ(row.verdict, Verdict::regressed) << "8 below 1008";
  EXPECT_EQ(compared(constant, constant, gate_of_points(0, "absolute")).verdict, Verdict::unchanged);
}

TEST(UnitMargins, AllowOneSideThatDoesNotVary) {
  const std::vector<double> constant(10, 97.0);
  const ComparisonRow row = compared(constant, plus(constant, -0.1, 0.05));
  EXPECT_EQ(row.verdict, Verdict::unchanged);
  EXPECT_TRUE(std::isfinite(row.in_unit->interval->lo));
}

TEST(UnitMargins, TestSidesOfOtherProcessesApart) {
  const ComparisonRow row = compared(by_seed, plus(by_seed, -0.2, 0.1), gate_of_points(0.5), 101);
  EXPECT_FALSE(row.in_unit->by_process);
  EXPECT_EQ(row.verdict, Verdict::inconclusive) << "seeds differ by more than the margin allows";
  EXPECT_EQ(compared(by_seed, plus(by_seed, -3), gate_of_points(0.5), 101).verdict, Verdict::regressed);
}

TEST(UnitMargins, JudgeValuesAtAndBelowZero) {
  const auto loss = [](std::vector<double> values) {
    return with_series({accuracy_of(values, 1, "accuracy", Direction::lower_is_better, "")},
                       gate_of_points(0.1, "absolute"));
  };
  const std::vector<double> around{-0.02, 0, 0.03, -0.01, 0.01};
  const ComparisonRow same = only_row(compare(loss(around), loss(plus(around, 0.02, 0.01)), {}));
  EXPECT_EQ(same.verdict, Verdict::unchanged) << name_of(same.reason.code);
  EXPECT_EQ(only_row(compare(loss(around), loss(plus(around, 0.5, 0.01)), {})).verdict, Verdict::regressed);
  const std::vector<double> zeros(5, 0.0);
  const ComparisonRow from_zero = only_row(compare(loss(zeros), loss(plus(zeros, 0.05)), {}));
  EXPECT_EQ(from_zero.verdict, Verdict::unchanged) << "a change from 0 has a size in the unit";
  EXPECT_EQ(from_zero.ratio, 0) << "and no ratio";
  EXPECT_NEAR(from_zero.in_unit->difference, 0.05, 1e-15);
}

TEST(UnitMargins, NeedEnoughProcesses) {
  const ComparisonRow row = compared({97, 97}, {97, 97});
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(row.reason.code, ReasonCode::too_few_processes);
  EXPECT_EQ(compared({97}, {96}).reason.code, ReasonCode::untestable);
}

TEST(UnitMargins, RefuseWhatIsNoNumber) {
  std::vector<double> broken = by_seed;
  broken[3] = std::nan("");
  EXPECT_EQ(compared(by_seed, broken).verdict, Verdict::failed);
  EXPECT_EQ(compared(broken, by_seed).verdict, Verdict::missing);
}

TEST(UnitMargins, AreJudgedAtLooksAsOthersAre) {
  Gate gate = gate_of_points(0.5);
  gate.looks = {5, 10};
  const ComparisonRow row = compared(by_seed, plus(by_seed, -1.2, 0.1), gate);
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_EQ(row.look.number, 1);
  EXPECT_EQ(compared(by_seed, by_seed, gate).verdict, Verdict::unchanged);
}

TEST(UnitMargins, LeaveARegressionStandingWithoutFreshPartners) {
  const Gate gate = gate_of_points(0.5);
  Series now = accuracy_of(plus(by_seed, -1.2, 0.1));
  for (const ProcessSamples& fresh : accuracy_of(by_seed, last_plain_process + 1).processes)
    now.processes.push_back(fresh);
  const ComparisonRow row =
      only_row(compare(with_series({accuracy_of(by_seed)}, gate), with_series({now}, gate), {}));
  EXPECT_EQ(row.verdict, Verdict::regressed) << "the fresh processes have other seeds";
}

TEST(UnitMargins, OfTheChangeDoNotCountWhereTheyAreLooser) {
  const auto with = [](double change, Gate gate) {
    return with_series({accuracy_of(plus(by_seed, change, 0.1))}, std::move(gate));
  };
  const Record before = with(0, gate_of_points(0.5));
  const ComparisonRow row = only_row(compare(before, with(-1.2, gate_of_points(5)), {}));
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_EQ(row.proposed->margin, 5);
  EXPECT_EQ(row.proposed->unit, "points");
  const ComparisonRow other_unit =
      only_row(compare(before, with(-1.2, gate_with({"accuracy", 0.1, {}, false})), {}));
  EXPECT_EQ(other_unit.verdict, Verdict::regressed) << "10 % of 97 is no stricter margin";
  const ComparisonRow accepted = only_row(compare(before, with(-1.2, gate_of_points(5)), accepting()));
  EXPECT_EQ(accepted.verdict, Verdict::unchanged);
  EXPECT_TRUE(hides_regression(accepted));
  EXPECT_THAT(accepted.diagnostics, Contains(coded(DiagnosticCode::margin_loosened)));
}

TEST(UnitMargins, GiveWayToTheCommandLine) {
  Policy policy;
  policy.margin = 0.2;
  const RowGate gate = gate_of(gate_of_points(0.5), "accuracy", policy);
  EXPECT_EQ(gate.margin, 0.2);
  EXPECT_EQ(gate.unit, "");
}

}  // namespace
}  // namespace harness
