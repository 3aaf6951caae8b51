// Verdicts that follow from a proof of identity, beside samples and without them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "digests.h"
#include "harness/verdict/case_rows.h"
#include "harness/verdict/check/proof.h"
#include "harness/verdict/judge_pair.h"

namespace harness {
namespace {

using testing::SizeIs;

TEST(Proven, ACaseThatWasOnlyLookedAtPasses) {
  const Comparison comparison = compare(record_of({measured(about(20), "a")}), record_of({looked("a")}), {});
  const ComparisonRow& row = only_row(comparison);
  EXPECT_EQ(row.verdict, Verdict::identical);
  EXPECT_TRUE(row.proven);
  EXPECT_EQ(row.reason.code, ReasonCode::proven);
  EXPECT_EQ(row.metric, "gpu_time");
  EXPECT_EQ(row.baseline.processes, 5);
  EXPECT_EQ(row.current.processes, 0);
  EXPECT_EQ(exit_code(comparison), 0);
}

TEST(Proven, TwoLooksPassWithoutAnySample) {
  const Comparison comparison = compare(record_of({looked("a")}), record_of({looked("a")}), {});
  EXPECT_EQ(only_row(comparison).verdict, Verdict::identical);
  EXPECT_EQ(exit_code(comparison), 0);
}

TEST(Proven, ALookWithoutAProofIsMissing) {
  const Comparison comparison = compare(record_of({measured(about(20), "a")}), record_of({looked("b")}), {});
  EXPECT_EQ(only_row(comparison).verdict, Verdict::missing);
  EXPECT_EQ(only_row(comparison).reason.code, ReasonCode::unproven);
  EXPECT_EQ(exit_code(comparison), 4);
  EXPECT_EQ(exit_code(compare(record_of({looked("b")}), record_of({measured(about(20), "a")}), {})), 4);
}

TEST(Proven, MetricsThatNoProofCoversAreTold) {
  CaseRecord before = measured(about(20), "a");
  before.series.push_back(series_at(about(3), "launch_time"));
  const Comparison comparison = compare(record_of({before}), record_of({looked("a")}), {});
  EXPECT_EQ(only_row(comparison).metric, "gpu_time");
  EXPECT_THAT(comparison.remarks,
              testing::ElementsAre(fact(RemarkCode::not_covered, {{"metrics", "launch_time"}})));
}

TEST(Proven, AMetricWithAGateOfItsOwnNeedsSamplesOfBothSides) {
  CaseRecord before = measured(about(20), "a");
  before.series.push_back(series_at(about(3), "launch_time"));
  for (const bool in_baseline : {true, false}) {
    CaseRecord after = looked("a"), old = before;
    (in_baseline ? old : after) = gated(in_baseline ? old : after, "launch_time");
    const Comparison comparison = compare(record_of({old}), record_of({after}), {});
    ASSERT_THAT(comparison.rows, SizeIs(2));
    EXPECT_EQ(comparison.rows[0].metric, "launch_time") << "the worst first";
    EXPECT_EQ(comparison.rows[0].verdict, Verdict::missing);
    EXPECT_THAT(comparison.rows[0].reason, fact(ReasonCode::no_samples, {{"side", "current"}}));
    EXPECT_EQ(comparison.rows[1].verdict, Verdict::identical);
    EXPECT_EQ(exit_code(comparison), 4);
  }
  const CaseRecord shown = gated(looked("a"), "launch_time", true);
  EXPECT_EQ(exit_code(compare(record_of({before}), record_of({shown}), {})), 0);
}

TEST(Proven, AMeasuredMetricThatNoProofCoversIsJudged) {
  CaseRecord before = measured(about(20), "a"), after = before;
  before.series.push_back(series_at(about(3), "launch_time"));
  after.series.push_back(series_at(about(4), "launch_time"));
  const Comparison comparison = compare(record_of({before}), record_of({after}), {});
  EXPECT_EQ(comparison.rows[0].verdict, Verdict::regressed);
  EXPECT_EQ(comparison.rows[0].metric, "launch_time");
  EXPECT_EQ(comparison.rows[1].verdict, Verdict::identical);
}

TEST(Proven, AMetricThatALookTellsAsTheFirstProcessDidIsIdentical) {
  CaseRecord before = gated(measured(about(20), "a"), "loss");
  before.series.push_back(series_at({0.5, 0.6, 0.4, 0.5, 0.5}, "loss", "nats"));
  const Comparison same = compare(record_of({before}), record_of({telling(looked("a"), 0.5)}), {});
  ASSERT_THAT(same.rows, SizeIs(2));
  for (const ComparisonRow& row : same.rows) EXPECT_EQ(row.verdict, Verdict::identical) << row.metric;
  EXPECT_EQ(exit_code(same), 0);
  EXPECT_THAT(same.remarks, testing::IsEmpty());
  // A look leaves the way of timing open.
  CaseRecord timed = before;
  timed.sampling.timing = TimingMode::events;
  EXPECT_EQ(exit_code(compare(record_of({timed}), record_of({telling(looked("a"), 0.5)}), {})), 0);
  // Another value is one process, which decides nothing.
  EXPECT_NE(exit_code(compare(record_of({before}), record_of({telling(looked("a"), 0.6)}), {})), 0);
  // Without a proof the value says nothing.
  EXPECT_EQ(exit_code(compare(record_of({before}), record_of({telling(looked("b"), 0.5)}), {})), 4);
}

TEST(Proven, AMetricIsToldAlikeWhereAProcessOfBothHasTheSameValues) {
  const Series five = series_at({0.5, 0.6, 0.4, 0.5, 0.5}, "loss");
  const auto one = [](int process, double value) {
    return Series{"loss", "us", Direction::lower_is_better, {process_at(process, value)}};
  };
  EXPECT_TRUE(told_alike(five, one(0, 0.5))) << "a look has the inputs of the first process";
  EXPECT_TRUE(told_alike(one(0, 0.5), one(0, 0.5)));
  EXPECT_TRUE(told_alike(five, five));
  EXPECT_FALSE(told_alike(five, one(0, 0.5000001)));
  EXPECT_FALSE(told_alike(five, one(6, 0.5))) << "no process is on both sides";
  EXPECT_FALSE(told_alike(five, Series{"loss", "us", Direction::lower_is_better, {}}));
  Series turned = one(0, 0.5);
  turned.direction = Direction::higher_is_better;
  EXPECT_FALSE(told_alike(five, turned));
  turned = one(0, 0.5);
  turned.unit = "nats";
  EXPECT_FALSE(told_alike(five, turned));
}

TEST(GatedBeyondProof, AreCasesWhoseOwnGateNoProofCovers) {
  const auto needs = [](const CaseRecord& before, const CaseRecord& after,
                        const std::vector<std::string>& metrics) {
    PlannedCase planned;
    planned.id = after.id;
    planned.device = after.device;
    planned.gate = after.gate;
    planned.metrics = metrics;
    Plan plan;
    plan.cases.push_back(planned);
    const Proofs proofs{.proven = {"c"}};
    return gated_beyond_proof(proofs, record_of({before}), record_of({after}), plan).contains("c");
  };
  const CaseRecord plain = looked("a");
  EXPECT_TRUE(needs(plain, gated(plain, "setup_time"), {"time", "setup_time"}));
  EXPECT_TRUE(needs(gated(plain, "setup_time"), plain, {"setup_time"})) << "the baseline's gate decides";
  EXPECT_TRUE(needs(gated(plain, "setup_time"), gated(plain, "setup_time", true), {"setup_time"}));
  EXPECT_FALSE(needs(plain, plain, {"setup_time"})) << "the case's gate alone";
  EXPECT_FALSE(needs(plain, gated(plain, "setup_time", true), {"setup_time"}));
  EXPECT_FALSE(needs(plain, gated(plain, "setup_time"), {"time"})) << "it is not measured";
  EXPECT_FALSE(needs(plain, gated(plain, "time"), {"time"}));
  EXPECT_FALSE(needs(plain, gated(plain, "buffer_memory"), {"buffer_memory"}));
  CaseRecord measured_before = measured(about(20), "a");
  measured_before.series.push_back(series_at(about(3), "launch_time"));
  EXPECT_TRUE(needs(gated(measured_before, "launch_time"), plain, {"time"})) << "the change leaves it out";
  CaseRecord trained = measured(about(20), "a");
  trained.series.push_back(series_at({0.5, 0.6, 0.4, 0.5, 0.5}, "loss", "nats"));
  EXPECT_FALSE(needs(gated(trained, "loss"), telling(plain, 0.5), {"loss"})) << "the look tells it";
  EXPECT_TRUE(needs(gated(trained, "loss"), telling(plain, 0.6), {"loss"}));
}

TEST(Proven, IdenticalCodeThatMovedIsAnEnvironmentFinding) {
  const Record before = record_of({measured(about(20), "a")});
  const Comparison slower = compare(before, record_of({measured(about(21), "a")}), {});
  EXPECT_EQ(only_row(slower).verdict, Verdict::environment);
  EXPECT_EQ(only_row(slower).reason.code, ReasonCode::proven_moved);
  EXPECT_EQ(slower.verdict, Verdict::environment);
  EXPECT_EQ(exit_code(slower), 0);
  EXPECT_EQ(only_row(compare(before, record_of({measured(about(19), "a")}), {})).verdict,
            Verdict::environment);
  EXPECT_EQ(only_row(compare(before, record_of({measured(about(21), "b")}), {})).verdict, Verdict::regressed);
}

TEST(Proven, TheCauseIsTheClockWhereThatMoved) {
  const auto at_clock = [](double us, double ghz) {
    CaseRecord record = measured(about(us), "a");
    for (ProcessSamples& process : record.series.front().processes)
      for (Placement& placement : process.placements) placement.clock_ghz = ghz;
    return record_of({record});
  };
  const Comparison comparison = compare(at_clock(20, 1.98), at_clock(22, 1.8), {});
  EXPECT_THAT(only_row(comparison).reason, fact(ReasonCode::proven_moved, {{"cause", "clock_shift"}}));
}

TEST(Proven, UndecidedAndUnchangedAreIdentical) {
  const std::vector<double> noisy{18, 22, 19, 21, 20};
  const Record before = record_of({measured(noisy, "a")});
  const Comparison comparison = compare(before, record_of({measured(noisy, "a")}), {});
  EXPECT_EQ(only_row(comparison).verdict, Verdict::identical);
  EXPECT_FALSE(only_row(comparison).processes_needed);
  EXPECT_GT(only_row(comparison).ratio, 0);
}

TEST(Proven, TimesOfAnotherGpuAreShownAndNotJudged) {
  const Record before = record_of({measured(about(20), "a")});
  Record after = record_of({measured(about(21), "a")});
  after.machines["cuda"].device_uuid = "GPU-2";
  for (const bool allowed : {false, true}) {
    Policy policy;
    policy.allow_other_device = allowed;
    const Comparison comparison = compare(before, after, policy);
    EXPECT_EQ(only_row(comparison).verdict, Verdict::identical);
    EXPECT_NEAR(only_row(comparison).ratio, 1.05, 0.001);
    EXPECT_FALSE(only_row(comparison).p);
    EXPECT_EQ(only_row(comparison).diagnostics.front().code, DiagnosticCode::other_gpu);
  }
}

TEST(Proven, RowsAreNoTestsOfHolmsFamily) {
  std::vector<CaseRecord> before, after;
  for (int i = 0; i < 50; ++i) {
    CaseRecord one = measured(about(20), i == 0 ? "old" : "a");
    one.id = "c" + std::to_string(i);
    before.push_back(one);
    one = measured(about(i == 0 ? 20.28 : 20), "a");
    one.id = "c" + std::to_string(i);
    after.push_back(one);
  }
  const Comparison comparison = compare(record_of(before), record_of(after), {});
  EXPECT_EQ(comparison.rows.front().case_id, "c0");
  EXPECT_EQ(comparison.rows.front().p, comparison.rows.front().p_adjusted);
}

TEST(Proven, AWrongResultFailsAllTheSame) {
  CaseRecord wrong = looked("a");
  wrong.outcome = Outcome::incorrect;
  const Comparison comparison = compare(record_of({measured(about(20), "a")}), record_of({wrong}), {});
  EXPECT_EQ(exit_code(comparison), 5);
}

}  // namespace
}  // namespace harness
