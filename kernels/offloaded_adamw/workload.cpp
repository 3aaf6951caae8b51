// The workload offloaded_adamw: a step of AdamW whose moments lie in the host's memory.
#include "harness/sdk/registry.h"
#include "kernels/adamw/adamw_workload.h"

namespace adamw {
namespace {

class OnHost final : public AdamWWorkload {
 public:
  OnHost() : AdamWWorkload(harness::sdk::host_memory) {}
  [[nodiscard]] std::string_view name() const override { return "offloaded_adamw"; }
  [[nodiscard]] std::string_view summary() const override {
    return "a step of AdamW on n weights whose moments lie in the host's memory, in place, float32";
  }
};

}  // namespace
}  // namespace adamw

HARNESS_WORKLOAD(offloaded_adamw, adamw::OnHost)
