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
  record.processes.front().identity->inputs = Inputs{};
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
    if (start.process == 1) start.identity->inputs = Inputs{};
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

TEST(Identity, OfATracedProgramCoversWordsOfLaunchesBesideItsSteps) {
  const auto with_setup = [](CaseRecord record, const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < record.processes.size(); ++i) {
      KernelUse use = used("init", "c", "arguments " + words[i]);
      use.words = words[i];
      record.processes[i].identity->setup = {use};
    }
    return record;
  };
  const std::string same = "00000001";
  const CaseRecord before = with_setup(started({same, same}), {"00000007aaaaaaaa", "00000007bbbbbbbb"});
  EXPECT_FALSE(gap_of_words({before}, {with_setup(started({same}), {"00000007cccccccc"})}));
  const auto changed = gap_of_words({before}, {with_setup(started({same}), {"00000008aaaaaaaa"})});
  ASSERT_TRUE(changed);
  EXPECT_THAT(changed->why, fact(ProofGapCode::other_launches, change(LaunchChange::arguments, "init")));
  EXPECT_TRUE(gap_of_words({before}, {started({same}, "train", "other")})) << "it is gone";
}

TEST(Identity, OfATracedProgramTellsThatOnlyItsSetUpDiffers) {
  CaseRecord before = traced("x", {used("gemm")}), after = traced("y", {used("gemm")});
  before.processes.front().identity->setup = {used("init")};
  after.processes.front().identity->setup = {used("init", "c", "b")};
  EXPECT_EQ(proof_gap(before, after, {})->why.figures, change(LaunchChange::setup, "init"));
}

// The same launches on other bytes may do more.
class HostBytes : public testing::Test {
 protected:
  static CaseRecord with(std::vector<InputGroup> groups) {
    CaseRecord record = traced("x", {used("gemm")});
    record.processes.front().identity->inputs = Inputs{std::move(groups)};
    return record;
  }
  static ProofGapCode gap_between(const CaseRecord& before, const CaseRecord& after) {
    const auto gap = proof_gap(before, after, {});
    return gap ? gap->why.code : throw std::runtime_error("it is proven");
  }
  const std::vector<InputGroup> groups_{{64, 1, "a"}, {4096, 2, "b"}};
};

TEST_F(HostBytes, HaveToBeTheSame) {
  EXPECT_FALSE(proof_gap(with(groups_), with(groups_), {}));
  const auto other = proof_gap(with(groups_), with({{64, 1, "a"}, {4096, 2, "c"}}), {});
  ASSERT_TRUE(other);
  EXPECT_THAT(other->why, fact(ProofGapCode::other_inputs, {{"bytes", 8192}}));
  EXPECT_EQ(gap_between(with(groups_), with({{64, 1, "a"}})), ProofGapCode::other_inputs) << "one copy less";
  EXPECT_EQ(gap_between(with({}), with(groups_)), ProofGapCode::other_inputs);
}

TEST_F(HostBytes, OfOneSideHaveToAgree) {
  CaseRecord before = with(groups_);
  before.processes.push_back(before.processes.front());
  before.processes.back().process = 2;
  EXPECT_FALSE(proof_gap(before, with(groups_), {}));
  before.processes.back().identity->inputs = Inputs{{{64, 1, "other"}}};
  EXPECT_EQ(gap_between(before, with(groups_)), ProofGapCode::other_inputs) << "they are not seeded";
}

TEST_F(HostBytes, ThatNobodyReadProveNothing) {
  CaseRecord unread = with(groups_), gap = with(groups_);
  unread.processes.front().identity->inputs = {};
  gap.processes.front().identity->inputs = Inputs{{}, Cause{CauseCode::inputs_shared, {{"bytes", 64}}}};
  EXPECT_EQ(gap_between(unread, with(groups_)), ProofGapCode::inputs_unread);
  EXPECT_EQ(gap_between(with(groups_), unread), ProofGapCode::inputs_unread);
  const auto shared = proof_gap(with(groups_), gap, {});
  ASSERT_TRUE(shared);
  EXPECT_THAT(shared->why, fact(ProofGapCode::inputs_unread, {{"side", "current"}}));
  EXPECT_EQ(shared->cause->code, CauseCode::inputs_shared);
}

TEST_F(HostBytes, AreTrustedWhereTheBaselineSaysSo) {
  CaseRecord before = with(groups_), after = with({});
  after.program->inputs = trusted_inputs;
  EXPECT_EQ(gap_between(before, after), ProofGapCode::other_inputs) << "the change asks for it";
  before.program->inputs = trusted_inputs;
  EXPECT_FALSE(proof_gap(before, after, {}));
  EXPECT_EQ(gap_between(before, traced("y", {used("gemm")})), ProofGapCode::other_launches);
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
