#include "test_catalog.h"
#include "harness/suite/load_suite.h"

#include <memory>
#include <stdexcept>

namespace harness::test {
namespace {

using sdk::ParamKind;

class Gemm final : public sdk::Workload {
 public:
  std::string_view name() const override { return "gemm"; }
  std::string_view summary() const override { return "a product"; }
  std::vector<sdk::ParamSpec> params() const override {
    return {{"dtype", ParamKind::text, "element type", {"f32", "f16", "bf16"}, {}, 1},
            {"m", ParamKind::integer, "rows", {}, {}, 1},
            {"n", ParamKind::integer, "columns", {}, {}, 1},
            {"scale", ParamKind::real, "factor", {}, {sdk::Value{1.0}}, 1},
            {"fast", ParamKind::boolean, "skip something", {}, {sdk::Value{false}}, 1},
            {"form", ParamKind::text, "free text", {}, {sdk::Value{std::string("tanh")}}, 1}};
  }
  sdk::Problem problem(const sdk::Params& params) const override {
    if (params.integer("m") == 13) throw std::invalid_argument("13 rows bring bad luck");
    if (params.text("dtype") == "bf16" && params.integer("n") > 4096)
      throw sdk::Unsupported("bf16 is limited to n <= 4096");
    sdk::Problem problem;
    problem.tensors = {{"x", sdk::Role::input, sdk::DType::f16, {2, 3}},
                       {"i", sdk::Role::input, sdk::DType::i32, {1}},
                       {"y", sdk::Role::output, sdk::DType::f32, {9}}};
    problem.work.items = static_cast<double>(params.integer("m"));
    problem.work.item_name = "rows";
    return problem;
  }
  std::vector<sdk::MetricSpec> metrics() const override {
    return {{"residual", "", sdk::Better::lower, "what is left over"},
            {"accuracy", "%", sdk::Better::higher, "of its results"}};
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor>, std::size_t,
                 std::span<const std::int64_t>, std::span<double>) const override {}
};

class Nop final : public sdk::Workload {
 public:
  std::string_view name() const override { return "nop"; }
  std::string_view summary() const override { return "nothing"; }
  std::vector<sdk::ParamSpec> params() const override { return {}; }
  sdk::Problem problem(const sdk::Params&) const override { return {}; }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor>, std::size_t,
                 std::span<const std::int64_t>, std::span<double>) const override {}
};

std::unique_ptr<sdk::Kernel> no_kernel(const sdk::Params&, const sdk::Problem&, const sdk::DeviceTraits&) {
  return nullptr;
}

void register_all(sdk::Registry& registry) {
  registry.add(std::make_unique<Gemm>());
  registry.add(std::make_unique<Nop>());
  registry.add(sdk::Variant{"gemm", "plain", "cpu", "", no_kernel});
  registry.add(sdk::Variant{"gemm", "tiled", "cpu", "", no_kernel});
  registry.add(sdk::Variant{"gemm", "library", "cuda", "", nullptr, "", sdk::Absence::in_cuda_module});
  registry.add(sdk::Variant{"gemm", "wmma", "cuda", "", nullptr, "", sdk::Absence::in_cuda_module});
  registry.add(sdk::Variant{"gemm", "blackwell", "cuda", "", nullptr, "", sdk::Absence::architecture, "100a",
                            "80;90a"});
  registry.add(sdk::Variant{"nop", "only", "cpu", "", no_kernel});
}

}  // namespace

Catalog test_catalog() {
  Catalog catalog;
  const Status added = catalog.add({sdk::module_abi, sdk::compiler_abi, "test", register_all});
  if (!added) throw std::logic_error(added.error().text());
  return catalog;
}

std::string text_of(const std::vector<Error>& errors) {
  std::string text;
  for (const Error& error : errors) text += error.text() + "\n";
  return text;
}

tl::expected<Plan, std::string> plan_of(const std::string& text, const PlanOptions& options,
                                        const std::string& file) {
  const Checked<Suite> suite = parse_suite(text, file);
  if (!suite) return tl::unexpected(text_of(suite.error()));
  Checked<Plan> plan = make_plan(*suite, test_catalog(), options);
  if (!plan) return tl::unexpected(text_of(plan.error()));
  return std::move(*plan);
}

std::string suite_text(const std::string& cases, const std::string& before) {
  return "version: 2\nname: test\n" + before + "cases:\n" + cases;
}

std::vector<std::string> ids(const Plan& plan) {
  std::vector<std::string> out;
  for (const PlannedCase& planned : plan.cases) out.push_back(planned.id);
  return out;
}

std::string errors_of(const std::string& text, const PlanOptions& options) {
  const auto plan = plan_of(text, options);
  return plan ? "" : plan.error();
}

}  // namespace harness::test
