// rms_norm_linear/separate: the reference: our kernel of rms_norm/fused, whose result goes to memory, then
// cuBLASLt.
#include "harness/sdk/registry.h"
#include "kernels/cublaslt_kernel.cuh"
#include "kernels/operators/cuda_rows.cuh"
#include "kernels/operators/rms_norm_linear/rms_norm_linear.h"
#include "kernels/operators/row_variant.h"
#include "kernels/product_work.h"

namespace operators::rms_norm_linear {
namespace {

class SeparateNormLinear final : public kernels::CublasLtKernel {
 public:
  SeparateNormLinear(const harness::sdk::Params& params, const harness::sdk::Problem&,
                     const harness::sdk::DeviceTraits& traits)
      : SeparateNormLinear(kernels::require_half_extents(shape_of(params)), traits) {}

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return kernels::library_workspace_bytes +
           static_cast<std::size_t>(shape_.m * shape_.k) * harness::sdk::size_of(shape_.dtype);
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    norm_.x = buffers.as<void>(x_index);
    norm_.weight = buffers.as<void>(gain_index);
    norm_.y = static_cast<char*>(buffers.workspace) + kernels::library_workspace_bytes;
    product().bind(norm_.y, buffers.as<void>(w_index), buffers.as<void>(y_index), buffers.workspace);
  }

  void run(harness::sdk::Stream stream) override {
    rows_.run<RmsNorm, every_stage>(norm_, shape_.dtype, stream);
    product().run(static_cast<cudaStream_t>(stream.handle));
  }

 private:
  SeparateNormLinear(const kernels::ProductShape& shape, const harness::sdk::DeviceTraits& traits)
      : CublasLtKernel(shape, {shape.dtype, shape.dtype}),
        shape_(shape),
        norm_(norm_of(shape)),
        rows_(traits) {
    rows_.require_possible<RmsNorm>({shape.dtype, shape.m, shape.k});
    find_algorithms("");
  }

  void prepare() override {
    rows_.run<RmsNorm, every_stage>(norm_, shape_.dtype, {});
    kernels::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  kernels::ProductShape shape_;
  RowArguments norm_;
  CudaRows rows_;
};

}  // namespace
}  // namespace operators::rms_norm_linear

HARNESS_VARIANT(rms_norm_linear, separate, cuda, "RMSNorm's kernel, then cuBLASLt, the fastest of up to 16",
                operators::rms_norm_linear::SeparateNormLinear)
