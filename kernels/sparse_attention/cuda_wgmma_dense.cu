// sparse_attention/wgmma_dense: the reference: our own kernel of attention/wgmma, on all blocks.
#include "kernels/sparse_attention/wgmma_variant.cuh"

namespace sparse_attention {
namespace {

class WgmmaDense final : public WgmmaVariant {
 public:
  WgmmaDense(const harness::sdk::Params& params, const harness::sdk::Problem&,
             const harness::sdk::DeviceTraits& traits)
      : WgmmaVariant(dense(shape_of(params)), traits),
        kernel_(shape().dimension == 64 ? attention::wgmma_kernel<attention::Wgmma64, ptx::F16>
                                        : attention::wgmma_kernel<attention::Wgmma128, ptx::F16>) {
    kernels::allow_shared_memory(kernel_, shared_bytes(), traits);
    problem_.sequence = static_cast<int>(shape().sequence);
    problem_.dimension = static_cast<int>(shape().dimension);
    problem_.scale2 = scale2();
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    WgmmaVariant::bind(buffers);
    problem_.q = buffers.as<std::uint16_t>(q_index);
    problem_.k = buffers.as<std::uint16_t>(k_index);
    problem_.v = buffers.as<std::uint16_t>(v_index);
    problem_.o = buffers.as<std::uint16_t>(o_index);
  }
  void run(harness::sdk::Stream stream) override {
    launch(kernel_, problem_, static_cast<cudaStream_t>(stream.handle));
  }

 private:
  static Shape dense(const Shape& shape) {
    if (shape.pattern != Pattern::dense)
      throw harness::sdk::Unsupported("the reference: it computes every block, and knows no pattern");
    return shape;
  }

  void (*kernel_)(attention::Arguments, ptx::TensorMap, ptx::TensorMap, ptx::TensorMap);
  attention::Arguments problem_;
};

}  // namespace
}  // namespace sparse_attention

HARNESS_VARIANT(sparse_attention, wgmma_dense, cuda, "own dense kernel on wgmma, that of attention",
                sparse_attention::WgmmaDense)
