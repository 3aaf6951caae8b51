// The selftest passes the rule of compare() and fails wrong ones; what it simulates is what it says.
#include "harness/study/selftest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "harness/stats/hypothesis/welch.h"
#include "harness/verdict/compare.h"
#include "tests/verdict/facts.h"

#include <set>

namespace harness {
namespace {

using testing::HasSubstr;

SelftestOptions small(std::size_t splits) {
  SelftestOptions options;
  options.splits = splits;
  options.noises = {Noise::normal, Noise::autoregressive, Noise::sessions};
  options.plans = {{5}, {10, {5, 10}}, {5, {}, true}};
  return options;
}

SelftestReport simulated(const SelftestOptions& options) {
  std::optional<SelftestReport> report = selftest(options);
  EXPECT_TRUE(report.has_value());
  return report.value_or(SelftestReport{});
}

// `rule` on top of the right one.
SelftestReport with(
    const std::function<void(std::vector<ComparisonRow>&, const Record&, const Record&)>& spoil) {
  SelftestOptions options = small(150);
  options.noises = {Noise::normal};
  options.plans = {{5}};
  options.rule = [spoil](const Record& baseline, const Record& current, const Policy& policy) {
    std::vector<ComparisonRow> rows = verdicts(baseline, current, policy);
    spoil(rows, baseline, current);
    return rows;
  };
  return simulated(options);
}

std::vector<double> raw_log_samples(const CaseRecord& one) {
  std::vector<double> all;
  for (const ProcessSamples& process : one.series.front().processes)
    for (const Placement& placement : process.placements)
      for (const double sample : placement.samples) all.push_back(std::log(sample));
  return all;
}

TEST(Selftest, PassesTheRuleOfCompare) {
  const SelftestReport report = simulated(small(150));
  EXPECT_TRUE(passes(report));
  ASSERT_EQ(report.rows.size(), 8U) << "sessions do not go with shared processes";
  for (const SelftestRow& row : report.rows) {
    EXPECT_EQ(row.unchanged_red.trials, 150U);
    EXPECT_EQ(row.called.trials, 1500U);
    EXPECT_GT(row.called.hits + row.passed.hits, 0U)
        << name_of(row.noise) << ", " << row.plan.processes << " processes: nothing was judged";
  }
}

TEST(Selftest, FailsAnyVerdictOnFewerProcessesThanItNeeds) {
  SelftestOptions options = small(20);
  options.plans = {{4}, {2, {}, true}};
  const SelftestReport right = simulated(options);
  ASSERT_EQ(right.rows.size(), 2U) << "with one noise each";
  ASSERT_EQ(right.remarks.size(), 2U);
  EXPECT_THAT(right.remarks[0], fact(SelftestRemarkCode::too_few, {{"row", 0}, {"needed", 5}}));
  EXPECT_THAT(right.remarks[1], fact(SelftestRemarkCode::too_few, {{"row", 1}, {"needed", 3}}));
  EXPECT_TRUE(passes(right));
  EXPECT_EQ(right.rows[0].found.hits + right.rows[0].passed.hits + right.rows[0].called.hits, 0U);
  options.rule = [](const Record& baseline, const Record& current, Policy policy) {
    policy.min_processes = policy.min_shared_processes = 2;
    return verdicts(baseline, current, policy);
  };
  EXPECT_FALSE(passes(simulated(options)));
}

TEST(Selftest, JudgesFewerProcessesWhenAsked) {
  SelftestOptions options = small(20);
  options.plans = {{3}};
  options.min_processes = 3;
  const SelftestReport report = simulated(options);
  EXPECT_EQ(report.rows.size(), 3U) << "with every noise";
  EXPECT_GT(report.rows[0].found.hits, 0U);
}

TEST(Selftest, FailsATestOnRawSamples) {
  const SelftestReport report = with([](auto& rows, const Record& baseline, const Record& current) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto test = stats::welch(raw_log_samples(baseline.cases[i]), raw_log_samples(current.cases[i]));
      rows[i].verdict =
          test->p_above(std::log1p(rows[i].margin)) < rows[i].alpha ? Verdict::regressed : Verdict::unchanged;
    }
  });
  EXPECT_FALSE(passes(report));
  EXPECT_TRUE(report.rows.front().called.exceeds());
  EXPECT_TRUE(report.rows.front().passed.exceeds());
}

