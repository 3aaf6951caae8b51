// Proof of identity of traced programs: which kernel differs, and which words count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "digests.h"
#include "harness/verdict/check/proof.h"
#include "harness/verdict/judge_pair.h"

namespace harness {
namespace {

using testing::SizeIs;

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

}  // namespace
}  // namespace harness
