// How often the rule is wrong, and how often it finds what is there: simulations with fixed seeds, each
// of thousands of cases in one record. Rates are held against Clopper-Pearson bounds, never against
// a single count.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "harness/stats/hypothesis/proportion.h"
#include "tests/verdict/records.h"

namespace harness {
namespace {

constexpr int cases = 2000;
constexpr int samples = 12;

// Draws the samples of one process, in us.
using DrawProcess = std::function<std::vector<double>(std::mt19937_64&)>;

Record simulate(const DrawProcess& draw, int processes, unsigned seed, double factor = 1,
                double session_sd = 0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> session(0, session_sd > 0 ? session_sd : 1);
  std::vector<CaseRecord> all;
  for (int c = 0; c < cases; ++c) {
    Series series{"gpu_time", "us", Direction::lower_is_better, {}};
    const double whole = factor * (session_sd > 0 ? std::exp(session(random)) : 1);
    for (int p = 1; p <= processes; ++p) {
      Placement placement{draw(random), 0, 0};
      for (double& sample : placement.samples) sample *= whole;
      series.processes.push_back(ProcessSamples{p, {std::move(placement)}});
    }
    all.push_back(case_of(std::to_string(c), {std::move(series)}));
  }
  return record_of(std::move(all));
}

// The share of rows with p below alpha: the rate of one case, before the correction over cases.
double calls(const Comparison& comparison, double alpha) {
  const auto called = std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                    [&](const ComparisonRow& row) { return *row.p < alpha; });
  return static_cast<double>(called);
}

std::vector<double> around(std::mt19937_64& random, double center, double sd) {
  std::normal_distribution<double> noise(center, sd);
  std::vector<double> values(samples);
  for (double& value : values) value = noise(random);
  return values;
}

std::vector<double> normal(std::mt19937_64& random) {
  std::normal_distribution<double> process(20, 0.06);
  return around(random, process(random), 0.1);
}

std::vector<double> lognormal(std::mt19937_64& random) {
  std::lognormal_distribution<double> process(3, 0.003), sample(0, 0.2);
  const double center = process(random);
  std::vector<double> values(samples);
  for (double& value : values) value = center * sample(random);
  return values;
}

// Lag-1 correlation of .9 within the process, as a large power-limited GEMM shows.
std::vector<double> autoregressive(std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, 0.1);
  std::vector<double> values(samples);
  double state = noise(random) / std::sqrt(1 - 0.81);
  for (double& value : values) {
    state = 0.9 * state + noise(random);
    value = 20 + state;
  }
  return values;
}

// Each process lands in one of two modes.
std::vector<double> bimodal(std::mt19937_64& random) {
  std::bernoulli_distribution slow(0.5);
  return around(random, slow(random) ? 25.5 : 22.5, 0.2);
}

std::vector<double> slow_tail(std::mt19937_64& random) {
  std::bernoulli_distribution slow(0.1);
  std::normal_distribution<double> process(20, 0.06), noise(0, 0.1);
  // Enough samples that a quarter of them being slow, where the fences give way, does not happen.
  std::vector<double> values(std::size_t{4} * samples, process(random));
  for (double& value : values) value += noise(random);
  for (double& value : values)
    if (slow(random)) value *= 1.5;
  return values;
}

struct Scenario {
  const char* name;
  DrawProcess draw;
  // With two modes and 5 processes a side, 1 pair in 1024 has one mode on each side and looks like a
  // change; no test can tell. More processes can.
  int processes_against_chance = 5;
};

class ErrorRates : public testing::TestWithParam<Scenario> {};

// Without a margin and without a variance between sessions the rule is plain Welch: its rate of false
// alarms must not be shown to lie above the nominal one.
TEST_P(ErrorRates, OfOneCaseStayAtTheNominalRate) {
  Policy policy;
  policy.margin = 0;
  policy.session_sd = 0;
  policy.alpha = 0.05;
  for (const int current_processes : {5, 12}) {
    const Comparison comparison =
        compare(simulate(GetParam().draw, 5, 1), simulate(GetParam().draw, current_processes, 2), policy);
    const double called = calls(comparison, *policy.alpha);
    const stats::Bounds bounds = stats::clopper_pearson(static_cast<std::size_t>(called), cases, 0.999);
    EXPECT_LE(bounds.lo, *policy.alpha) << called / cases;
    EXPECT_GT(bounds.hi, *policy.alpha / 2) << "so cautious that it is blind: " << called / cases;
  }
}

