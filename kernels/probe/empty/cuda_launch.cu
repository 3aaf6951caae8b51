// probe_empty/launch: a kernel of one warp a block that ends at once. By an event pair it shows the floor of
// that measure, by a batch what one launch costs the device.
#include <cuda_runtime.h>

#include "harness/sdk/registry.h"
#include "kernels/cuda_check.cuh"

namespace probe {
namespace {

__global__ void empty_kernel() {}

class Launch final : public harness::sdk::Kernel {
 public:
  Launch(const harness::sdk::Params& params, const harness::sdk::Problem&, const harness::sdk::DeviceTraits&)
      : blocks_(static_cast<unsigned>(params.integer("blocks"))) {}

  void bind(const harness::sdk::Buffers&) override {}
  void run(harness::sdk::Stream stream) override {
    empty_kernel<<<blocks_, 32, 0, static_cast<cudaStream_t>(stream.handle)>>>();
    kernels::check(cudaGetLastError(), "launch of empty_kernel");
  }

 private:
  unsigned blocks_;
};

}  // namespace
}  // namespace probe

HARNESS_VARIANT(probe_empty, launch, cuda, "a kernel that ends at once", probe::Launch)
