#include "harness/measure/tensors/verify.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>

#include "tests/model/fact_matchers.h"

namespace harness {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A workload of one output whose right answer is a given function of the index.
class Given : public sdk::Workload {
 public:
  explicit Given(double (*answer)(std::int64_t)) : answer_(answer) {}
  [[nodiscard]] std::string_view name() const override { return "given"; }
  [[nodiscard]] std::string_view summary() const override { return ""; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override { return {}; }
  [[nodiscard]] sdk::Problem problem(const sdk::Params&) const override { return {}; }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor>, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i) expected[i] = answer_(wanted[i]);
  }

 private:
  double (*answer_)(std::int64_t);
};

RightValues answers_of(const Given& workload) {
  return [&](std::size_t output, std::span<const std::int64_t> wanted, std::span<double> right) {
    workload.reference({}, {}, output, wanted, right);
  };
}

// One check: outputs are right except where `spoil` changes them.
struct Check {
  double (*answer)(std::int64_t) = [](std::int64_t i) { return 1.0 + static_cast<double>(i % 2); };
  sdk::DType dtype = sdk::DType::f32;
  std::vector<std::int64_t> shape{10, 100};
  double tolerance = 1e-3;
  std::int64_t limit = 4096;

  template <class Spoil>
  Finding operator()(Spoil&& spoil) const {
    const sdk::TensorSpec spec{"y", sdk::Role::output, dtype, shape};
    sdk::Problem problem{{spec}, {}, {tolerance}};
    const Given workload(answer);
    CaseInputs inputs;
    Expected& expected = inputs.expected.emplace_back();
    expected.indices = checked_indices(spec.elements(), limit, 1);
    expected.values.resize(expected.indices.size());
    workload.reference({}, {}, 0, expected.indices, expected.values);
    std::vector<sdk::HostTensor> outputs{sdk::HostTensor(spec)};
    for (std::int64_t i = 0; i < spec.elements(); ++i) outputs[0].set(i, answer(i));
    spoil(outputs[0]);
    return verify(answers_of(workload), problem, inputs, outputs);
  }
};

TEST(Verify, AcceptsTheRightAnswer) {
  const Finding finding = Check{}([](sdk::HostTensor&) {});
  EXPECT_FALSE(finding.wrong);
  EXPECT_EQ(finding.error, 0);
  EXPECT_EQ(finding.elements, 1000);
}

TEST(Verify, MeasuresTheRelativeFrobeniusNorm) {
  const Finding finding = Check{.tolerance = 0.5}([](sdk::HostTensor& y) {
    for (std::int64_t i = 0; i < 1000; ++i) y.set(i, y.at(i) * 1.25);
  });
  EXPECT_DOUBLE_EQ(finding.error, 0.25);
  EXPECT_FALSE(finding.wrong);
}

TEST(Verify, AcceptsAnErrorEqualToTheToleranceOnly) {
  const auto quarter_off = [](sdk::HostTensor& y) {
    for (std::int64_t i = 0; i < 1000; ++i) y.set(i, y.at(i) * 1.25);
  };
  EXPECT_FALSE(Check{.tolerance = 0.25}(quarter_off).wrong);
  EXPECT_TRUE(Check{.tolerance = 0.2499}(quarter_off).wrong);
}

TEST(Verify, NamesTheWorstElement) {
  const Finding finding = Check{.tolerance = 1e-6}([](sdk::HostTensor& y) {
    y.set(305, 2.25);
    y.set(700, 7);
  });
  EXPECT_THAT(finding.wrong,
              FactIs(CauseCode::wrong_values, {{"at", "[7, 0]"}, {"got", 7}, {"expected", 1}}));
}

TEST(Verify, FindsOneWrongElementThatANormWouldHide) {
  const Finding finding =
      Check{.shape = {1000, 1000}, .limit = 1 << 20}([](sdk::HostTensor& y) { y.set(123456, -0.5); });
  EXPECT_LT(finding.error, 1e-3);
  EXPECT_THAT(finding.wrong,
              FactIs(CauseCode::wrong_element, {{"at", "[123, 456]"}, {"got", -0.5}, {"expected", 1}}));
}

TEST(Verify, RejectsNanAndInfinity) {
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    const Finding finding = Check{.tolerance = 1e9}([&](sdk::HostTensor& y) { y.set(5, bad); });
    EXPECT_THAT(finding.wrong, FactIs(CauseCode::not_finite, {{"at", "[0, 5]"}}));
  }
}

