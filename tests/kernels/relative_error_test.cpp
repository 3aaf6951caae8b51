// The measure of the other tests here, on numbers that can be worked out by hand: were it too small, all of
// them would pass.
#include "tests/kernels/relative_error.h"

#include <gtest/gtest.h>

#include <limits>

namespace {

namespace sdk = harness::sdk;

// Its right answer is 3, 4, 3, 4, ... times its input's only element.
class ThreeFour : public sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "three_four"; }
  [[nodiscard]] std::string_view summary() const override { return "3 x, 4 x, 3 x, ..."; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override { return {}; }
  [[nodiscard]] sdk::Problem problem(const sdk::Params&) const override { return {}; }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    EXPECT_EQ(output, 0U);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      expected[i] = (wanted[i] % 2 == 0 ? 3 : 4) * inputs[0].at(0);
  }
};

double error_of(const std::vector<double>& values, double input = 1) {
  std::vector<sdk::HostTensor> inputs(1, sdk::HostTensor({"x", sdk::Role::input, sdk::DType::f32, {1}}));
  inputs[0].set(0, input);
  const auto count = static_cast<std::int64_t>(values.size());
  sdk::HostTensor output({"y", sdk::Role::output, sdk::DType::f32, {count}});
  for (std::int64_t i = 0; i < count; ++i) output.set(i, values[static_cast<std::size_t>(i)]);
  return relative_error(ThreeFour(), {}, inputs, output);
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(RelativeError, OfTheRightAnswerIsZero) {
  EXPECT_EQ(error_of({3, 4}), 0);
  EXPECT_EQ(error_of({6, 8, 6}, 2), 0);
}

TEST(RelativeError, IsTheNormOfTheDifferenceByTheNormOfTheReference) {
  EXPECT_DOUBLE_EQ(error_of({0, 0}), 1);        // 5 / 5
  EXPECT_DOUBLE_EQ(error_of({3, 5}), 0.2);      // 1 / 5
  EXPECT_DOUBLE_EQ(error_of({6, 8}), 1);        // by the reference's norm, not by the output's
  EXPECT_DOUBLE_EQ(error_of({6, 0}), 1);        // too much and too little do not cancel: 5 / 5
  EXPECT_DOUBLE_EQ(error_of({6, 10}, 2), 0.2);  // the same share of a larger answer
}

TEST(RelativeError, LooksAtEveryElement) {
  EXPECT_DOUBLE_EQ(error_of({3, 4, 3, 5, 3, 4, 3, 4}), 0.1);  // 1 / 10
  EXPECT_DOUBLE_EQ(error_of({4, 4, 3, 4, 3, 4, 3, 4}), 0.1);  // the first
  EXPECT_DOUBLE_EQ(error_of({3, 4, 3, 4, 3, 4, 3, 5}), 0.1);  // the last
}

TEST(RelativeError, PassesForNothingWhereAnElementIsNoNumber) {
  EXPECT_TRUE(std::isnan(error_of({3, nan})));
  EXPECT_TRUE(std::isnan(error_of({nan, 4, 3, 4})));
}

}  // namespace
