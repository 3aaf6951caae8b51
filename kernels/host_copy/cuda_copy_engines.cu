// host_copy/copy_engines: a copy of the driver each way, on two streams.
#include "harness/sdk/registry.h"
#include "kernels/cuda_check.cuh"
#include "kernels/host_copy/host_copy.h"

namespace host_copy {
namespace {

using kernels::check;

class CopyEngines final : public harness::sdk::Kernel {
 public:
  CopyEngines(const harness::sdk::Params& params, const harness::sdk::Problem&,
              const harness::sdk::DeviceTraits&)
      : bytes_(static_cast<std::size_t>(params.integer("n")) * sizeof(float)) {
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

  void bind(const harness::sdk::Buffers& buffers) override {
    of_host_ = buffers.as<void>(of_host_index);
    of_device_ = buffers.as<void>(of_device_index);
    to_device_ = buffers.as<void>(to_device_index);
    to_host_ = buffers.as<void>(to_host_index);
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
  std::size_t bytes_;
  cudaStream_t back_ = nullptr;
  cudaEvent_t begun_ = nullptr;
  cudaEvent_t done_ = nullptr;
  const void* of_host_ = nullptr;
  const void* of_device_ = nullptr;
  void* to_device_ = nullptr;
  void* to_host_ = nullptr;
};

}  // namespace
}  // namespace host_copy

HARNESS_VARIANT(host_copy, copy_engines, cuda, "the driver's copies on two streams", host_copy::CopyEngines)
