// Metrics that do not vary, zeros among them, and margins of zero.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "facts.h"
#include "policies.h"

namespace harness {
namespace {

using testing::Contains;
using testing::IsEmpty;

// One value a process of a metric that is no time.
ComparisonRow compare_counts(const std::vector<double>& before, const std::vector<double>& after,
                             Direction direction = Direction::lower_is_better,
                             const std::string& unit = "1") {
  const auto side = [&](const std::vector<double>& values) {
    Series series{"error", unit, direction, {}};
    int number = 1;
    for (const double value : values) series.processes.push_back({number++, {{{value}, 0, 0}}});
    return with_series({series});
  };
  return only_row(compare(side(before), side(after), {}));
}

TEST(Zeros, WorseThanAConstantZeroIsRegressedThoughItVaries) {
  const std::vector<double> zeros(5, 0.0), some{0.11, 0.12, 0.13, 0.14, 0.15};
  const ComparisonRow worse = compare_counts(zeros, some), better = compare_counts(some, zeros);
  EXPECT_EQ(worse.verdict, Verdict::regressed) << name_of(worse.reason.code);
  EXPECT_EQ(worse.reason.code, ReasonCode::worse_than_any_margin);
  EXPECT_EQ(worse.baseline.center, 0);
  EXPECT_NEAR(worse.current.center, 0.1292, 1e-4);
  EXPECT_EQ(better.verdict, Verdict::improved) << name_of(better.reason.code);
  EXPECT_EQ(compare_counts(zeros, some, Direction::higher_is_better).verdict, Verdict::improved);
  EXPECT_EQ(compare_counts(some, zeros, Direction::higher_is_better).verdict, Verdict::regressed);
}

TEST(Zeros, ThatOccurInSomeProcessesAreInconclusive) {
  const ComparisonRow row = compare_counts({0, 1, 2, 1, 0}, {0, 2, 2, 3, 0});
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(row.reason.code, ReasonCode::zeros_vary);
  EXPECT_EQ(compare_counts({0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}).verdict, Verdict::inconclusive);
  EXPECT_EQ(compare_counts({0, 0}, {1, 2}).verdict, Verdict::inconclusive) << "too few processes";
}

TEST(Zeros, WithinProcessesLeaveARatioOfMeans) {
  const auto counts = [](double scale) {
    Series series{"retries", "", Direction::lower_is_better, {}};
    for (int i = 1; i <= 5; ++i)
      series.processes.push_back({i, {{{0, scale * (10000 + i), scale * 10000, 0}, 0, 0}}});
    return with_series({series});
  };
  const ComparisonRow same = only_row(compare(counts(1), counts(1), {}));
  const ComparisonRow more = only_row(compare(counts(1), counts(1.5), {}));
  EXPECT_EQ(same.verdict, Verdict::unchanged) << name_of(same.reason.code);
  EXPECT_EQ(more.verdict, Verdict::regressed) << name_of(more.reason.code);
  EXPECT_NEAR(more.ratio, 1.5, 1e-9);
  EXPECT_NEAR(more.baseline.process_values[0], 5000.25, 1e-6) << "the arithmetic mean, zeros included";
}

TEST(Zeros, OfTimesAndNegativeOrEndlessValuesFail) {
  const std::vector<double> some{1, 2, 3, 4, 5};
  EXPECT_EQ(compare_counts(some, {0, 1, 2, 3, 4}, Direction::lower_is_better, "us").verdict, Verdict::failed);
  EXPECT_EQ(compare_counts(some, {0, -1, 2, 3, 4}).verdict, Verdict::failed);
  EXPECT_EQ(compare_counts(some, {0, INFINITY, 2, 3, 4}).verdict, Verdict::failed);
  EXPECT_EQ(compare_counts({0, -1, 2, 3, 4}, some).verdict, Verdict::missing);
}

TEST(Exact, AMetricThatDoesNotVaryIsDecidedByAnyChangeAtMarginZero) {
  const Gate gate = gate_with({"peak_memory", 0.0, {}, false});
  const auto row_of = [&](double before, double after) {
    return only_row(compare(with_series({constant(before)}, gate), with_series({constant(after)}, gate), {}));
  };
  const ComparisonRow worse = row_of(1e9, 1e9 + 1), better = row_of(1e9, 1e9 - 1), same = row_of(1e9, 1e9);
  EXPECT_EQ(worse.verdict, Verdict::regressed);
  EXPECT_EQ(better.verdict, Verdict::improved);
  EXPECT_EQ(same.verdict, Verdict::unchanged);
  EXPECT_EQ(worse.reason.code, ReasonCode::worse);
  EXPECT_EQ(worse.current.center, 1e9 + 1);
  EXPECT_EQ(same.reason.code, ReasonCode::within);
  for (const ComparisonRow& row : {worse, better, same}) {
    EXPECT_TRUE(row.exact);
    EXPECT_FALSE(row.p);
    EXPECT_FALSE(row.p_adjusted);
    EXPECT_EQ(row.interval->lo, row.ratio);
    EXPECT_EQ(row.interval->hi, row.ratio);
    EXPECT_EQ(row.baseline.processes, 5);
    EXPECT_THAT(row.diagnostics, IsEmpty());
  }
}

TEST(Exact, WithinTheMarginIsUnchangedAndTheMarginItselfIsWithin) {
  const auto verdict_of = [](double after) {
    return only_row(compare(with_series({constant(1000)}), with_series({constant(after)}), {})).verdict;
  };
  EXPECT_EQ(verdict_of(1010), Verdict::unchanged);
  EXPECT_EQ(verdict_of(1011), Verdict::regressed);
  EXPECT_EQ(verdict_of(991), Verdict::unchanged);
  EXPECT_EQ(verdict_of(980), Verdict::improved);
}

TEST(Exact, IsNotDilutedByTheSpreadBetweenSessionsNorByTheFamily) {
  Policy policy;
  policy.session_sd = 0.5;
  const Record before = with_series({constant(1000), series_at(about(20))});
  const Record after = with_series({constant(1020), series_at(about(20))});
  const Comparison comparison = compare(before, after, policy);
  EXPECT_EQ(row_named(comparison, "peak_memory").verdict, Verdict::regressed);
  EXPECT_DOUBLE_EQ(*row_named(comparison, "gpu_time").p_adjusted, *row_named(comparison, "gpu_time").p);
}

TEST(Exact, HoldsForZeroToo) {
  const auto row_of = [](double before, double after) {
    return only_row(compare(with_series({constant(before)}), with_series({constant(after)}), {}));
  };
  EXPECT_EQ(row_of(0, 0).verdict, Verdict::unchanged);
  EXPECT_EQ(row_of(0, 0).ratio, 1);
  const ComparisonRow grown = row_of(0, 4096), gone = row_of(4096, 0);
  EXPECT_EQ(grown.verdict, Verdict::regressed);
  EXPECT_EQ(gone.verdict, Verdict::improved);
  EXPECT_EQ(grown.baseline.center, 0);
  EXPECT_EQ(grown.current.center, 4096);
  EXPECT_FALSE(grown.interval);
  EXPECT_EQ(row_of(-1, -1).verdict, Verdict::failed) << "a negative value has no ratio";
}

TEST(Exact, NeedsEnoughProcessesToKnowThatNothingVaries) {
  const ComparisonRow row = only_row(compare(with_series({constant(1000, "peak_memory", "B", 2)}),
                                             with_series({constant(2000, "peak_memory", "B", 2)}), {}));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(row.processes_needed, 5);
}

TEST(Exact, IsNotForTimesNorForASideThatVaries) {
  EXPECT_FALSE(only_row(compare(with_series({constant(20, "gpu_time", "us")}),
                                with_series({constant(20, "gpu_time", "us")}), {}))
                   .exact);
  EXPECT_FALSE(only_row(compare(with_series({constant(20)}),
                                with_series({series_at(about(20), "peak_memory", "B")}), {}))
                   .exact);
}

TEST(Exact, HigherIsBetterIsMirrored) {
  const auto verdict_of = [](double before, double after) {
    Series old = constant(before, "bits", "bit"), now = constant(after, "bits", "bit");
    old.direction = now.direction = Direction::higher_is_better;
    return only_row(compare(with_series({old}), with_series({now}), {})).verdict;
  };
  EXPECT_EQ(verdict_of(10, 9), Verdict::regressed);
  EXPECT_EQ(verdict_of(10, 11), Verdict::improved);
  EXPECT_EQ(verdict_of(10, 0), Verdict::regressed);
}

TEST(Margin, OfZeroForATimeSaysThatNothingCanBeUnchanged) {
  const Gate gate = gate_with({"time", 0.0, {}, false});
  const ComparisonRow row = only_row(
      compare(with_series({series_at(about(20))}, gate), with_series({series_at(about(20.001))}, gate), {}));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.diagnostics, Contains(coded(DiagnosticCode::zero_margin)));
}

}  // namespace
}  // namespace harness
