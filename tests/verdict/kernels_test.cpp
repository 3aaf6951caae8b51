// Device kernels that changed inside a case.
#include "harness/verdict/read/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using Kind = KernelChange::Kind;

KernelUse kernel(std::string name, double us, std::string code = "c0de") {
  return {std::move(name), {132, 1, 1}, {256, 1, 1}, 64, 0, std::int64_t{48} * 1024, 1, us, std::move(code)};
}

CaseRecord case_with(std::vector<std::vector<KernelUse>> processes) {
  CaseRecord record = case_of("c", {});
  int number = 1;
  for (std::vector<KernelUse>& kernels : processes) {
    ProcessResult result;
    result.process = number++;
    result.kernels = std::move(kernels);
    record.processes.push_back(std::move(result));
  }
  return record;
}

KernelComparison changes(std::vector<KernelUse> before, std::vector<KernelUse> after) {
  return compare_kernels(case_with({std::move(before)}), case_with({std::move(after)}), 0.01);
}

TEST(Kernels, WithoutAChangeAreSilentAndOfTheSameCode) {
  const KernelComparison same =
      changes({kernel("a", 10), kernel("b", 5)}, {kernel("a", 10.05), kernel("b", 5)});
  EXPECT_THAT(same.changes, IsEmpty());
  EXPECT_TRUE(same.same_code);
  EXPECT_FALSE(changes({kernel("a", 10, "")}, {kernel("a", 10, "")}).same_code)
      << "unknown code is not the same";
  EXPECT_FALSE(changes({}, {}).same_code);
}

TEST(Kernels, DifferInTheirLaunchesByAllButCodeTimeAndOrder) {
  const std::vector<KernelUse> both{kernel("a", 10), kernel("b", 5)};
  EXPECT_EQ(differing_launch(both, {kernel("b", 6, "0ther"), kernel("a", 1, "")}), "");
  EXPECT_EQ(differing_launch(both, {kernel("a", 10)}), "b");
  EXPECT_EQ(differing_launch({kernel("a", 10)}, both), "b");
  EXPECT_EQ(differing_launch({kernel("a", 10)}, {kernel("a", 10), kernel("a", 10)}), "a");
  std::vector<KernelUse> others(4, kernel("a", 10));
  others[0].grid[1] = 2;
  others[1].block[0] = 128;
  others[2].dynamic_shared_bytes = 0;
  others[3].launches = 2;
  for (const KernelUse& other : others) EXPECT_EQ(differing_launch({kernel("a", 10)}, {other}), "a");
}

TEST(Kernels, ThatMovedSayByHowMuchOfTheChange) {
  const KernelComparison moved =
      changes({kernel("a", 10), kernel("b", 5)}, {kernel("a", 10.5), kernel("b", 7)});
  ASSERT_EQ(moved.changes.size(), 2u);
  EXPECT_EQ(moved.changes[0].name(), "b");
  EXPECT_EQ(moved.changes[0].kind, Kind::moved);
  EXPECT_DOUBLE_EQ(moved.changes[0].ratio(), 1.4);
  EXPECT_DOUBLE_EQ(moved.changes[0].share, 0.8);
  EXPECT_EQ(moved.changes[0].baseline->code, moved.changes[0].current->code);
  EXPECT_DOUBLE_EQ(moved.changes[1].share, 0.2);
}

TEST(Kernels, AreTimedByTheCallAndNotByTheLaunch) {
  KernelUse often = kernel("a", 1);
  often.launches = 3;
  KernelUse oftener = often;
  oftener.launches = 4;
  const KernelComparison changed = changes({often}, {oftener});
  ASSERT_EQ(changed.changes.size(), 1u);
  EXPECT_EQ(changed.changes[0].kind, Kind::reshaped);
  EXPECT_DOUBLE_EQ(changed.changes[0].ratio(), 4.0 / 3);
  EXPECT_EQ(changed.changes[0].baseline->launches, 3);
  EXPECT_EQ(changed.changes[0].current->launches, 4);
}

TEST(Kernels, ThatAppearedOrVanishedAreNamed) {
  const KernelComparison fused = changes({kernel("gemm", 10), kernel("gelu", 4)}, {kernel("gemm_gelu", 11)});
  ASSERT_EQ(fused.changes.size(), 3u);
  EXPECT_EQ(fused.changes[0].name(), "gemm_gelu");
  EXPECT_EQ(fused.changes[0].kind, Kind::appeared);
  EXPECT_EQ(fused.changes[1].kind, Kind::vanished);
  EXPECT_EQ(fused.changes[2].name(), "gelu");
  EXPECT_FALSE(fused.same_code);
}

