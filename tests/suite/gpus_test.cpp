// Cases of several GPUs in a plan: how many a workload asks for, and what is skipped where there are fewer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/suite/load_suite.h"
#include "test_catalog.h"

namespace harness::test {
namespace {

using testing::HasSubstr;

// gpus: values 8 on as many GPUs. 9 GPUs: a tensor lies on one more. 99: more than any case has.
class Team final : public sdk::Workload {
 public:
  std::string_view name() const override { return "team"; }
  std::string_view summary() const override { return "something together"; }
  std::vector<sdk::ParamSpec> params() const override {
    return {{"gpus", sdk::ParamKind::integer, "GPUs", {}, {}, 1}};
  }
  sdk::Problem problem(const sdk::Params& params) const override {
    sdk::Problem problem;
    problem.gpus = static_cast<int>(params.integer("gpus"));
    problem.work.link_bytes = 64;
    const int last = problem.gpus == 9 ? 9 : problem.gpus - 1;
    problem.tensors = {{"y", sdk::Role::output, sdk::DType::f32, {8}, last}};
    return problem;
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor>, std::size_t,
                 std::span<const std::int64_t>, std::span<double>) const override {}
};

void register_team(sdk::Registry& registry) {
  registry.add(std::make_unique<Team>());
  registry.add(sdk::Variant{"team", "links", "cuda", "", nullptr, "", sdk::Absence::in_cuda_module});
  registry.add(sdk::Variant{"team", "threads", "cpu", "",
                            [](const sdk::Params&, const sdk::Problem&, const sdk::DeviceTraits&)
                                -> std::unique_ptr<sdk::Kernel> { return nullptr; }});
}

Checked<Plan> plan_on(const std::string& gpus, const PlanOptions& options) {
  const Checked<Suite> suite = parse_suite(
      suite_text("  - {workload: team, variants: [links, threads], axes: {gpus: " + gpus + "}}\n"), "s.yaml");
  Catalog catalog;
  EXPECT_TRUE(catalog.add({sdk::module_abi, sdk::compiler_abi, "team", register_team}));
  return make_plan(*suite, catalog, options);
}

PlanOptions with(int gpus, const std::string& chosen = "") {
  PlanOptions options;
  options.gpus["cuda"] = {gpus, chosen};
  return options;
}

TEST(Gpus, ACaseSaysHowManyItUses) {
  const auto plan = plan_on("[1, 4]", with(4));
  ASSERT_TRUE(plan) << text_of(plan.error());
  ASSERT_EQ(plan->cases.size(), 4U);
  EXPECT_EQ(plan->cases[0].gpus, 1);
  EXPECT_EQ(plan->cases[2].id, "team/links/gpus=4");
  EXPECT_EQ(plan->cases[2].gpus, 4);
  EXPECT_EQ(plan->cases[2].link_bytes, 64);
  for (const PlannedCase& one : plan->cases) EXPECT_FALSE(one.skip) << one.id;
  const CaseRecord record = planned_record(plan->cases[2]);
  EXPECT_EQ(record.gpus, 4);
  EXPECT_EQ(record.link_bytes, 64);
}

TEST(Gpus, AMissingOneIsASkipWithItsReasonAndACpuHasThreads) {
  const auto plan = plan_on("[1, 2]", with(1));
  ASSERT_TRUE(plan) << text_of(plan.error());
  EXPECT_FALSE(plan->cases[0].skip);
  EXPECT_FALSE(plan->cases[1].skip);
  EXPECT_EQ(plan->cases[2].skip, (Cause{CauseCode::too_few_gpus, {{"needs", 2}, {"has", 1}}}));
  EXPECT_FALSE(plan->cases[3].skip) << plan->cases[3].id;
  const auto chosen = plan_on("2", with(1, "cuda:3"));
  ASSERT_TRUE(chosen) << text_of(chosen.error());
  EXPECT_EQ(chosen->cases[0].skip->text("device"), "cuda:3");
}

TEST(Gpus, WithoutAnyGpuThatIsTheReason) {
  PlanOptions options = with(1);
  options.unavailable_devices["cuda"] = Cause{CauseCode::no_driver};
  const auto plan = plan_on("2", options);
  ASSERT_TRUE(plan) << text_of(plan.error());
  EXPECT_EQ(plan->cases[0].skip, Cause{CauseCode::no_driver});
}

TEST(Gpus, ImpossibleNumbersAreErrors) {
  const auto beyond = plan_on("9", with(16));
  ASSERT_FALSE(beyond);
  EXPECT_THAT(text_of(beyond.error()), HasSubstr("`y` lies on GPU 9 of 9"));
  const auto many = plan_on("99", with(16));
  ASSERT_FALSE(many);
  EXPECT_THAT(text_of(many.error()), HasSubstr("99 GPUs"));
}

}  // namespace
}  // namespace harness::test