TEST(Selftest, FailsARuleWithoutACorrectionForManyCases) {
  const SelftestReport report = with([](auto& rows, const Record&, const Record&) {
    for (ComparisonRow& row : rows)
      if (row.p < row.alpha) row.verdict = Verdict::regressed;
  });
  EXPECT_FALSE(report.rows.front().called.exceeds()) << "each by itself is at its level";
  EXPECT_TRUE(report.rows.front().family_called.exceeds());
}

TEST(Selftest, FailsARuleThatPassesWhatItCannotTell) {
  const SelftestReport report = with([](auto& rows, const Record&, const Record&) {
    for (ComparisonRow& row : rows)
      if (row.verdict == Verdict::inconclusive) row.verdict = Verdict::unchanged;
  });
  EXPECT_TRUE(report.rows.front().passed.exceeds());
}

TEST(Selftest, FailsARuleThatCallsWhatDidNotChange) {
  const SelftestReport report = with([](auto& rows, const Record&, const Record&) {
    if (rows.front().ratio > 1.002) rows.front().verdict = Verdict::regressed;
  });
  EXPECT_TRUE(report.rows.front().unchanged_red.exceeds());
}

TEST(Selftest, TellsHowFarItIs) {
  SelftestOptions options = small(60);
  options.threads = 1;
  std::vector<std::size_t> told;
  options.on_progress = [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(all, 60U * 8U);
    told.push_back(done);
    return true;
  };
  simulated(options);
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_LT(told.front(), 60U);
  EXPECT_EQ(told.back(), 60U * 8U);
}

TEST(Selftest, StopsWhenToldTo) {
  SelftestOptions options = small(1000);
  std::atomic<std::size_t> most{0};
  options.on_progress = [&](std::size_t done, std::size_t) {
    most = done;
    return false;
  };
  EXPECT_FALSE(selftest(options).has_value());
  EXPECT_LT(most, 1000U);
}

TEST(Selftest, IsTheSameForASeedWhateverTheThreads) {
  SelftestOptions options = small(60);
  options.threads = 1;
  const SelftestReport one = simulated(options);
  options.threads = 3;
  const SelftestReport three = simulated(options);
  options.seed = 2;
  const SelftestReport other = simulated(options);
  bool differs = false;
  for (std::size_t i = 0; i < one.rows.size(); ++i) {
    EXPECT_EQ(one.rows[i].called.hits, three.rows[i].called.hits);
    EXPECT_EQ(one.rows[i].passed.hits, three.rows[i].passed.hits);
    differs |= one.rows[i].called.hits != other.rows[i].called.hits;
  }
  EXPECT_TRUE(differs);
}

TEST(Verdicts, AreThoseOfCompare) {
  for (const MeasuringPlan& plan :
       {MeasuringPlan{5}, MeasuringPlan{10, {5, 10}}, MeasuringPlan{5, {}, true}}) {
    Simulator simulator(Noise::normal, plan, 6, 2);
    const SimulatedPair& pair = simulator.draw(0.015, 3);
    const auto quick = verdicts(pair.baseline, pair.current, simulator.policy());
    const Comparison whole = compare(pair.baseline, pair.current, simulator.policy());
    ASSERT_EQ(quick.size(), whole.rows.size());
    for (const ComparisonRow& row : whole.rows) {
      const auto same = std::find_if(quick.begin(), quick.end(),
                                     [&](const ComparisonRow& one) { return one.case_id == row.case_id; });
      ASSERT_NE(same, quick.end());
      EXPECT_EQ(same->verdict, row.verdict);
      EXPECT_EQ(same->p, row.p);
      EXPECT_EQ(same->p_adjusted, row.p_adjusted);
      EXPECT_EQ(same->look.number, row.look.number);
    }
  }
}

