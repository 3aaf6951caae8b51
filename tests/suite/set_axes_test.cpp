// --set: axes with other values than the suite's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_catalog.h"

namespace harness::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PlanOptions set(const std::vector<std::string>& texts) {
  PlanOptions options;
  for (const std::string& text : texts) {
    const Result<AxisValues> axis = parse_axis_values(text);
    if (!axis) throw std::runtime_error(axis.error().text());
    options.axes.push_back(*axis);
  }
  return options;
}

const std::string gemm =
    "  - workload: gemm\n    variants: [plain]\n    axes: {dtype: [f32, f16], m: [1, 2], n: 8}\n";

TEST(SetAxes, GivesAnAxisOtherValues) {
  const auto plan = plan_of(suite_text(gemm), set({"m=3", "dtype=bf16"}));
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_THAT(ids(*plan), ElementsAre(HasSubstr("dtype=bf16/m=3/n=8")));
}

TEST(SetAxes, KeepsTheCombinationsOfZippedPoints) {
  const std::string zipped =
      "  - workload: gemm\n    variants: [plain]\n    axes: {dtype: f32}\n"
      "    zip: [{m: 1, n: 10}, {m: 2, n: 20}, {m: 3, n: 20}]\n";
  const auto plan = plan_of(suite_text(zipped), set({"m=4,5"}));
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_THAT(ids(*plan), ElementsAre(HasSubstr("m=4/n=10"), HasSubstr("m=5/n=10"), HasSubstr("m=4/n=20"),
                                      HasSubstr("m=5/n=20")));
}

TEST(SetAxes, LeavesACaseOnceThatTwoGroupsBecome) {
  const std::string other = "  - workload: gemm\n    variants: [plain]\n    axes: {dtype: f32, m: 7, n: 8}\n";
  const auto plan = plan_of(suite_text(gemm + other), set({"m=1", "dtype=f32"}));
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->cases.size(), 1U);
}

TEST(SetAxes, DropsOverridesOfValuesThatAreGone) {
  const std::string overridden = gemm + "    overrides: [{match: {m: 2}, sampling: {samples: 30}}]\n";
  EXPECT_TRUE(plan_of(suite_text(overridden), set({"m=3"})));
  const auto kept = plan_of(suite_text(overridden), set({"m=2"}));
  ASSERT_TRUE(kept) << kept.error();
  EXPECT_EQ(kept->cases[0].sampling.samples, 30);
}

TEST(SetAxes, RefusesUnknownAxesAndValues) {
  EXPECT_THAT(errors_of(suite_text(gemm), set({"k=1"})), HasSubstr("`k`"));
  EXPECT_THAT(errors_of(suite_text(gemm), set({"m=many"})), HasSubstr("--set"));
  for (const char* text : {"m", "=1", "m=", "m=1,,2"}) EXPECT_FALSE(parse_axis_values(text)) << text;
}

}  // namespace
}  // namespace harness::test
