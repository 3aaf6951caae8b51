// host_copy/copy_engines: a copy of the driver each way, on two streams.
#include "harness/sdk/registry.h"
#include "kernels/host_copy/host_copy.h"
#include "kernels/owned.cuh"

namespace host_copy {
namespace {

using kernels::check;

class CopyEngines final : public CopyKernel {
 public:
  CopyEngines(const harness::sdk::Params& params, const harness::sdk::Problem&,
              const harness::sdk::DeviceTraits&)
      : CopyKernel(params) {}

  void run(harness::sdk::Stream given) override {
    const auto stream = static_cast<cudaStream_t>(given.handle);
    kernels::follow(back_.get(), begun_, stream);
    check(cudaMemcpyAsync(to_device_, of_host_, bytes_, cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync to the device");
    check(cudaMemcpyAsync(to_host_, of_device_, bytes_, cudaMemcpyDeviceToHost, back_.get()),
          "cudaMemcpyAsync to the host");
    kernels::follow(stream, done_, back_.get());
  }

 private:
  kernels::OwnedStream back_ = kernels::make_stream();
  kernels::OwnedEvent begun_ = kernels::make_event(), done_ = kernels::make_event();
};

}  // namespace
}  // namespace host_copy

HARNESS_VARIANT(host_copy, copy_engines, cuda, "the driver's copies on two streams", host_copy::CopyEngines)
