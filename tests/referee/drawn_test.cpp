#include "harness/measure/referee/drawn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace harness::referee {
namespace {

using testing::SizeIs;

// Output number 0 is its input, number 1 its negative.
class Mirror final : public sdk::Workload {
 public:
  explicit Mirror(sdk::DType dtype, std::int64_t n) : dtype_(dtype), n_(n) {}
  [[nodiscard]] std::string_view name() const override { return "mirror"; }
  [[nodiscard]] std::string_view summary() const override { return ""; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override { return {}; }
  [[nodiscard]] sdk::Problem problem(const sdk::Params&) const override {
    return {{{"x", sdk::Role::input, dtype_, {n_}},
             {"same", sdk::Role::output, dtype_, {n_}},
             {"less", sdk::Role::output, sdk::DType::f64, {n_ / 10, 10}}},
            {},
            {1e-6}};
  }
  void fill(const sdk::Params&, std::uint64_t seed, std::span<sdk::HostTensor> inputs) const override {
    for (std::int64_t i = 0; i < n_; ++i)
      inputs[0].set(i, 1 + static_cast<double>((seed + static_cast<std::uint64_t>(i)) % 5));
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      expected[i] = (output == 0 ? 1 : -1) * inputs[0].at(wanted[i]);
  }

 private:
  sdk::DType dtype_;
  std::int64_t n_;
};

// A call's outputs in memory of their own, right at first.
struct Call {
  explicit Call(const Mirror& workload, std::uint64_t seed)
      : problem(workload.problem({})), drawn(draw(workload, {}, problem, seed)) {
    for (const sdk::TensorSpec& tensor : problem.tensors) memory.emplace_back(tensor);
    memory[0].data = drawn.inputs[0].data;
    memory[1].data = drawn.inputs[0].data;
    for (std::int64_t i = 0; i < memory[2].spec.elements(); ++i) memory[2].set(i, -memory[0].at(i));
  }
  Finding check(unsigned char unwritten = poison) {
    std::vector<std::byte*> addresses;
    for (sdk::HostTensor& tensor : memory) addresses.push_back(tensor.data.data());
    std::vector<SharedRead> reads;
    add_reads(problem, drawn, addresses, reads);
    EXPECT_THAT(reads, SizeIs(reads_of(problem, drawn)));
    std::vector<std::uint64_t> got(reads.size());
    for (std::size_t i = 0; i < reads.size(); ++i) std::memcpy(&got[i], reads[i].from, reads[i].bytes);
    return check_reads(problem, drawn, got, unwritten);
  }

  sdk::Problem problem;
  Drawn drawn;
  std::vector<sdk::HostTensor> memory;
};

class EachType : public testing::TestWithParam<sdk::DType> {};

TEST_P(EachType, RightResultsPass) {
  for (const std::int64_t n : {10, 1000}) {
    Call call(Mirror(GetParam(), n), 7);
    const Finding finding = call.check();
    EXPECT_FALSE(finding.wrong) << n;
    EXPECT_GE(finding.elements, std::min<std::int64_t>(n, few_elements));
  }
}

TEST_P(EachType, ResultsOfOtherInputsAreWrong) {
  Call call(Mirror(GetParam(), 1000), 7);
  call.memory[1].data = Call(Mirror(GetParam(), 1000), 8).memory[1].data;
  const Finding finding = call.check();
  ASSERT_TRUE(finding.wrong);
  EXPECT_EQ(finding.wrong->text("output"), "same");
}

INSTANTIATE_TEST_SUITE_P(Types, EachType,
                         testing::Values(sdk::DType::f64, sdk::DType::f32, sdk::DType::f16, sdk::DType::i32,
                                         sdk::DType::i8, sdk::DType::i4));

TEST(CheckReads, FindsWhatNobodyWrote) {
  Call call(Mirror(sdk::DType::f32, 1000), 7);
  constexpr unsigned char fill = 0x37;
  std::memset(call.memory[2].data.data() + 4000, fill, call.memory[2].data.size() - 4000);
  const Finding finding = call.check(fill);
  ASSERT_TRUE(finding.wrong);
  EXPECT_EQ(finding.wrong->text("output"), "less");
}

TEST(CheckReads, NamesThePlaceInTheOutput) {
  Call call(Mirror(sdk::DType::f32, 1000), 7);
  for (std::int64_t i = 500; i < 1000; ++i) call.memory[2].set(i, 1e6 + static_cast<double>(i));
  const Finding finding = call.check();
  ASSERT_TRUE(finding.wrong);
  EXPECT_THAT(finding.wrong->text("at"), testing::MatchesRegex("\\[[5-9][0-9], [0-9]\\]"));
}

TEST(Draw, ChecksOtherElementsWithEachSeed) {
  const Mirror workload(sdk::DType::f32, 100000);
  const Call one(workload, 1), other(workload, 2);
  EXPECT_NE(one.drawn.outputs[0].indices, other.drawn.outputs[0].indices);
}

}  // namespace
}  // namespace harness::referee
