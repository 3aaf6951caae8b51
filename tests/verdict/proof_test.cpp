// Proof of identity: what it needs, and which verdicts follow from it.
#include "harness/verdict/check/proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts.h"
#include "harness/verdict/case_rows.h"
#include "harness/verdict/check/settled.h"
#include "harness/verdict/judge_pair.h"
#include "records.h"

namespace harness {
namespace {

using testing::SizeIs;

CaseRecord with_digest(CaseRecord record, const std::string& digest, int process = 1) {
  ProcessResult result;
  result.case_id = record.id;
  result.process = process;
  result.outcome = process == 0 ? Outcome::looked_at : Outcome::measured;
  result.identity = Identity{digest};
  if (digest.empty()) result.identity->gap = told_cause("a library is not known");
  record.processes.push_back(result);
  return record;
}

CaseRecord measured(const std::vector<double>& values, const std::string& digest) {
  return with_digest(case_of("c", {series_at(values)}), digest);
}

CaseRecord looked(const std::string& digest) {
  CaseRecord record = with_digest(case_of("c", {}), digest, 0);
  record.outcome = Outcome::looked_at;
  return record;
}

ProofGapCode gap_of(const CaseRecord& before, const CaseRecord& after) {
  const auto gap = proof_gap(before, after, {});
  return gap ? gap->why.code : throw std::runtime_error("it is proven");
}

TEST(Identity, IsProvenByEqualDigests) {
  EXPECT_FALSE(proof_gap(measured(about(20), "a"), looked("a"), {}));
  EXPECT_EQ(gap_of(measured(about(20), "a"), looked("b")), ProofGapCode::other_launches);
}

TEST(Identity, IsNotToldByDigestsOfOtherRules) {
  const auto gap = proof_gap(measured(about(20), "a"), looked("2.a"), {});
  ASSERT_TRUE(gap);
  EXPECT_THAT(gap->why, fact(ProofGapCode::other_rules, {{"side", "baseline"}}));
  EXPECT_THAT(proof_gap(measured(about(20), "2.a"), looked("a"), {})->why,
              fact(ProofGapCode::other_rules, {{"side", "current"}}));
  EXPECT_FALSE(proof_gap(measured(about(20), "2.a"), looked("2.a"), {}));
}

TEST(Identity, LacksADigestThatNobodyCouldRead) {
  const auto gap = proof_gap(measured(about(20), "a"), looked(""), {});
  ASSERT_TRUE(gap);
  EXPECT_THAT(gap->why, fact(ProofGapCode::unreadable, {{"side", "current"}}));
  EXPECT_EQ(gap->cause, told_cause("a library is not known"));
  EXPECT_EQ(gap_of(case_of("c", {}), looked("a")), ProofGapCode::not_looked);
}

TEST(Identity, TakesAnyProcessThatHasADigestUnlessTheyDisagree) {
  const CaseRecord some = with_digest(measured(about(20), ""), "a", 2);
  EXPECT_FALSE(proof_gap(some, looked("a"), {}));
  EXPECT_EQ(gap_of(with_digest(measured(about(20), "b"), "a", 2), looked("a")), ProofGapCode::disagree);
}

// The look at a traced program, with the kernels of a step.
CaseRecord traced(const std::string& digest, std::vector<KernelUse> kernels,
                  const std::string& id = "train") {
  CaseRecord record = looked(digest);
  record.id = id;
  record.program = Program{"train", {}, "", {}, trace_format};
  record.processes.front().kernels = std::move(kernels);
  return record;
}

KernelUse used(const std::string& name, const std::string& code = "c", const std::string& arguments = "a") {
  KernelUse use;
  use.name = name;
  use.grid = {8, 1, 1};
  use.launches = 2;
  use.code = code;
  use.arguments = arguments;
  return use;
}

Figures change(LaunchChange how, const std::string& kernel, int kernels = 1) {
  return {{"change", std::string(name_of(how))}, {"kernel", kernel}, {"kernels", kernels}};
}

TEST(Identity, OfATracedProgramTellsWhichKernelDiffers) {
  const std::vector<KernelUse> before{used("gemm"), used("norm")};
  const auto figures = [&](std::vector<KernelUse> after) {
    return proof_gap(traced("x", before), traced("y", std::move(after)), {})->why.figures;
  };
  EXPECT_EQ(figures({used("gemm"), used("norm", "other")}), change(LaunchChange::code, "norm"));
  EXPECT_EQ(figures({used("gemm", "c", "b"), used("norm")}), change(LaunchChange::arguments, "gemm"));
  KernelUse wider = used("gemm"), often = used("gemm");
  wider.grid = {9, 1, 1};
  often.launches = 3;
  EXPECT_EQ(figures({wider, used("norm")}), change(LaunchChange::shape, "gemm"));
  EXPECT_EQ(figures({often, used("norm", "other")}), change(LaunchChange::count, "gemm", 2));
  EXPECT_EQ(figures({used("gemm"), used("norm"), used("new")}), change(LaunchChange::added, "new"));
  EXPECT_EQ(figures({used("norm")}), change(LaunchChange::removed, "gemm"));
  EXPECT_EQ(figures(before), (Figures{{"change", "order"}}));
  EXPECT_FALSE(proof_gap(traced("x", before), traced("x", before), {}));
}

// A start of a traced program for each text of words; `frame` is the rest of what its steps did.
CaseRecord started(const std::vector<std::string>& words, const std::string& id = "train",
                   const std::string& frame = "f") {
  CaseRecord record = traced("", {}, id);
  record.processes.clear();
  for (const std::string& one : words) {
    ProcessResult& start = record.processes.emplace_back();
    start.process = static_cast<int>(record.processes.size());
    start.identity = Identity{"digest of " + one, {}, frame};
    start.kernels = {used("gemm"), used("norm", "c", "arguments " + one)};
    start.kernels.back().words = one;
  }
  return record;
}

std::optional<ProofGap> gap_of_words(const std::vector<CaseRecord>& before,
                                     const std::vector<CaseRecord>& after) {
  const Record baseline = record_of(before), current = record_of(after);
  const ComparedRecords records(baseline, current, Policy{}, false);
  return proof_of(&baseline.cases.back(), current.cases.back(), records).gap;
}

TEST(Identity, OfATracedProgramLeavesOutWordsThatDifferBetweenStarts) {
  const CaseRecord before = started({"00000001aaaaaaaa", "00000001bbbbbbbb"});
  EXPECT_FALSE(gap_of_words({before}, {started({"00000001cccccccc"})}));
  EXPECT_FALSE(gap_of_words({before}, {started({"00000002cccccccc", "00000001cccccccc"})}))
      << "one start has it";
  const auto changed = gap_of_words({before}, {started({"00000003cccccccc", "00000002cccccccc"})});
  ASSERT_TRUE(changed);
  EXPECT_THAT(changed->why, fact(ProofGapCode::other_launches, change(LaunchChange::arguments, "norm")));
  EXPECT_TRUE(gap_of_words({before}, {started({"00000001cccccccc"}, "train", "other")}));
  EXPECT_TRUE(gap_of_words({before}, {started({"00000001"})})) << "fewer words";
  EXPECT_TRUE(gap_of_words({before}, {started({""})})) << "no words";
  EXPECT_TRUE(gap_of_words({started({"00000001aaaaaaaa"})}, {started({"00000001bbbbbbbb"})}))
      << "nothing tells which words count";
  CaseRecord other_code = started({"00000001cccccccc"}, "train", "other");
  other_code.processes.front().kernels.front().code = "new";
  const auto recompiled = gap_of_words({before}, {other_code});
  ASSERT_TRUE(recompiled);
  EXPECT_THAT(recompiled->why, fact(ProofGapCode::other_launches, change(LaunchChange::code, "gemm")));
}

TEST(Identity, OfATracedKernelIsThatOfItsProgram) {
  const CaseRecord before = started({"00000001aaaaaaaa", "00000001bbbbbbbb"}),
                   after = started({"00000001cccccccc"});
  const CaseRecord kernel = started({"00000001aaaaaaaa", "00000001bbbbbbbb"}, "train/norm");
  EXPECT_FALSE(gap_of_words({before, kernel}, {after, started({"00000001cccccccc"}, "train/norm")}));
  EXPECT_TRUE(gap_of_words({before, kernel},
                           {started({"00000003cccccccc"}), started({"00000001cccccccc"}, "train/norm")}));
  EXPECT_TRUE(gap_of_words({kernel}, {started({"00000001cccccccc"}, "train/norm")}))
      << "its program is not there";
}

TEST(Identity, OfATracedKernelNeedsTheWholeStep) {
  const auto figures = [](const KernelUse& after) {
    return proof_gap(traced("x", {used("gemm")}, "train/gemm"), traced("y", {after}, "train/gemm"), {})
        ->why.figures;
  };
  EXPECT_EQ(figures(used("gemm")), (Figures{{"change", "elsewhere"}}));
  EXPECT_EQ(figures(used("gemm", "new")), change(LaunchChange::code, "gemm"));
}

TEST(Proven, ATracedProgramAndItsKernelsSayWhatIsNotCovered) {
  CaseRecord before = traced("x", {used("gemm")}), kernel = traced("x", {used("gemm")}, "train/gemm");
  before.series = {series_at(about(20), "kernel_time"), series_at(about(3), "gaps")};
  kernel.series = {series_at(about(20), "kernel_time")};
  before.outcome = kernel.outcome = Outcome::measured;
  const Record current = record_of({traced("x", {used("gemm")}), traced("x", {used("gemm")}, "train/gemm")});
  const Comparison comparison = compare(record_of({before, kernel}), current, {});
  ASSERT_THAT(comparison.rows, SizeIs(2));
  for (const ComparisonRow& row : comparison.rows) EXPECT_EQ(row.verdict, Verdict::identical);
  EXPECT_THAT(comparison.remarks,
              testing::ElementsAre(fact(RemarkCode::not_covered, {{"metrics", "gaps"}}),
                                   fact(RemarkCode::traced_proof, {{"programs", "train"}})));
  EXPECT_EQ(exit_code(comparison), 0);
}

TEST(Identity, NeedsTheSameInputsAndMachine) {
  CaseRecord other = looked("a");
  other.sampling.seed = 7;
  EXPECT_EQ(gap_of(looked("a"), other), ProofGapCode::other_seed);
  other = looked("a");
  other.params.set("n", sdk::Value{std::int64_t{64}});
  EXPECT_EQ(gap_of(looked("a"), other), ProofGapCode::other_parameters);
  EXPECT_THAT(proof_gap(looked("a"), other, {})->differences, SizeIs(1));
  other = looked("a");
  other.variant = "b";
  EXPECT_EQ(gap_of(looked("a"), other), ProofGapCode::other_workload);
  EXPECT_EQ(proof_gap(looked("a"), looked("a"), {{"driver", "1", "2"}})->why.code,
            ProofGapCode::other_machine);
}

TEST(Identity, CoversWhatTheDeviceDoes) {
  EXPECT_TRUE(proof_covers("gpu_time", "cuda"));
  EXPECT_TRUE(proof_covers("wall_time", "cpu"));
  EXPECT_FALSE(proof_covers("wall_time", "cuda"));
  EXPECT_TRUE(proof_covers("dram__bytes_read.sum", "cuda"));
  EXPECT_TRUE(proof_covers("error", "cuda"));
  EXPECT_FALSE(proof_covers("launch_time", "cuda"));
  EXPECT_TRUE(proof_covers("peak_memory", "cuda")) << "the digest holds it";
  EXPECT_FALSE(proof_covers("setup_time", "cuda"));
}

TEST(Identity, DependsOnDriverAndLibrariesButNotOnTheClockLock) {
  EXPECT_TRUE(bears_on_proof({"cublas", "13", FieldClass::warn}, "cuda"));
  EXPECT_TRUE(bears_on_proof({"device", "H200", FieldClass::block}, "cuda"));
  EXPECT_FALSE(bears_on_proof({"clock_lock", "1485 MHz", FieldClass::block}, "cuda"));
  EXPECT_FALSE(bears_on_proof({"kernel", "6.1", FieldClass::warn}, "cuda"));
  EXPECT_TRUE(bears_on_proof({"kernel", "6.1", FieldClass::warn}, "cpu"));
}

TEST(Identity, AWarningFieldOfTheDriverForbidsTheProof) {
  Record before = record_of({measured(about(20), "a")}), after = record_of({looked("a")});
  EXPECT_EQ(only_row(compare(before, after, {})).verdict, Verdict::identical);
  after.machines["cuda"].fields[1].value = "580.2";
  const Comparison comparison = compare(before, after, {});
  EXPECT_EQ(only_row(comparison).verdict, Verdict::missing);
  EXPECT_EQ(only_row(comparison).unproven->why.code, ProofGapCode::other_machine);
}

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

// A gate of its own for the metric.
CaseRecord gated(CaseRecord record, const std::string& metric, bool informative = false) {
  record.gate.metrics.push_back({metric, 0.05, {}, informative});
  return record;
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

// A look that tells a loss.
CaseRecord telling(CaseRecord record, double value) {
  record.series.push_back({"loss", "nats", Direction::lower_is_better, {process_at(0, value)}});
  return record;
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
    return gated_beyond_proof({"c"}, record_of({before}), record_of({after}), plan).contains("c");
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

// The side of a case that nobody ran, because a record of its build stands for it.
CaseRecord taken_over(const std::string& digest) {
  CaseRecord record = looked(digest);
  record.processes.front().identity->same_build = "r0";
  return record;
}

// Two records of one build.
class ByBuild : public testing::Test {
 protected:
  ByBuild() { before_.finished = "2026-11-27T08:00:00Z"; }

  ComparisonRow row() {
    before_.build = before_build_;
    after_.build = after_build_;
    return only_row(compare(before_, after_, {}));
  }
  [[nodiscard]] CaseRecord& before() { return before_.cases.front(); }
  [[nodiscard]] CaseRecord& after() { return after_.cases.front(); }
  // Whether the row lacks a proof of either kind, and fails.
  bool is_unproven() {
    const ComparisonRow found = row();
    return !found.proven && !found.by_build && found.verdict == Verdict::missing;
  }

  BuildParts before_build_{{"environment", "image 1"}, {"program", "p1"}}, after_build_ = before_build_;
  Record before_ = record_of({measured(about(20), "")}), after_ = record_of({taken_over("")});
};

TEST_F(ByBuild, ACaseIsProvenThoughItsLaunchesCannotBeRead) {
  const ComparisonRow found = row();
  EXPECT_EQ(found.verdict, Verdict::identical);
  EXPECT_TRUE(found.proven && found.by_build);
  EXPECT_EQ(found.reason.code, ReasonCode::same_build);
  EXPECT_EQ(found.unproven->why.code, ProofGapCode::unreadable);
  const Proofs proofs = proofs_of(before_, after_);
  EXPECT_THAT(proofs.proven, testing::ElementsAre("c"));
  EXPECT_THAT(proofs.by_build, testing::ElementsAre("c"));
  EXPECT_THAT(proofs.gaps, testing::IsEmpty());
}

TEST_F(ByBuild, ALookThatWasTakenOverProvesToo) {
  before() = taken_over("");
  EXPECT_EQ(row().verdict, Verdict::identical);
}

TEST_F(ByBuild, EqualLaunchesAreTheBetterProof) {
  before() = measured(about(20), "a");
  after() = taken_over("a");
  EXPECT_EQ(row().reason.code, ReasonCode::proven);
  EXPECT_FALSE(row().by_build);
  EXPECT_THAT(proofs_of(before_, after_).by_build, testing::IsEmpty());
}

TEST_F(ByBuild, NeedsOneBuildThatIsKnown) {
  after_build_["environment"] = "image 2";
  EXPECT_TRUE(is_unproven());
  after_build_.clear();
  EXPECT_TRUE(is_unproven());
  before_build_.clear();
  EXPECT_TRUE(is_unproven()) << "both are unknown";
}

TEST_F(ByBuild, ThePoolTellsTheBuildOfEachCase) {
  before().build = BuildParts{{"environment", "image 0"}};
  EXPECT_TRUE(is_unproven()) << "the case comes from another record than the header";
  before().build = after_build_;
  before_build_.clear();
  EXPECT_EQ(row().verdict, Verdict::identical);
}

TEST_F(ByBuild, KnownLaunchesThatDifferAreNotHidden) {
  before() = measured(about(20), "a");
  after() = taken_over("b");
  EXPECT_TRUE(is_unproven());
  EXPECT_EQ(row().unproven->why.code, ProofGapCode::other_launches);
}

TEST_F(ByBuild, ProcessesThatDifferAreToldBesideTheProof) {
  before() = with_digest(measured(about(20), "a"), "b", 2);
  EXPECT_EQ(row().verdict, Verdict::identical);
  EXPECT_EQ(row().unproven->why.code, ProofGapCode::disagree);
}

TEST_F(ByBuild, ALookThatSomebodyTookProvesNothing) {
  after() = looked("");
  EXPECT_TRUE(is_unproven());
}

TEST_F(ByBuild, SamplesDecideWhereBothSidesWereMeasured) {
  after() = measured(about(30), "");
  after().processes.front().identity->same_build = "r0";
  EXPECT_EQ(row().verdict, Verdict::regressed);
}

TEST_F(ByBuild, NeedsARightAndFinishedBaseline) {
  before_.finished.clear();
  EXPECT_TRUE(is_unproven());
  before_.finished = "2026-11-27T08:00:00Z";
  before().outcome = Outcome::incorrect;
  EXPECT_TRUE(is_unproven());
  EXPECT_FALSE(proven_by_build({{ProofGapCode::unreadable}}, before_, before(), after_, after()));
}

TEST_F(ByBuild, NeedsTheSameMachineInTheSameState) {
  after_.machines["cuda"].ceilings["copy_bytes_per_s"] = 4e12;  // measured anew in each run
  EXPECT_EQ(row().verdict, Verdict::identical);
  after_.machines["cuda"].fields.back().value = "docker";  // it only informs
  EXPECT_TRUE(is_unproven());
  after_.machines["cuda"] = before_.machines["cuda"];
  after_.machines["cuda"].device_uuid = "GPU-2";
  EXPECT_TRUE(is_unproven());
}

TEST_F(ByBuild, NeedsTheSameParametersAndSampling) {
  const CaseRecord same = after();
  after().sampling.processes = 7;  // each does the same
  EXPECT_EQ(row().verdict, Verdict::identical);
  after().sampling.seed = 7;
  EXPECT_TRUE(is_unproven());
  after() = same;
  after().sampling.warmup += 1;
  EXPECT_TRUE(is_unproven());
  after() = same;
  after().params.set("n", sdk::Value{std::int64_t{64}});
  EXPECT_TRUE(is_unproven());
  after() = same;
  after().gpus = 2;
  EXPECT_TRUE(is_unproven());
}

TEST_F(ByBuild, AProgramIsNotProven) {
  before().program = after().program = Program{};
  EXPECT_TRUE(is_unproven());
}

TEST_F(ByBuild, ATimedMetricWithAGateOfItsOwnNeedsSamples) {
  before() = gated(before(), "launch_time");
  before().series.push_back(series_at(about(3), "launch_time"));
  before_.build = after_.build = before_build_;
  const Comparison comparison = compare(before_, after_, {});
  ASSERT_THAT(comparison.rows, SizeIs(2));
  EXPECT_EQ(comparison.rows[0].verdict, Verdict::missing);
  EXPECT_FALSE(comparison.rows[0].unproven.has_value()) << "the case is proven";
  EXPECT_EQ(comparison.rows[1].verdict, Verdict::identical);
}

TEST_F(ByBuild, AMetricThatTheRecordToldIsIdentical) {
  before() = gated(before(), "loss");
  before().series.push_back(series_at({0.5, 0.6, 0.4, 0.5, 0.5}, "loss", "nats"));
  before_.build = after_.build = before_build_;
  for (const double loss : {0.5, 0.7}) {
    after_.cases = {telling(taken_over(""), loss)};
    const Comparison comparison = compare(before_, after_, {});
    ASSERT_THAT(comparison.rows, SizeIs(2));
    EXPECT_EQ(exit_code(comparison) == 0, loss == 0.5);
    EXPECT_EQ(comparison.rows[1].by_build, true);
  }
}

}  // namespace
}  // namespace harness