TEST(Verify, LooksForNanEverywhere) {
  const Check sparse{.limit = 10};
  EXPECT_EQ(sparse([](sdk::HostTensor&) {}).elements, 10);
  int rejected = 0;
  for (std::int64_t i = 0; i < 1000; i += 37)
    rejected += sparse([&](sdk::HostTensor& y) { y.set(i, infinity); }).wrong ? 1 : 0;
  EXPECT_EQ(rejected, 28);
}

TEST(Verify, AcceptsAnInfinityThatTheReferenceHas) {
  const Check check{.answer = [](std::int64_t i) { return i == 3 ? infinity : i == 4 ? std::nan("") : 1.0; }};
  EXPECT_FALSE(check([](sdk::HostTensor&) {}).wrong);
  EXPECT_TRUE(check([](sdk::HostTensor& y) { y.set(3, -infinity); }).wrong);
  EXPECT_TRUE(check([](sdk::HostTensor& y) { y.set(3, 1); }).wrong);
}

TEST(Verify, RecognisesPoisonInEveryFloatingType) {
  for (const sdk::DType type : {sdk::DType::f64, sdk::DType::f32, sdk::DType::f16, sdk::DType::bf16}) {
    const Finding finding = Check{.dtype = type, .limit = 10}([](sdk::HostTensor& y) {
      const std::size_t size = sdk::size_of(y.spec.dtype);
      std::fill_n(y.data.begin() + static_cast<std::ptrdiff_t>(500 * size), 2 * size, std::byte{poison});
    });
    EXPECT_THAT(finding.wrong, FactIs(CauseCode::not_written,
                                      {{"output", "y"}, {"elements", 2}, {"of", 1000}, {"at", "[5, 0]"}}));
  }
}

TEST(Verify, SaysWhenAWrongIntegerIsThePoison) {
  const Finding finding = Check{.dtype = sdk::DType::i32}([](sdk::HostTensor& y) { y.set(999, -1); });
  EXPECT_THAT(finding.wrong, FactIs(CauseCode::wrong_values, {{"unwritten", 1}}));
  const Check minus_one{.answer = [](std::int64_t) { return -1.0; }, .dtype = sdk::DType::i32};
  EXPECT_FALSE(minus_one([](sdk::HostTensor&) {}).wrong);
}

TEST(Verify, MeasuresAgainstZeroAbsolutely) {
  const Check zero{.answer = [](std::int64_t) { return 0.0; }};
  EXPECT_FALSE(zero([](sdk::HostTensor&) {}).wrong);
  const Finding finding = zero([](sdk::HostTensor& y) {
    for (std::int64_t i = 0; i < 1000; ++i) y.set(i, 0.5);
  });
  EXPECT_DOUBLE_EQ(finding.error, 0.5);
  EXPECT_TRUE(finding.wrong);
}

TEST(Verify, ComparesExactlyWithoutATolerance) {
  const Check exact{.tolerance = 0};
  EXPECT_FALSE(exact([](sdk::HostTensor&) {}).wrong);
  EXPECT_TRUE(exact([](sdk::HostTensor& y) { y.set(0, 1.0000001); }).wrong);
}

TEST(Verify, AcceptsAnEmptyOutput) {
  const Finding finding = Check{.shape = {0, 5}}([](sdk::HostTensor&) {});
  EXPECT_FALSE(finding.wrong);
  EXPECT_EQ(finding.elements, 0);
}

// Everything that verify() tells of an output of several blocks, on so many threads.
Finding found_by(const char* threads, const Check& check, bool listed,
                 const std::function<void(sdk::HostTensor&)>& spoil) {
  setenv("HARNESS_PREPARING_THREADS", threads, 1);
  const sdk::TensorSpec spec{"y", sdk::Role::output, check.dtype, check.shape};
  const sdk::Problem problem{{spec}, {}, {check.tolerance}};
  const Given workload(check.answer);
  CaseInputs inputs;
  Expected& expected = inputs.expected.emplace_back();
  const std::vector<std::int64_t> all = checked_indices(spec.elements(), spec.elements(), 1);
  expected.values.resize(all.size());
  workload.reference({}, {}, 0, all, expected.values);
  if (listed) expected.indices = all;
  std::vector<sdk::HostTensor> outputs{sdk::HostTensor(spec)};
  for (std::int64_t i = 0; i < spec.elements(); ++i)
    outputs[0].set(i, check.answer(i) * (1 + 1e-4 * static_cast<double>(i % 97)));
  spoil(outputs[0]);
  const Finding finding = verify(answers_of(workload), problem, inputs, outputs);
  unsetenv("HARNESS_PREPARING_THREADS");
  return finding;
}

