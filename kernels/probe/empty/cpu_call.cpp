// probe_empty/call: a virtual call that returns. The measured time is mostly two reads of the clock.
#include "harness/sdk/registry.h"

namespace probe {
namespace {

class Call final : public harness::sdk::Kernel {
 public:
  Call(const harness::sdk::Params&, const harness::sdk::Problem&, const harness::sdk::DeviceTraits&) {}
  void bind(const harness::sdk::Buffers&) override {}
  void run(harness::sdk::Stream) override {}
};

}  // namespace
}  // namespace probe

HARNESS_VARIANT(probe_empty, call, cpu, "a call that returns at once", probe::Call)
