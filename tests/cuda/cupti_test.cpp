// Loading CUPTI: which file, which release, and what is said when there is none.
#include <gmock/gmock.h>

#include "harness/device/cuda/profiling/subscription.h"
#include "stand_in.h"

namespace harness::cuda {
namespace {

using testing::HasSubstr;

std::string refusal() {
  const auto loaded = load_cupti();
  return loaded ? "" : loaded.error().message;
}

TEST_F(StandIn, IsTakenWhereTheEnvironmentNamesIt) {
  EXPECT_EQ(refusal(), "");
  EXPECT_TRUE(cupti_.has_profiler());
}

TEST_F(StandIn, OfAnotherReleaseIsRefusedBecauseItsRecordsAreOthers) {
  fake_->version = 130200;
  EXPECT_THAT(refusal(), HasSubstr("CUDA 13.2"));
  fake_->version = 28;
  EXPECT_THAT(refusal(), HasSubstr("28"));
  fake_->version = CUPTI_API_VERSION / 100 * 100 + 7;
  EXPECT_EQ(refusal(), "") << "a patch changes no record";
}

TEST(Cupti, IsLeftOutWhenAskedAndMissedWithAReason) {
  setenv("HARNESS_CUPTI", "off", 1);
  EXPECT_THAT(refusal(), HasSubstr("HARNESS_CUPTI=off"));
  setenv("HARNESS_CUPTI", "/nowhere/libcupti.so", 1);
  EXPECT_THAT(refusal(), HasSubstr("/nowhere/libcupti.so"));
  setenv("HARNESS_CUPTI", "libm.so.6", 1);
  EXPECT_THAT(refusal(), HasSubstr("cuptiGetVersion"));
  unsetenv("HARNESS_CUPTI");
}

TEST_F(StandIn, HeldByAnotherProfilerNamesItAndLeavesItAlone) {
  fake_->holder = "CUPTI for Nsight\x1b[31m";
  const auto opened = Subscription::open(cupti_, [](auto) {});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("`CUPTI for Nsight\\u001b[31m`"));
  EXPECT_THAT(opened.error().advice, HasSubstr("--profile"));
  EXPECT_EQ(fake_->finalized, 0) << "it is not ours to end";
}

TEST_F(StandIn, OfAnOlderKindCannotNameWhoHoldsIt) {
  use(FAKE_OLD_CUPTI_LIBRARY);
  EXPECT_EQ(cupti_.Subscribe_v2, nullptr);
  fake_->holder = "nsys";
  const auto opened = Subscription::open(cupti_, [](auto) {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::environment);
  fake_->holder.clear();
  EXPECT_TRUE(Subscription::open(cupti_, [](auto) {}));
}

TEST_F(StandIn, PassesLoadedModulesOnUntilItIsGivenBack) {
  std::vector<std::size_t> sizes;
  {
    const auto opened =
        Subscription::open(cupti_, [&](std::span<const std::byte> image) { sizes.push_back(image.size()); });
    ASSERT_TRUE(opened) << opened.error().text();
    load("abc");
    load("");
  }
  load("abcd");
  EXPECT_THAT(sizes, testing::ElementsAre(3));
  expect_detached();
}

TEST_F(StandIn, ThatRefusesPrivilegesIsAnsweredWithAdvice) {
  const Status refused = cupti_.check(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "cuptiX");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              testing::AllOf(HasSubstr("cuptiX"), HasSubstr("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)")));
  EXPECT_THAT(refused.error().advice, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
}

}  // namespace
}  // namespace harness::cuda
