// host_copy/copy_engines: a copy of the driver each way, on two streams.
#include "harness/sdk/registry.h"
#include "kernels/cuda_check.cuh"
#include "kernels/host_copy/host_copy.h"

namespace host_copy {
namespace {

using kernels::check;

class CopyEngines final : public CopyKernel {
 public:
  CopyEngines(const harness::sdk::Params& params, const harness::sdk::Problem&,
              const harness::sdk::DeviceTraits&)
      : CopyKernel(params) {
    check(cudaStreamCreateWithFlags(&back_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    for (cudaEvent_t* event : {&begun_, &done_})
      check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  CopyEngines(const CopyEngines&) = delete;
  CopyEngines& operator=(const CopyEngines&) = delete;
  ~CopyEngines() override {
    for (cudaEvent_t event : {begun_, done_}) (void)cudaEventDestroy(event);
    (void)cudaStreamDestroy(back_);
  }

  void run(harness::sdk::Stream given) override {
    const auto stream = static_cast<cudaStream_t>(given.handle);
    check(cudaEventRecord(begun_, stream), "cudaEventRecord");
    check(cudaStreamWaitEvent(back_, begun_, 0), "cudaStreamWaitEvent");
    check(cudaMemcpyAsync(to_device_, of_host_, bytes_, cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync to the device");
    check(cudaMemcpyAsync(to_host_, of_device_, bytes_, cudaMemcpyDeviceToHost, back_),
          "cudaMemcpyAsync to the host");
    check(cudaEventRecord(done_, back_), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream, done_, 0), "cudaStreamWaitEvent");
  }

 private:
  cudaStream_t back_ = nullptr;
  cudaEvent_t begun_ = nullptr;
  cudaEvent_t done_ = nullptr;
};

}  // namespace
}  // namespace host_copy

HARNESS_VARIANT(host_copy, copy_engines, cuda, "the driver's copies on two streams", host_copy::CopyEngines)
