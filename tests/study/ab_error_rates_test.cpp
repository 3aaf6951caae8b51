// How often an A/B run of a build against itself is wrong while the machine drifts by 3 %: by simulation with
// fixed seeds, for the orders that harness/measure uses and for the naive one. Rates are held against
// Clopper-Pearson bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "harness/stats/hypothesis/proportion.h"
#include "harness/stats/series/turns.h"
#include "tests/verdict/records.h"

namespace harness {
namespace {

constexpr int cases = 4000;
constexpr int processes = 8;
constexpr int samples = 24;
constexpr double alpha = 0.01;
constexpr double drift = 0.03;  // of log time, from the first process (or sample) to the last

struct Sides {
  Record baseline, current;
};

// Cases of `processes` processes a side, drawn by draw(case, process, random) -> {baseline, current}.
using Draw = std::function<std::pair<Placement, Placement>(int, int, std::mt19937_64&)>;

Sides simulate(const Draw& draw, Pairing::Kind kind, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<CaseRecord> before, after;
  for (int c = 0; c < cases; ++c) {
    Series one{"gpu_time", "us", Direction::lower_is_better, {}};
    Series other = one;
    for (int p = 1; p <= processes; ++p) {
      auto [baseline, current] = draw(c, p, random);
      one.processes.push_back(ProcessSamples{p, {std::move(baseline)}});
      other.processes.push_back(ProcessSamples{p, {std::move(current)}});
    }
    before.push_back(case_of(std::to_string(c), {std::move(one)}));
    after.push_back(case_of(std::to_string(c), {std::move(other)}));
  }
  Sides sides{record_of(std::move(before)), record_of(std::move(after))};
  sides.baseline.pairing = sides.current.pairing = Pairing{"run", kind};
  return sides;
}

// Bounds of the share of cases with p below alpha, without a margin: nothing differs, so each is wrong.
stats::Bounds false_alarms(const Sides& sides) {
  Policy policy;
  policy.margin = 0;
  const Comparison comparison = compare(sides.baseline, sides.current, policy);
  EXPECT_EQ(comparison.rows.size(), static_cast<std::size_t>(cases));
  const auto wrong = std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                   [](const ComparisonRow& row) { return *row.p < alpha; });
  return stats::clopper_pearson(static_cast<std::size_t>(wrong), cases, 0.99);
}

Placement around(double log_center, double sd, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, sd);
  Placement placement;
  for (int i = 0; i < samples; ++i) placement.samples.push_back(20 * std::exp(log_center + noise(random)));
  return placement;
}

// Processes one after the other; `at` is how much of the run is over.
Draw in_processes(const std::function<bool(int, int)>& current_comes_first, bool blocks) {
  return [=](int one_case, int process, std::mt19937_64& random) {
    std::normal_distribution<double> between(0, 0.003);
    const auto one_side = [&](int place) {
      const double at = static_cast<double>(place) / (2 * processes - 1);
      return around(drift * at + between(random), 0.01, random);
    };
    const bool turned = current_comes_first(one_case, process);
    const int baseline = blocks ? process - 1 : 2 * (process - 1) + (turned ? 1 : 0);
    const int current = blocks ? processes + process - 1 : 2 * (process - 1) + (turned ? 0 : 1);
    Placement first = one_side(baseline);
    return std::pair{std::move(first), one_side(current)};
  };
}

// Both in each process, which drifts meanwhile: sample by sample, or one side after the other.
Draw in_one_process(bool interleaved) {
  return [=](int, int, std::mt19937_64& random) {
    std::normal_distribution<double> between(0, 0.02), noise(0, 0.01);
    const double process = between(random);
    const auto sample = [&](int place) {
      return 20 * std::exp(process + drift * place / (2 * samples - 1) + noise(random));
    };
    std::pair<Placement, Placement> both;
    for (int i = 0; i < samples; ++i) {
      const int second = i % 2 == 0 ? 1 : 0;  // A B B A
      both.first.samples.push_back(sample(interleaved ? 2 * i + 1 - second : i));
      both.second.samples.push_back(sample(interleaved ? 2 * i + second : samples + i));
    }
    return both;
  };
}

bool in_turns(int one_case, int process) {
  return stats::current_first(process, static_cast<std::uint64_t>(one_case));
}

TEST(AbErrorRates, ProcessesThatTakeTurnsKeepTheNominalRateWhileTheMachineDrifts) {
  EXPECT_LE(false_alarms(simulate(in_processes(in_turns, false), Pairing::Kind::session, 1)).lo, alpha);
}

TEST(AbErrorRates, OneBuildAfterTheOtherWouldNot) {
  EXPECT_GT(false_alarms(simulate(in_processes(in_turns, true), Pairing::Kind::session, 1)).lo, 0.5);
}

TEST(AbErrorRates, SamplesThatTakeTurnsKeepTheNominalRateWhileTheProcessDrifts) {
  const stats::Bounds rate = false_alarms(simulate(in_one_process(true), Pairing::Kind::process, 2));
  EXPECT_LE(rate.lo, alpha);
  EXPECT_GE(rate.hi, alpha);  // and it is the nominal rate, not a test that never speaks
}

TEST(AbErrorRates, OneSideAfterTheOtherWithinAProcessWouldNot) {
  EXPECT_GT(false_alarms(simulate(in_one_process(false), Pairing::Kind::process, 2)).lo, 0.5);
}

}  // namespace
}  // namespace harness
