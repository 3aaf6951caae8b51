// host_copy/copies: on a CPU, where host and device are one.
#include <cstring>

#include "harness/sdk/registry.h"
#include "kernels/host_copy/host_copy.h"

namespace host_copy {
namespace {

class Copies final : public CopyKernel {
 public:
  Copies(const harness::sdk::Params& params, const harness::sdk::Problem&, const harness::sdk::DeviceTraits&)
      : CopyKernel(params) {}

  void run(harness::sdk::Stream) override {
    std::memcpy(to_device_, of_host_, bytes_);
    std::memcpy(to_host_, of_device_, bytes_);
  }
};

}  // namespace
}  // namespace host_copy

HARNESS_VARIANT(host_copy, copies, cpu, "a copy each way, one after the other", host_copy::Copies)