TEST(Verify, FindsTheSameOnAnyNumberOfThreads) {
  const std::vector<std::function<void(sdk::HostTensor&)>> spoils{
      [](sdk::HostTensor&) {},
      [](sdk::HostTensor& y) { y.set(70'000, 1e4), y.set(250'000, 1e4), y.set(1, -1e4); },
      [](sdk::HostTensor& y) { y.set(140'000, std::nan("")), y.set(3, infinity), y.set(299'999, -infinity); },
      [](sdk::HostTensor& y) {
        for (std::int64_t i : {65'536, 65'537, 200'000})
          std::fill_n(y.data.begin() + i * static_cast<std::int64_t>(sdk::size_of(y.spec.dtype)),
                      sdk::size_of(y.spec.dtype), std::byte{poison});
      },
  };
  for (const sdk::DType dtype : {sdk::DType::f64, sdk::DType::f32, sdk::DType::f16, sdk::DType::bf16})
    for (std::size_t i = 0; i < spoils.size(); ++i) {
      const Check check{.dtype = dtype, .shape = {3, 100'000}, .tolerance = 2e-2};
      const Finding alone = found_by("1", check, false, spoils[i]);
      EXPECT_EQ(!alone.wrong, i == 0) << alone.wrong;
      EXPECT_EQ(alone.elements, 300'000);
      for (const char* threads : {"3", "16"}) {
        const bool listed = threads[0] == '3';  // one way or the other: the same elements
        const Finding shared = found_by(threads, check, listed, spoils[i]);
        EXPECT_EQ(std::bit_cast<std::uint64_t>(shared.error), std::bit_cast<std::uint64_t>(alone.error))
            << threads << " " << i;
        EXPECT_EQ(shared.wrong, alone.wrong) << threads;
        EXPECT_EQ(shared.elements, alone.elements);
      }
    }
}

TEST(Verify, NamesTheFirstElementThatWasNotWrittenAndCountsAllInEveryBlock) {
  const Finding finding = found_by("16", {.shape = {3, 100'000}}, false, [](sdk::HostTensor& y) {
    for (std::int64_t i : {131'072, 70'001, 299'999})
      std::fill_n(y.data.begin() + 4 * i, 4, std::byte{poison});
  });
  EXPECT_THAT(finding.wrong,
              FactIs(CauseCode::not_written, {{"elements", 3}, {"of", 300000}, {"at", "[0, 70001]"}}));
}

TEST(Verify, MeasuresTheNormOverAllBlocks) {
  const Check check{.shape = {300'000}, .tolerance = 0.5, .limit = 300'000};
  const Finding finding = check([](sdk::HostTensor& y) {
    for (std::int64_t i = 150'000; i < 300'000; ++i) y.set(i, y.at(i) * 1.5);
  });
  EXPECT_NEAR(finding.error, std::sqrt(0.125), 1e-12);  // half of the squares, off by a half
  EXPECT_EQ(finding.elements, 300'000);
  EXPECT_FALSE(finding.wrong);
}

TEST(Verify, FindsOneElementThatIsFarOffInALaterBlock) {
  const Check check{.shape = {300'000}, .tolerance = 1e-3, .limit = 300'000};
  const Finding finding = check([](sdk::HostTensor& y) { y.set(250'001, y.at(250'001) + 0.1); });
  EXPECT_LT(finding.error, 1e-3);
  EXPECT_THAT(finding.wrong, FactIs(CauseCode::wrong_element, {{"at", "[250001]"}}));
}

TEST(Verify, NamesTheWorstElementOfAllBlocks) {
  const Finding finding = found_by("16", {.shape = {300'000}}, false, [](sdk::HostTensor& y) {
    y.set(5, 1e5);
    y.set(200'000, -2e5);
    y.set(299'000, 1e5);
  });
  EXPECT_THAT(finding.wrong, FactIs(CauseCode::wrong_values, {{"at", "[200000]"}}));
}

}  // namespace
}  // namespace harness
