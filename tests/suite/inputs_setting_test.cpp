// The inputs that a suite states for its cases: where a key wins, and what is wrong with a name or a file.
#include "harness/suite/plan/inputs_setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "harness/base/files.h"
#include "harness/suite/load_suite.h"
#include "test_catalog.h"

namespace harness::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* fitting =
    R"({"x": {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]},
        "i": {"dtype": "I32", "shape": [1], "data_offsets": [12, 16]}})";

// A suite in a folder with a file of tensors, `data/x.safetensors`.
class SuiteWithInputs : public testing::Test {
 protected:
  SuiteWithInputs() {
    std::filesystem::create_directory(folder_.path() / "data");
    write(fitting);
  }

  void write(const std::string& header, char last = 0) {
    const std::uint64_t length = header.size();
    std::string text(sizeof(length), '\0');
    std::memcpy(text.data(), &length, sizeof(length));
    std::ofstream(file(), std::ios::binary) << text << header << std::string(15, '\0') << last;
  }
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "data" / "x.safetensors"; }

  Checked<Plan> plan(const std::string& cases, const std::string& defaults = {},
                     const PlanOptions& options = {}) {
    const std::filesystem::path path = folder_.path() / "suite.yaml";
    std::ofstream(path) << "version: 2\nname: s\n" << defaults << "cases:\n" << cases;
    const auto suite = load_suite(path.string());
    if (!suite) return tl::unexpected(suite.error());
    return make_plan(*suite, test_catalog(), options);
  }
  std::string errors(const std::string& cases, const std::string& defaults = {}) {
    const auto made = plan(cases, defaults);
    return made ? "" : text_of(made.error());
  }

 private:
  TemporaryFolder folder_;
};

constexpr const char* one_case = "  - {workload: gemm, variant: plain, axes: {dtype: f32, m: 1, n: 1}";

TEST_F(SuiteWithInputs, AreDrawnUnlessAKeySaysOtherwise) {
  const auto made = plan(
      "  - workload: gemm\n    variant: plain\n    axes: {dtype: f32, m: [1, 2, 3], n: 1}\n"
      "    sampling: {inputs: uniform}\n"
      "    overrides:\n      - {match: {m: 2}, sampling: {inputs: drawn}}\n"
      "      - {match: {m: 3}, sampling: {inputs: data/x.safetensors}}\n" +
          std::string(one_case) + "}\n",
      "defaults: {sampling: {inputs: zeros}}\n");
  ASSERT_FALSE(made) << "the same case twice";
  const auto good = plan(
      "  - workload: gemm\n    variant: plain\n    axes: {dtype: f32, m: [1, 2, 3], n: 1}\n"
      "    sampling: {inputs: uniform}\n"
      "    overrides:\n      - {match: {m: 2}, sampling: {inputs: drawn}}\n"
      "      - {match: {m: 3}, sampling: {inputs: data/x.safetensors}}\n"
      "  - {workload: gemm, variant: tiled, axes: {dtype: f32, m: 1, n: 1}}\n",
      "defaults: {sampling: {inputs: zeros}}\n");
  ASSERT_TRUE(good) << text_of(good.error());
  EXPECT_EQ(good->cases[0].sampling.inputs, "uniform");
  EXPECT_EQ(good->cases[1].sampling.inputs, "drawn");
  EXPECT_EQ(good->cases[2].sampling.inputs, "data/x.safetensors") << "as written";
  EXPECT_EQ(good->cases[2].inputs_file, file().string());
  EXPECT_EQ(good->cases[2].sampling.inputs_hash.size(), 32U);
  EXPECT_EQ(good->cases[3].sampling.inputs, "zeros");
  for (const PlannedCase& one : good->cases) EXPECT_FALSE(one.suite_sampling);
  const auto none = plan(std::string(one_case) + "}\n");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->cases[0].sampling, Sampling{});
}

TEST_F(SuiteWithInputs, AreAnAxisToo) {
  PlanOptions options;
  options.axes = {{"inputs=normal", "inputs", {sdk::Value{std::string("normal")}}}};
  const std::string cases =
      "  - {workload: gemm, variant: plain, axes: {dtype: f32, m: 1, n: 1, inputs: [drawn, zeros]}}\n";
  const auto made = plan(cases);
  ASSERT_TRUE(made) << text_of(made.error());
  ASSERT_EQ(made->cases.size(), 2U);
  EXPECT_EQ(made->cases[1].sampling.inputs, "zeros");
  EXPECT_THAT(made->cases[1].id, HasSubstr("inputs=zeros"));
  const auto set = plan(cases, {}, options);
  ASSERT_TRUE(set) << text_of(set.error());
  ASSERT_EQ(set->cases.size(), 1U);
  EXPECT_EQ(set->cases[0].sampling.inputs, "normal");
}

TEST_F(SuiteWithInputs, ThatAreWrongAreToldWithTheirPlace) {
  EXPECT_THAT(errors(std::string(one_case) + ", sampling: {inputs: zeroes}}\n"),
              AllOf(HasSubstr("suite.yaml:4:"), HasSubstr("zeroes"),
                    HasSubstr("`drawn`, `zeros`, `uniform` or `normal`")));
  EXPECT_NE(errors(std::string(one_case) + ", sampling: {inputs: 0}}\n"), "");
  EXPECT_NE(errors(std::string(one_case) + ", sampling: {inputs: ''}}\n"), "");
  EXPECT_THAT(errors("  - {workload: nop, variant: only, sampling: {inputs: zeros}}\n"),
              AllOf(HasSubstr("suite.yaml:4:"), HasSubstr("no input that takes `zeros`"),
                    HasSubstr("inputs: drawn")));
  write(R"({"x": {"dtype": "F16", "shape": [3, 2], "data_offsets": [0, 12]}})");
  EXPECT_THAT(errors(std::string(one_case) + ",\n     sampling: {inputs: data/x.safetensors}}\n"),
              AllOf(HasSubstr("suite.yaml:5:"), HasSubstr("x.safetensors"), HasSubstr("F16 [3, 2]"),
                    HasSubstr("F16 [2, 3]"), HasSubstr("gemm/plain")));
}

TEST_F(SuiteWithInputs, OfABaselineAreFoundWhereTheFileIsTheSame) {
  const auto made = plan(std::string(one_case) + ", sampling: {inputs: data/x.safetensors}}\n");
  ASSERT_TRUE(made) << text_of(made.error());
  const PlannedCase& planned = made->cases.front();
  EXPECT_EQ(find_stated_file(planned, planned.sampling), file().string());
  write(fitting, 1);
  EXPECT_EQ(find_stated_file(planned, planned.sampling), "") << "other bytes";
  std::filesystem::remove(file());
  EXPECT_EQ(find_stated_file(planned, planned.sampling), "");
}

}  // namespace
}  // namespace harness::test