TEST(Simulator, DrawsTheChangeThatItIsAskedFor) {
  for (const Noise noise : SelftestOptions().noises) {
    Simulator simulator(noise, {400}, 1, 0);
    const SimulatedPair& pair = simulator.draw(0.05, 11);
    Policy policy = simulator.policy();
    const ComparisonRow row = verdicts(pair.baseline, pair.current, policy).front();
    const double tolerance = noise == Noise::bimodal || noise == Noise::lognormal ? 0.02 : 0.013;
    EXPECT_NEAR(row.ratio, 1.05, tolerance) << name_of(noise);
  }
}

TEST(Simulator, SaysWhatNoRuleCanTell) {
  EXPECT_DOUBLE_EQ(unavoidable(Noise::bimodal, {3}), 1.0 / 64);
  EXPECT_DOUBLE_EQ(unavoidable(Noise::bimodal, {20, {5, 10, 20}}), 1.0 / 1024);
  EXPECT_EQ(unavoidable(Noise::bimodal, {3, {}, true}), 0);
  EXPECT_EQ(unavoidable(Noise::normal, {3}), 0);
  SelftestOptions options = small(10);
  options.noises = {Noise::bimodal};
  options.plans = {{3}, {5}};
  options.min_processes = 3;
  const SelftestReport report = simulated(options);
  EXPECT_NEAR(report.rows[0].called.limit, 1.0 / 64, 1e-12);
  EXPECT_NEAR(report.rows[1].called.limit, 0.01, 1e-12);
  ASSERT_EQ(report.remarks.size(), 1U);
  EXPECT_THAT(report.remarks[0], fact(SelftestRemarkCode::unavoidable, {{"row", 0}, {"chance", 1.0 / 64}}));
}

Record one_run(int processes) {
  Record record = Simulator(Noise::normal, {processes}, 8, 0).draw(0, 5).baseline;
  record.suite.name = "here";
  return record;
}

TEST(HalvesOfARun, AreComparedByTheRule) {
  SelftestOptions options;
  options.splits = 200;
  const SelftestRun run = halves_of({one_run(12)}, options);
  EXPECT_EQ(run.processes, 6);
  EXPECT_EQ(run.red.trials, 200U);
  EXPECT_EQ(run.cases.size(), 8U);
  EXPECT_FALSE(run.red.exceeds());
  EXPECT_THAT(run.device, HasSubstr("GPU-A"));
}

// Processes that are not exchangeable with what the rule assumes: without a margin and with one value that is
// shared by neighbours the halves still agree, so alarms come from a margin of next to nothing alone.
TEST(HalvesOfARun, AreCountedCaseByCase) {
  Record record = one_run(12);
  for (CaseRecord& one : record.cases) one.gate = {1e-9, 0.2};
  SelftestOptions options;
  options.splits = 400;
  const SelftestRun run = halves_of({record}, options);
  std::size_t alarms = 0;
  for (const SelftestCase& one : run.cases) alarms += one.alarms;
  EXPECT_GT(run.red.hits, 0U) << "at alpha 20 % some split is called";
  EXPECT_GE(alarms, run.red.hits);
  EXPECT_DOUBLE_EQ(run.red.limit, 0.2);
  EXPECT_FALSE(run.red.exceeds());
}

std::size_t hits_of(const SelftestRun& run, Peer rule) {
  for (const PeerRate& rate : run.peers)
    if (rate.rule == rule) return rate.red.hits;
  ADD_FAILURE() << name_of(rule);
  return 0;
}

