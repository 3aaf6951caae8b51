// linear_gelu/wmma_fused: one kernel of our own on the Tensor Cores (mma.sync) whose epilogue adds the bias
// and applies GELU in registers. The product is gemm/mma_tile.cuh, the epilogue gelu_epilogue.cuh.
#include "harness/sdk/registry.h"
#include "kernels/cuda_check.cuh"
#include "kernels/gemm/mma_tile.cuh"
#include "kernels/gemm/run_mma.cuh"
#include "kernels/linear_gelu/gelu_epilogue.cuh"

namespace linear_gelu {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::DType;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class WmmaFused final : public harness::sdk::Kernel {
 public:
  WmmaFused(const Params& params, const Problem&, const DeviceTraits& traits) : shape_(shape_of(params)) {
    require_half_precision(shape_);
    const bool erf = shape_.gelu == Gelu::erf_form;
    if (shape_.dtype == DType::f16)
      erf ? make<ptx::F16, Gelu::erf_form>(traits) : make<ptx::F16, Gelu::tanh_form>(traits);
    else
      erf ? make<ptx::BF16, Gelu::erf_form>(traits) : make<ptx::BF16, Gelu::tanh_form>(traits);
  }

  void bind(const Buffers& buffers) override { bind_(buffers); }
  void run(Stream stream) override { run_(static_cast<cudaStream_t>(stream.handle)); }

 private:
  template <class Element, Gelu Form>
  void make(const DeviceTraits& traits) {
    using Epilogue = GeluEpilogue<Element, Form>;
    auto product = std::make_shared<gemm::MmaProduct<Element, Epilogue>>(product_shape(shape_), traits);
    bind_ = [product](const Buffers& buffers) {
      product->bind(buffers.as<void>(x_index), buffers.as<void>(w_index), buffers.as<void>(y_index),
                    {buffers.as<typename Element::Storage>(bias_index)});
    };
    run_ = [product](cudaStream_t stream) { product->run(stream); };
  }

  Shape shape_;
  std::function<void(const Buffers&)> bind_;
  std::function<void(cudaStream_t)> run_;
};

}  // namespace
}  // namespace linear_gelu

HARNESS_VARIANT(linear_gelu, wmma_fused, cuda, "own mma.sync kernel; bias and GELU in registers",
                linear_gelu::WmmaFused)
