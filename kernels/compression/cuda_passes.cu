#include "harness/sdk/registry.h"
#include "kernels/compression/compress_kernels.cuh"
#include "kernels/cuda_check.cuh"

namespace compression {
namespace {

class CompressDevice {
 public:
  explicit CompressDevice(int multiprocessors) : multiprocessors_(multiprocessors) {}
  void use(harness::sdk::Stream stream) { stream_ = static_cast<cudaStream_t>(stream.handle); }
  [[nodiscard]] int multiprocessors() const { return multiprocessors_; }
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), unsigned grid, const Arguments&... arguments) {
    kernel<<<grid, compress_threads, 0, stream_>>>(arguments...);
    kernels::check(cudaGetLastError(), "launch of a kernel of compression");
  }
  void zero(void* at, std::size_t bytes) {
    kernels::check(cudaMemsetAsync(at, 0, bytes, stream_), "cudaMemsetAsync");
  }

 private:
  int multiprocessors_;
  cudaStream_t stream_ = nullptr;
};

class Passes final : public harness::sdk::Kernel {
 public:
  Passes(const harness::sdk::Params& params, const harness::sdk::Problem&,
         const harness::sdk::DeviceTraits& traits)
      : settings_(settings_of(params)),
        n_(params.integer("n")),
        device_(traits.multiprocessors),
        compressor_(settings_, n_) {}

  [[nodiscard]] std::size_t workspace_bytes() const override { return compressor_.workspace_bytes(); }
  void bind(const harness::sdk::Buffers& buffers) override {
    residual_ = buffers.as<float>(residual_index);
    gradient_ = buffers.as<const float>(gradient_index);
    restored_ = buffers.as<float>(restored_index);
    workspace_ = buffers.workspace;
  }
  void run(harness::sdk::Stream stream) override {
    device_.use(stream);
    compressor_.run(device_, residual_, gradient_, restored_, workspace_);
  }
  // By the pairs of the last call.
  void report(harness::sdk::MetricSink& sink) const override {
    std::uint32_t kept = 0;
    if (settings_.form == Form::largest)
      kernels::check(cudaMemcpy(&kept, &static_cast<const Selection*>(workspace_)->kept, sizeof kept,
                                cudaMemcpyDeviceToHost),
                     "cudaMemcpy");
    const double bytes = compressed_bytes(settings_, n_, kept);
    sink.report("ratio", 4 * static_cast<double>(n_) / std::max(bytes, 1.0));
  }

 private:
  Settings settings_;
  std::int64_t n_;
  CompressDevice device_;
  Compressor<CompressDevice> compressor_;
  float* residual_ = nullptr;
  const float* gradient_ = nullptr;
  float* restored_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace
}  // namespace compression

HARNESS_VARIANT(compression, passes, cuda,
                "largest values by a radix search of their threshold in three passes; INT8 in one",
                compression::Passes)
