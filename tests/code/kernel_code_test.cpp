// The kernels of cubins that nvcc wrote (fuzz/corpus/cubin).
#include "harness/code/kernel_code.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "harness/code/instructions.h"
#include "harness/code/ptx.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::Key;

std::string image(const std::string& name) {
  std::ifstream in(std::string(HARNESS_SOURCE_DIR) + "/tests/fuzz/corpus/cubin/" + name, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

std::map<std::string, KernelCode> kernels(const std::string& text) {
  const Result<CubinCode> code = read_cubin(std::as_bytes(std::span(text)));
  if (!code) ADD_FAILURE() << code.error().text();
  std::map<std::string, KernelCode> by_name;
  for (const KernelCode& one : code ? code->kernels : std::vector<KernelCode>()) by_name[one.name] = one;
  return by_name;
}

TEST(KernelCode, TellsTheKernelThatDiffersBesideOneThatDoesNot) {
  const auto before = kernels(image("base.cubin")), after = kernels(image("changed.cubin"));
  EXPECT_THAT(before, ElementsAre(Key("_Z3addPfPKfi"), Key("_Z5scalePff")));
  EXPECT_NE(before.at("_Z3addPfPKfi").code, after.at("_Z3addPfPKfi").code);
  EXPECT_EQ(before.at("_Z5scalePff").code, after.at("_Z5scalePff").code);
}

TEST(KernelCode, TellsFigures) {
  for (const auto& [name, one] : kernels(image("base.cubin"))) {
    EXPECT_GT(one.figures.registers, 0) << name;
    EXPECT_GT(one.figures.instructions, 5) << name;
    EXPECT_GT(one.figures.by_class[static_cast<std::size_t>(InstructionClass::global)], 0) << name;
    EXPECT_EQ(one.figures.stack_bytes, 0) << name;
  }
}

TEST(KernelCode, VariablesOfTheImageAreItsSurroundings) {
  const std::string before = image("globals.cubin");
  std::string after = before;
  const std::string table("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40", 16);  // 1, 2, 3, 4
  const std::size_t at = after.find(table);
  ASSERT_NE(at, std::string::npos);
  after[at + 2] ^= 1;
  const auto one = kernels(before), other = kernels(after);
  for (const auto& [name, kernel] : one) {
    EXPECT_EQ(kernel.code, other.at(name).code) << name;
    EXPECT_NE(kernel.whole, other.at(name).whole) << name;
  }
}

TEST(KernelCode, CutOffAnywhereIsRefusedOrRead) {
  const std::string whole = image("globals.cubin");
  for (std::size_t size = 0; size < whole.size(); size += 67) {
    const std::string part = whole.substr(0, size);
    const Result<CubinCode> code = read_cubin(std::as_bytes(std::span(part)));
    EXPECT_TRUE(code || !code.error().message.empty());
  }
}

TEST(SourceName, LeavesOutWhatIsMadeOfAFile) {
  EXPECT_EQ(
      source_name("_ZN7harness4cuda47_GLOBAL__N__b653a67e_14_gpu_kernels_cu_404a394a13spinning_gateEPVKj"),
      "_ZN7harness4cuda12_GLOBAL__N_113spinning_gateEPVKj");
  EXPECT_EQ(source_name("_ZN2x235_GLOBAL__N__cdf97781_6_one_cu_table6hiddenEPf"),
            "_ZN2x212_GLOBAL__N_16hiddenEPf");
  EXPECT_EQ(source_name("$__internal_12_$__cuda_sm20_rcp_rn_f32_slowpath"),
            "$__internal__$__cuda_sm20_rcp_rn_f32_slowpath");
  for (const char* other : {"_Z5scalePff", "", "_GLOBAL__N__", "_GLOBAL__N__b653a67e_999_x", "47_INTERNAL_0"})
    EXPECT_EQ(source_name(other), other);
}

TEST(KernelKey, IsThatOfTheFunctionWhichLaunchesIt) {
  EXPECT_EQ(kernel_key("_ZL6stagedILi2EEv9Arguments"), kernel_key("_Z6stagedILi2EEv9Arguments"));
  EXPECT_EQ(kernel_key("_ZN2nsL8internalEPf"), kernel_key("_ZN2ns8internalEPf"));
  EXPECT_NE(kernel_key("_Z6stagedILi2EEv9Arguments"), kernel_key("_Z6stagedILi3EEv9Arguments"));
}

TEST(Operations, EachCodeStandsOnce) {
  std::map<int, std::string_view> seen;
  for (const Operation& one : operations()) EXPECT_TRUE(seen.emplace(one.code, one.name).second) << one.name;
}

// ci/check_operations.sh reads these lines.
TEST(Operations, AreListed) {
  for (const Operation& one : operations()) std::printf("operation %03x %s\n", one.code, one.name.data());
}

constexpr const char* ptx = R"(.version 9.0
.target sm_80
// a comment
.visible .const .align 4 .f32 scale = 0f3F800000;
.visible .entry first(
	.param .u64 first_param_0
)
{
	.loc 1 12 3
	@%p1 bra $L__BB0_2;
	add.s32 %r1, %r2, 1;
$L__BB0_2:
	ret;
}
.visible .entry second(
)
{
	ret;
}
)";

std::string with(std::string text, const std::string& old, const std::string& now) {
  text.replace(text.find(old), old.size(), now);
  return text;
}

TEST(Ptx, ComparesKernelByKernel) {
  const auto of = [](const std::string& text) {
    std::map<std::string, KernelCode> found;
    for (const KernelCode& one : kernels_of_ptx(text)) found[one.name] = one;
    return found;
  };
  const auto before = of(ptx), added = of(with(ptx, "%r2, 1", "%r2, 2"));
  EXPECT_THAT(before, ElementsAre(Key("first"), Key("second")));
  EXPECT_NE(before.at("first").code, added.at("first").code);
  EXPECT_EQ(before.at("second").whole, added.at("second").whole);
  const auto lines = of(with(with(with(ptx, ".loc 1 12", ".loc 1 14"), "BB0_2", "BB7_2"), "BB0_2", "BB7_2"));
  EXPECT_EQ(before.at("first").whole, lines.at("first").whole);
  const auto constant = of(with(ptx, "0f3F80", "0f4F80"));
  EXPECT_EQ(before.at("second").code, constant.at("second").code);
  EXPECT_NE(before.at("second").whole, constant.at("second").whole);
}

}  // namespace
}  // namespace harness