TEST_P(ErrorRates, OfAWholeSuiteAreHeldByTheMarginAndHolm) {
  const int processes = GetParam().processes_against_chance;
  const Comparison comparison =
      compare(simulate(GetParam().draw, processes, 3), simulate(GetParam().draw, processes, 4), Policy{});
  for (const ComparisonRow& row : comparison.rows)
    EXPECT_TRUE(row.verdict != Verdict::regressed && row.verdict != Verdict::improved)
        << name_of(row.reason.code);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ErrorRates,
                         testing::Values(Scenario{"normal", normal}, Scenario{"lognormal", lognormal},
                                         Scenario{"autoregressive", autoregressive},
                                         Scenario{"bimodal", bimodal, 12}, Scenario{"slow_tail", slow_tail}),
                         [](const auto& instance) { return instance.param.name; });

// A true effect of exactly the margin is the hardest case of "not worse by more than the margin".
TEST(ErrorRate, AtTheMarginItselfIsNominal) {
  Policy policy;
  policy.margin = 0.01;
  policy.session_sd = 0;
  policy.alpha = 0.05;
  const Comparison comparison = compare(simulate(normal, 5, 5), simulate(normal, 5, 6, 1.01), policy);
  const double called = calls(comparison, *policy.alpha);
  const stats::Bounds bounds = stats::clopper_pearson(static_cast<std::size_t>(called), cases, 0.999);
  EXPECT_LE(bounds.lo, 0.05);
  EXPECT_GE(bounds.hi, 0.04);
}

// Sessions that differ: told of their variance the rule keeps its rate, and not told it does not.
TEST(ErrorRate, WithSessionsThatDifferNeedsTheirVariance) {
  Policy policy;
  policy.margin = 0;
  policy.alpha = 0.05;
  const Record before = simulate(normal, 5, 7, 1, 0.004), after = simulate(normal, 5, 8, 1, 0.004);
  policy.session_sd = 0.004;
  const double told = calls(compare(before, after, policy), 0.05);
  policy.session_sd = 0;
  const double untold = calls(compare(before, after, policy), 0.05);
  const stats::Bounds bounds = stats::clopper_pearson(static_cast<std::size_t>(told), cases, 0.999);
  EXPECT_LE(bounds.lo, 0.05) << told / cases;
  EXPECT_GE(bounds.hi, 0.04) << told / cases;
  EXPECT_GT(untold / cases, 0.10);
}

TEST(ErrorRate, OfCallingALargeChangeUnchangedIsAtMostAlpha) {
  Policy policy;
  policy.margin = 0.01;
  policy.session_sd = 0;
  policy.alpha = 0.05;
  const Comparison comparison = compare(simulate(normal, 8, 9), simulate(normal, 8, 10, 1.01), policy);
  const auto passed =
      std::count_if(comparison.rows.begin(), comparison.rows.end(),
                    [](const ComparisonRow& row) { return row.verdict == Verdict::unchanged; });
  EXPECT_LE(stats::clopper_pearson(static_cast<std::size_t>(passed), cases, 0.999).lo, 0.05);
}

TEST(Power, OfTheMinimumDetectableEffectIsEightyPercent) {
  Policy policy;
  policy.session_sd = 0;
  const Record before = simulate(normal, 8, 11);
  // A typical row: what it says it could have seen, were it alone.
  std::vector<double> detectable;
  for (std::size_t i = 0; i < 60; ++i) {
    CaseRecord one = before.cases[i], other = before.cases[i + 100];
    other.id = one.id;
    detectable.push_back(*only_row(compare(record_of({one}), record_of({other}), policy)).minimum_detectable);
  }
  std::nth_element(detectable.begin(), detectable.begin() + 30, detectable.end());
  const Comparison comparison = compare(before, simulate(normal, 8, 12, 1 + detectable[30]), policy);
  const double found = calls(comparison, 0.01) / cases;
  EXPECT_GT(found, 0.72);
  EXPECT_LT(found, 0.88);
}

TEST(Power, FindsFourPercentNearlyAlwaysAndPassesWhatIsUnchanged) {
  const Record before = simulate(normal, 8, 13);
  const Comparison slower = compare(before, simulate(normal, 8, 14, 1.04), Policy{});
  const Comparison same = compare(before, simulate(normal, 8, 15), Policy{});
  const auto share = [](const Comparison& comparison, Verdict verdict) {
    return static_cast<double>(
               std::count_if(comparison.rows.begin(), comparison.rows.end(),
                             [&](const ComparisonRow& row) { return row.verdict == verdict; })) /
           cases;
  };
  EXPECT_GT(share(slower, Verdict::regressed), 0.95);
  EXPECT_GT(share(same, Verdict::unchanged), 0.8);
}

}  // namespace
}  // namespace harness