// Samples of a process agree, processes differ: a test of all samples takes that for a change.
TEST(HalvesOfARun, AreJudgedByTheRulesOfOtherToolsToo) {
  Record record = one_run(12);
  double factor = 1;
  for (CaseRecord& one : record.cases)
    for (ProcessSamples& process : one.series.front().processes) {
      factor = factor > 1.02 ? 1 : factor + 0.003;
      for (Placement& placement : process.placements) placement.samples.assign(20, 0);
      for (Placement& placement : process.placements)
        for (std::size_t i = 0; i < placement.samples.size(); ++i)
          placement.samples[i] = factor * (20 + 0.001 * static_cast<double>(i % 5));
    }
  SelftestOptions options;
  options.splits = 300;
  const SelftestRun run = halves_of({record}, options);
  EXPECT_EQ(run.peers.size(), 9U) << "NVBench's robust comparison needs clocks";
  for (CaseRecord& one : record.cases)
    for (ProcessSamples& process : one.series.front().processes)
      for (Placement& placement : process.placements) placement.clock_ghz = 1.98;
  EXPECT_EQ(halves_of({record}, options).peers.size(), 10U);
  for (const PeerRate& rate : run.peers) {
    EXPECT_EQ(rate.red.trials, 200U) << name_of(rate.rule);
    EXPECT_LE(rate.before, run.processes) << name_of(rate.rule);
    EXPECT_FALSE(rate.red.exceeds()) << "others have no limit here";
  }
  EXPECT_GT(hits_of(run, Peer::welch), 50U);
  EXPECT_GT(hits_of(run, Peer::nvbench_legacy), 100U);
  EXPECT_EQ(hits_of(run, Peer::github_action_benchmark), 0U);
  EXPECT_EQ(run.red.hits, 0U);
}

// A start of a program has one value: a rule that looks at the calls of a process could never be red.
TEST(HalvesOfARun, OfOneValueAProcessAreNotJudgedByRulesOfCalls) {
  Record record = one_run(20);
  for (CaseRecord& one : record.cases)
    for (ProcessSamples& process : one.series.front().processes) {
      process.placements.resize(1);
      process.placements[0].samples.resize(1);
    }
  std::set<Peer> rules;
  for (const PeerRate& rate : halves_of({record}, {}).peers) {
    rules.insert(rate.rule);
    EXPECT_TRUE(rate.rule != Peer::google_benchmark || (rate.before == 9 && rate.after == 9));
  }
  EXPECT_EQ(rules, (std::set{Peer::welch, Peer::tukey_welch, Peer::google_benchmark,
                             Peer::github_action_benchmark, Peer::bencher, Peer::otava}));
}

TEST(HalvesOfARun, OfRatesAreSlowerWhereTheyAreLower) {
  Record record = one_run(10);
  for (CaseRecord& one : record.cases) {
    Series& series = one.series.front();
    for (ProcessSamples& process : series.processes)
      for (Placement& placement : process.placements)
        for (double& sample : placement.samples) sample = process.process == 1 ? 300 : 100;
  }
  const auto of = [&](Direction direction) {
    for (CaseRecord& one : record.cases) one.series.front().direction = direction;
    SelftestOptions options;
    options.splits = 200;
    return hits_of(halves_of({record}, options), Peer::github_action_benchmark);
  };
  // One process takes three times as long. The rule takes the first of each half: it is red where this one is
  // the new side's first. As a rate of 300 it is the old side's.
  const std::size_t times = of(Direction::lower_is_better), rates = of(Direction::higher_is_better);
  EXPECT_GT(times, 5U);
  EXPECT_GT(rates, 5U);
  EXPECT_NE(times, rates);
}

TEST(HalvesOfARun, NeedFiveProcessesASide) {
  const SelftestRun run = halves_of({one_run(9)}, {});
  EXPECT_EQ(run.processes, 0);
  EXPECT_EQ(run.red.trials, 0U);
  EXPECT_EQ(run.needed, 5);
}

}  // namespace
}  // namespace harness
