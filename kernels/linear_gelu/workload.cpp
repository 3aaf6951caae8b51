#include "harness/sdk/registry.h"
namespace { class W final : public harness::sdk::Workload {
 public:
  std::string_view name() const override { return "linear_gelu"; }
  std::string_view summary() const override { return ""; }
  std::vector<harness::sdk::ParamSpec> params() const override { return {}; }
  harness::sdk::Problem problem(const harness::sdk::Params&) const override { return {}; }
  void reference(const harness::sdk::Params&, std::span<const harness::sdk::HostTensor>, std::size_t, std::span<const std::int64_t>, std::span<double>) const override {}
};}
HARNESS_WORKLOAD(linear_gelu, W)
