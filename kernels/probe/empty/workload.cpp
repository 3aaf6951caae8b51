// probe_empty: nothing to do. Its time is the least cost of a call on this device.
#include <stdexcept>

#include "harness/sdk/registry.h"

namespace probe {
namespace {

using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Value;

class Empty final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "probe_empty"; }
  [[nodiscard]] std::string_view summary() const override { return "does nothing: what a call itself costs"; }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"blocks",
             ParamKind::integer,
             "thread blocks of the launch; ignored on a CPU",
             {},
             {Value{std::int64_t{1}}},
             1}};
  }

  // No tensors and no work: there is nothing to compare and nothing is claimed.
  [[nodiscard]] Problem problem(const Params& params) const override {
    constexpr std::int64_t most_blocks = 0x7FFFFFFF;  // of a grid's first dimension
    if (params.integer("blocks") > most_blocks)
      throw harness::sdk::Unsupported("blocks must be at most 2147483647, the limit of a grid");
    return {};
  }

  void reference(const Params&, std::span<const HostTensor>, std::size_t, std::span<const std::int64_t>,
                 std::span<double>) const override {
    throw std::out_of_range("probe_empty has no output");
  }
};

}  // namespace
}  // namespace probe

HARNESS_WORKLOAD(probe_empty, probe::Empty)
