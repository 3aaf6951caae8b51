// From a profiler's launches to the kernels of one call.
#include "harness/device/code/kernel_launches.h"

#include <gmock/gmock.h>

namespace harness {
namespace {

using testing::IsEmpty;

KernelLaunch launch(std::string name, std::uint64_t started, std::uint64_t nanoseconds) {
  KernelLaunch one;
  one.name = std::move(name);
  one.grid = {4, 2, 1};
  one.block = {128, 1, 1};
  one.registers = 40;
  one.started = started;
  one.ended = started + nanoseconds;
  return one;
}

const std::vector<CallWindow> two_calls{{1000, 2000}, {3000, 4000}};

TEST(KernelLaunches, AreCountedByTheCallAndTimedByTheirMedian) {
  const auto uses = kernel_uses({launch("_Z3addPfPKfi", 3100, 70), launch("_Z3addPfPKfi", 1100, 50)},
                                two_calls, 1, [](const std::string& kernel) { return "code of " + kernel; });
  ASSERT_TRUE(uses) << uses.error().text();
  ASSERT_EQ(uses->size(), 1u);
  const KernelUse& use = uses->front();
  EXPECT_EQ(use.name, "add(float*, float const*, int)");
  EXPECT_EQ(use.launches, 1);
  EXPECT_DOUBLE_EQ(use.us, 0.06);
  EXPECT_EQ(use.code, "code of _Z3addPfPKfi");
  EXPECT_EQ(use.registers, 40);
  EXPECT_EQ(use.grid, (std::array<std::int64_t, 3>{4, 2, 1}));
}

TEST(KernelLaunches, StandInTheOrderOfTheirFirstLaunchWhateverTheOrderOfTheRecords) {
  const auto uses = kernel_uses({launch("b", 3500, 10), launch("a", 3100, 10), launch("b", 1500, 10),
                                 launch("a", 1100, 10), launch("a", 1200, 30), launch("a", 3200, 30)},
                                two_calls, 1, {});
  ASSERT_TRUE(uses) << uses.error().text();
  ASSERT_EQ(uses->size(), 2u);
  EXPECT_EQ(uses->at(0).name, "a");
  EXPECT_EQ(uses->at(0).launches, 2);
  EXPECT_DOUBLE_EQ(uses->at(0).us, 0.02);
  EXPECT_EQ(uses->at(1).name, "b");
}

TEST(KernelLaunches, OutsideOfTheCallsAreNotTheirs) {
  const auto uses = kernel_uses({launch("[memset]", 500, 400), launch("a", 1100, 10),
                                 launch("[memset]", 2500, 400), launch("a", 3100, 10)},
                                two_calls, 1, {});
  ASSERT_TRUE(uses) << uses.error().text();
  ASSERT_EQ(uses->size(), 1u);
  EXPECT_EQ(uses->front().name, "a");
}

TEST(KernelLaunches, OfAnotherShapeAreAnotherKernel) {
  std::vector<KernelLaunch> launches{launch("a", 1100, 10), launch("a", 1200, 10), launch("a", 3100, 10),
                                     launch("a", 3200, 10)};
  launches[1].dynamic_shared_bytes = launches[3].dynamic_shared_bytes = 1024;
  const auto uses = kernel_uses(launches, two_calls, 1, {});
  ASSERT_TRUE(uses) << uses.error().text();
  ASSERT_EQ(uses->size(), 2u);
  EXPECT_EQ(uses->at(1).dynamic_shared_bytes, 1024);
  EXPECT_EQ(uses->at(0).launches, 1);
}

TEST(KernelLaunches, WithoutATimeAreNoGroundForAGuess) {
  KernelLaunch untimed = launch("a", 0, 0);
  const auto uses = kernel_uses({launch("a", 1100, 10), untimed}, two_calls, 1, {});
  ASSERT_FALSE(uses);
}

TEST(KernelLaunches, ThatDifferFromCallToCallAreNoGroundForAGuess) {
  const auto uses =
      kernel_uses({launch("a", 1100, 10), launch("a", 3100, 10), launch("a", 3200, 10)}, two_calls, 1, {});
  ASSERT_FALSE(uses);
}

TEST(KernelLaunches, OfCallsInARowAreThoseOfOneCall) {
  const std::vector<KernelLaunch> launches{
      launch("a", 1100, 10), launch("b", 1110, 7), launch("a", 1120, 12), launch("b", 1140, 7),
      launch("a", 3100, 14), launch("b", 3120, 7), launch("a", 3130, 16), launch("b", 3150, 7)};
  const auto uses = kernel_uses(launches, two_calls, 2, {});
  ASSERT_TRUE(uses) << uses.error().text();
  ASSERT_EQ(uses->size(), 2u);
  EXPECT_EQ(uses->at(0).launches, 1);
  EXPECT_DOUBLE_EQ(uses->at(0).us, 0.013) << "the median of four";
  const auto uneven = kernel_uses({launches.begin(), launches.end() - 1}, two_calls, 2, {});
  ASSERT_FALSE(uneven);
}

TEST(KernelLaunches, OfACallThatLaunchesNothingAreNone) {
  const auto uses = kernel_uses({}, two_calls, 1, {});
  ASSERT_TRUE(uses);
  EXPECT_THAT(*uses, IsEmpty());
}

TEST(KernelLaunches, KeepANameThatIsNotMangled) {
  EXPECT_EQ(demangled("sm90_xmma_gemm_f16"), "sm90_xmma_gemm_f16");
  EXPECT_EQ(demangled("_Znonsense"), "_Znonsense");
  EXPECT_EQ(demangled("_ZN36_GLOBAL__N__fbb13225_4_k_cu_e6581e9d6hiddenEPf"),
            "(anonymous namespace)::hidden(float*)");
}

}  // namespace
}  // namespace harness
