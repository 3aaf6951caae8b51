// The kernel that masks compile at run time, compiled by NVRTC: that needs no GPU. Skipped where there is no
// NVRTC.
#include <gmock/gmock.h>

#include "kernels/masks/specialise.h"
#include "kernels/nvrtc/compiled.h"
#include "tests/kernels/masks_case.h"

namespace masks {
namespace {

class CompiledMasks : public testing::Test {
 protected:
  void SetUp() override {
    try {
      library_ = &kernels::NvrtcLibrary::instance();
    } catch (const harness::sdk::Unsupported& reason) {
      GTEST_SKIP() << reason.what();
    }
  }
  [[nodiscard]] std::string machine_code(const MaskCase& one, bool dense) const {
    const Shape shape = shape_of(masks_params(one));
    const Rules rules(shape);
    const kernels::Compiled result = kernels::compiled(
        *library_, kernel_source(shape, rules.mask(), rules.score(), dense).text, kernels::KeptCode::never);
    // ptxas says so where the kernel would be several times slower.
    EXPECT_THAT(result.log, testing::Not(testing::HasSubstr("setmaxnreg")));
    EXPECT_THAT(result.log, testing::Not(testing::HasSubstr("serializ")));
    return {result.cubin.begin(), result.cubin.end()};
  }
  const kernels::NvrtcLibrary* library_ = nullptr;
};

TEST_F(CompiledMasks, AreMachineCodeWithTheNameOfTheKernel) {
  // Every operator and function at once.
  const MaskCase one{
      .mask = "(k <= q && q - k < 8 * heads) || !(document(q) != document(k)) || q % 3 == abs(-k) / 2",
      .score =
          "(score > 0 ? min(score, 5.5) : max(score, -1e1)) - exp2(-8.0 * (head + 1) / heads) * "
          "abs(q - k) + exp(-tanh(score)) + (q >= sequence - 1 || false ? document(k) : min(q, k))",
      .s = 1024,
      .h = 16,
      .documents = 3};
  const Shape shape = shape_of(masks_params(one));
  const KernelSource source =
      kernel_source(shape, Expression::mask(one.mask), Expression::score(one.score), false);
  EXPECT_THAT(machine_code(one, false), testing::AllOf(testing::StartsWith("\x7F"
                                                                           "ELF"),
                                                       testing::HasSubstr(source.name)));
}

TEST_F(CompiledMasks, OfADenseMaskAreMachineCodeToo) {
  EXPECT_THAT(machine_code({.mask = "k <= q", .s = 128, .d = 128, .dtype = "bf16"}, true),
              testing::StartsWith("\x7F"
                                  "ELF"));
}

TEST_F(CompiledMasks, SayWhatTheCompilerSays) {
  KernelSource source =
      kernel_source(shape_of(masks_params({})), Expression::mask("true"), Expression::score("score"), false);
  source.text += "no such thing;\n";
  EXPECT_THAT([&] { kernels::compiled(*library_, source.text); },
              testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("no such thing")));
}

TEST(MaskKernels, HaveANameForEachTextAndNoOther) {
  const auto name = [](const MaskCase& one, bool dense) {
    const Shape shape = shape_of(masks_params(one));
    return kernel_source(shape, Expression::mask(one.mask), Expression::score(one.score), dense).name;
  };
  EXPECT_EQ(name({.mask = "k <= q", .s = 5}, false), name({.mask = "k<=q", .s = 9}, false));
  EXPECT_NE(name({.mask = "k <= q"}, false), name({.mask = "k < q"}, false));
  EXPECT_NE(name({.mask = "k <= q"}, false), name({.mask = "k <= q", .d = 128}, false));
  EXPECT_NE(name({.mask = "k <= q"}, false), name({.mask = "k <= q", .dtype = "bf16"}, false));
  EXPECT_NE(name({.mask = "k <= q"}, false), name({.mask = "k <= q"}, true));
  EXPECT_EQ(name({.mask = "k <= q"}, true), name({.mask = "k < q"}, true));
}

}  // namespace
}  // namespace masks
