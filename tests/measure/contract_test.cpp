// Problems beside the plain one: a variant's own tolerance, tensors that are changed in place, several
// outputs, and outputs of whole numbers that nobody writes.
#include <gmock/gmock.h>

#include <cmath>

#include "harness/measure/case/measure_case.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using sdk::DType;
using sdk::Role;

// An optimizer's step: v = v / 2 + x in place, s = sign of x as whole numbers, and the largest |x|.
class Steps : public sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "line"; }
  [[nodiscard]] std::string_view summary() const override { return "v = v/2 + x"; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override {
    return {{"n", sdk::ParamKind::integer, "elements", {}, {}, 1}};
  }
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    const std::int64_t n = params.integer("n");
    return {{{"v", Role::in_place, DType::f32, {n}},
             {"x", Role::input, DType::f32, {n}},
             {"signs", Role::output, DType::i4, {n}},
             {"largest", Role::output, DType::f32, {1}}},
            {},
            {1e-6}};
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    const sdk::HostTensor &v = inputs[0], &x = inputs[1];
    double largest = 0;
    for (std::int64_t i = 0; i < x.spec.elements(); ++i) largest = std::max(largest, std::abs(x.at(i)));
    for (std::size_t e = 0; e < wanted.size(); ++e) {
      const std::int64_t i = wanted[e];
      expected[e] = output == 0 ? v.at(i) / 2 + x.at(i) : output == 1 ? (x.at(i) < 0 ? -1 : 1) : largest;
    }
  }
};

class Step_ : public sdk::Kernel {
 public:
  Step_(const sdk::Params& params, const sdk::Problem&, const sdk::DeviceTraits&) : n_(params.integer("n")) {}
  void bind(const sdk::Buffers& buffers) override {
    v_ = buffers.as<float>(0);
    x_ = buffers.as<float>(1);
    signs_ = buffers.as<unsigned char>(2);
    largest_ = buffers.as<float>(3);
  }
  void run(sdk::Stream) override {
    float largest = 0;
    for (std::int64_t i = 0; i < n_; ++i) {
      v_[i] = v_[i] / 2 + x_[i];
      if (writes(i)) sdk::store(signs_, DType::i4, i, x_[i] < 0 ? -1 : 1);
      largest = std::max(largest, std::abs(x_[i]));
    }
    *largest_ = largest;
  }

 protected:
  virtual bool writes(std::int64_t) const { return true; }

  std::int64_t n_;
  float* v_ = nullptr;
  float* x_ = nullptr;
  unsigned char* signs_ = nullptr;
  float* largest_ = nullptr;
};

// Leaves signs that are -1 alone: all bits set, as the poison has them.
class SkipsMinusOne : public Step_ {
 public:
  using Step_::Step_;

 protected:
  bool writes(std::int64_t i) const override { return x_[i] >= 0; }
};

class LosesTheMaximum : public Step_ {
 public:
  using Step_::Step_;
  void run(sdk::Stream stream) override {
    Step_::run(stream);
    *largest_ *= 0.5F;
  }
};

// Goes on from the values of the call before, however often it was called.
class StepsTwice : public Step_ {
 public:
  using Step_::Step_;
  void run(sdk::Stream stream) override {
    Step_::run(stream);
    Step_::run(stream);
  }
};

// Off by a thousandth, as a variant of low precision is.
class Rough : public trial::Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    Right::run(stream);
    for (std::int64_t i = 0; i < n_; ++i) y_[i] *= 1.001F;
  }
};

class RoughByContract : public Rough {
 public:
  using Rough::Rough;
  [[nodiscard]] std::optional<sdk::Tolerance> tolerance() const override { return sdk::Tolerance{2e-3}; }
  [[nodiscard]] std::optional<sdk::DType> multiplies() const override { return sdk::DType::e4m3; }
};

class StricterThanTheWorkload : public trial::Right {
 public:
  using Right::Right;
  [[nodiscard]] std::optional<sdk::Tolerance> tolerance() const override { return sdk::Tolerance{1e-12}; }
  void run(sdk::Stream stream) override {
    Right::run(stream);
    for (std::int64_t i = 0; i < n_; ++i) y_[i] *= 1.0000003F;
  }
};

template <class Workload, class Kernel>
ProcessResult measured(std::vector<std::string> metrics = {}) {
  Catalog catalog;
  EXPECT_TRUE(catalog.add({sdk::module_abi, sdk::compiler_abi, "test", [](sdk::Registry& registry) {
                             registry.add(std::make_unique<Workload>());
                             registry.add(trial::variant<Kernel>("one"));
                           }}));
  const std::unique_ptr<ScriptedDevice> device =
      scripted(R"({"version": 1, "default": {"us": 100, "overhead_us": 0}})");
  PlannedCase planned = planned_line("one", 101);
  planned.metrics = std::move(metrics);
  return measure_case(*device, catalog, planned, 1);
}

TEST(Tolerance, OfAVariantReplacesTheWorkloads) {
  const ProcessResult rough = measured<trial::Line, Rough>();
  EXPECT_EQ(rough.outcome, Outcome::incorrect);
  EXPECT_EQ(rough.verification->tolerance, 1e-6);
  const ProcessResult told = measured<trial::Line, RoughByContract>({"error"});
  EXPECT_EQ(told.outcome, Outcome::measured);
  EXPECT_EQ(told.verification->tolerance, 2e-3);
  EXPECT_EQ(told.multiplies, sdk::DType::e4m3);
  EXPECT_FALSE(rough.multiplies);
  EXPECT_NEAR(told.verification->before, 1e-3, 1e-5) << "the error is recorded whatever the contract";
  ASSERT_FALSE(told.series.empty());
  EXPECT_EQ(told.series.back().metric, "error");
  EXPECT_NEAR(told.series.back().processes[0].placements[0].samples[0], 1e-3, 1e-5);
  EXPECT_EQ((measured<trial::Line, StricterThanTheWorkload>().outcome), Outcome::incorrect);
}

TEST(InPlace, TensorsAreCheckedByTheirFirstValuesAfterEachOneCall) {
  const ProcessResult right = measured<Steps, Step_>();
  EXPECT_EQ(right.outcome, Outcome::measured) << (right.reason ? name_of(right.reason->code) : "");
  EXPECT_LT(right.verification->after, 1e-6) << "many calls were made since the first check";
  const ProcessResult twice = measured<Steps, StepsTwice>();
  EXPECT_EQ(twice.outcome, Outcome::incorrect);
  EXPECT_THAT(twice.reason, FactIs(CauseCode::wrong_values, {{"output", "v"}}));
}

TEST(SeveralOutputs, AreEachChecked) {
  const ProcessResult wrong = measured<Steps, LosesTheMaximum>();
  EXPECT_EQ(wrong.outcome, Outcome::incorrect);
  EXPECT_THAT(wrong.reason, FactIs(CauseCode::wrong_values, {{"output", "largest"}}));
}

TEST(Unwritten, WholeNumbersAreFoundThoughTheirRightValueIsThePoison) {
  const ProcessResult wrong = measured<Steps, SkipsMinusOne>();
  EXPECT_EQ(wrong.outcome, Outcome::incorrect);
  EXPECT_THAT(wrong.reason, FactIs(CauseCode::not_written, {{"output", "signs"}, {"of", 101}}));
}

}  // namespace
}  // namespace harness