TEST(Kernels, ThatWereReshapedKeepBothShapes) {
  KernelUse after = kernel("a", 12);
  after.registers = 96;
  after.dynamic_shared_bytes = std::int64_t{100} * 1024;
  after.static_shared_bytes = 100;
  after.grid = {66, 2, 1};
  after.block = {128, 1, 1};
  const KernelComparison changed = changes({kernel("a", 10)}, {after});
  ASSERT_EQ(changed.changes.size(), 1u);
  EXPECT_EQ(changed.changes[0].kind, Kind::reshaped);
  EXPECT_EQ(changed.changes[0].baseline, kernel("a", 10));
  EXPECT_EQ(changed.changes[0].current, after);
}

TEST(Kernels, PairByTheirWholeNameFirstAndByTheirBaseNameThen) {
  const KernelComparison changed =
      changes({kernel("void k<64>(float*)", 10), kernel("void k<128>(float*)", 20)},
              {kernel("void k<128>(float*)", 20), kernel("void k<256>(float*)", 8)});
  ASSERT_EQ(changed.changes.size(), 1u);
  EXPECT_EQ(changed.changes[0].name(), "void k<256>(float*)");
  EXPECT_EQ(changed.changes[0].kind, Kind::reshaped);
  EXPECT_DOUBLE_EQ(changed.changes[0].ratio(), 0.8);
  EXPECT_EQ(changed.changes[0].baseline->name, "void k<64>(float*)");
}

TEST(Kernels, HaveABaseNameWithoutTypesAndArguments) {
  EXPECT_EQ(base_name("void ns::gemm<128, (Layout)1, float>(float const*, int)"), "ns::gemm");
  EXPECT_EQ(base_name("(anonymous namespace)::k(int)"), "anonymous::k");
  EXPECT_EQ(base_name("void cutlass::Kernel<Gemm<A<1>, B>>(Params<int>)"), "cutlass::Kernel");
  EXPECT_EQ(base_name("sm90_xmma_gemm_f16"), "sm90_xmma_gemm_f16");
  EXPECT_EQ(base_name("a>>b"), "ab");
  EXPECT_EQ(base_name(""), "");
}

TEST(Kernels, ComeFromTheFirstProcessThatHasThemAndOthersThatDifferAreTold) {
  const CaseRecord before = case_with({{}, {kernel("a", 10)}, {kernel("a", 11)}});
  const CaseRecord after = case_with({{kernel("a", 10)}, {kernel("other", 10)}, {kernel("a", 10, "beef")}});
  const KernelComparison compared = compare_kernels(before, after, 0.01);
  EXPECT_THAT(compared.changes, IsEmpty());
  EXPECT_THAT(compared.notes, ElementsAre(fact(DiagnosticCode::other_kernels,
                                               {{"side", "current"}, {"processes", "2, 3"}, {"first", 1}})));
}

TEST(Kernels, HaveTheTimesOfTheFirstProcessThatTimedTheSameLaunches) {
  const CaseRecord record =
      case_with({{kernel("a", 0)}, {kernel("b", 7, "")}, {kernel("a", 5, "")}, {kernel("a", 6, "")}});
  EXPECT_THAT(kernels_of(record), ElementsAre(kernel("a", 5)));
  EXPECT_THAT(kernels_of(case_with({{}, {kernel("a", 0)}, {kernel("b", 7)}})), ElementsAre(kernel("a", 0)));
  EXPECT_THAT(kernels_of(case_with({{kernel("a", 4)}, {kernel("a", 5)}})), ElementsAre(kernel("a", 4)));
  EXPECT_THAT(kernels_of(case_with({{}})), IsEmpty());
  const KernelComparison slower =
      compare_kernels(record, case_with({{kernel("a", 0)}, {kernel("a", 10)}}), 0.01);
  ASSERT_THAT(slower.changes, testing::SizeIs(1));
  EXPECT_DOUBLE_EQ(slower.changes[0].ratio(), 2);
}

