// Proof of identity: what it needs, and what it covers.
#include "harness/verdict/check/proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "digests.h"
#include "harness/model/proof_reach.h"
#include "harness/verdict/judge_pair.h"

namespace harness {
namespace {

using testing::SizeIs;

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
  EXPECT_TRUE(proof_covers("energy", "cuda"));
  EXPECT_TRUE(proof_covers("sustained_time", "cuda"));
  EXPECT_FALSE(proof_covers("setup_time", "cuda"));
}

TEST(Identity, OfAProgramCoversItsKernelsWhereverItRuns) {
  PlannedCase planned;
  planned.device = "cpu";  // as a suite that names none has it
  planned.program.emplace();
  planned.metrics = {"kernel_time", "busy_time", "span", "wall_time"};
  for (const std::string& metric : planned.metrics) planned.gate.metrics.push_back({metric, 0.01, {}, false});
  EXPECT_THAT(gated_beyond_reach(planned), testing::ElementsAre("span", "wall_time"));
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

}  // namespace
}  // namespace harness