TEST(Kernels, HaveTheTimesOfLaunchesInAnotherOrder) {
  const CaseRecord record = case_with({{kernel("a", 0), kernel("b", 0)}, {kernel("b", 7), kernel("a", 5)}});
  EXPECT_THAT(kernels_of(record), ElementsAre(kernel("a", 5), kernel("b", 7)));
  EXPECT_THAT(compare_kernels(record, record, 0.01).notes, IsEmpty());
}

// As no run would write it: unknown code may be that of either.
TEST(Kernels, StayUntimedWhereTheirLaunchesCannotBeToldApart) {
  const CaseRecord record =
      case_with({{kernel("a", 0, ""), kernel("a", 0, "x")}, {kernel("a", 5, "x"), kernel("a", 6, "y")}});
  EXPECT_THAT(kernels_of(record), ElementsAre(kernel("a", 0, ""), kernel("a", 0, "x")));
}

TEST(Kernels, HaveNoTimesWhereASideWasNotTimed) {
  const KernelComparison compared = changes({kernel("a", 0)}, {kernel("a", 10), kernel("b", 10)});
  ASSERT_THAT(compared.changes, testing::SizeIs(1));
  EXPECT_EQ(compared.changes[0].kind, Kind::appeared);
  EXPECT_EQ(compared.changes[0].current->us, 0);
  EXPECT_EQ(compared.changes[0].share, 0);
}

TEST(Kernels, OfUnknownCodeInLaterProcessesAreNoOtherKernels) {
  const CaseRecord record = case_with({{kernel("a", 10)}, {kernel("a", 10, "")}});
  EXPECT_THAT(compare_kernels(record, record, 0.01).notes, IsEmpty());
  EXPECT_TRUE(compare_kernels(record, record, 0.01).same_code);
}

TEST(Kernels, OfOtherCodeThatTakesTheSameTimeAreNamed) {
  const KernelComparison compared =
      changes({kernel("a", 10), kernel("b", 5)}, {kernel("a", 10, "beef"), kernel("b", 5)});
  EXPECT_THAT(compared.changes, IsEmpty());
  EXPECT_THAT(compared.notes, ElementsAre(fact(DiagnosticCode::recompiled, {{"kernels", "a"}})));
  EXPECT_FALSE(compared.same_code);
}

TEST(Kernels, BesideCopiesAndFillsOfMemoryMayStillBeTheSameCode) {
  KernelUse fill = kernel("[memset]", 2, "");
  EXPECT_TRUE(changes({fill, kernel("a", 10)}, {fill, kernel("a", 11)}).same_code);
  EXPECT_FALSE(changes({fill}, {fill}).same_code) << "no code was seen at all";
}

TEST(Kernels, ThatSpillTellTheirLocalMemory) {
  KernelUse after = kernel("a", 12);
  after.local_bytes = 2048;
  const KernelComparison changed = changes({kernel("a", 10)}, {after});
  ASSERT_EQ(changed.changes.size(), 1u);
  EXPECT_EQ(changed.changes[0].kind, Kind::reshaped);
}

TEST(Kernels, OfOneSideOnlySayNothing) {
  EXPECT_THAT(changes({kernel("a", 1)}, {}).changes, IsEmpty());
  EXPECT_THAT(changes({}, {kernel("a", 1)}).changes, IsEmpty());
}

Record record_with(double center, const KernelUse& one) {
  Record record = record_of(about(center));
  record.cases[0].processes = case_with({{one}}).processes;
  return record;
}

TEST(Kernels, ExplainARowOfTimes) {
  const ComparisonRow row =
      only_row(compare(record_with(20, kernel("a", 19)), record_with(21, kernel("a", 20, "beef")), {}));
  ASSERT_EQ(row.kernels.size(), 1u);
  EXPECT_NE(row.kernels[0].baseline->code, row.kernels[0].current->code);
  EXPECT_THAT(row.diagnostics, Not(Contains(coded(DiagnosticCode::same_code_moved))));
}

TEST(Kernels, OfIdenticalCodeWhoseTimeMovedPointElsewhere) {
  const auto diagnostics = [](double center) {
    return only_row(compare(record_with(20, kernel("a", 19)), record_with(center, kernel("a", 20)), {}))
        .diagnostics;
  };
  EXPECT_THAT(diagnostics(21), Contains(coded(DiagnosticCode::same_code_moved)));
  EXPECT_THAT(diagnostics(20.001), IsEmpty());
}

}  // namespace
}  // namespace harness
