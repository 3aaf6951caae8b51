// block/library_fused: the libraries' own fusion. cuBLASLt's epilogues add biases, apply GELU and add the
// block's input; cuDNN's attention reads its heads where the first product leaves them. Seven launches.
#include "kernels/attention/cudnn_call.h"
#include "kernels/block/cuda_parts.cuh"

namespace transformer_block {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

attention::Shape interleaved_shape(const Shape& shape) {
  attention::Shape of;
  of.dtype = shape.dtype;
  of.batch = shape.batch;
  of.heads = shape.heads;
  of.sequence = shape.sequence;
  of.dimension = shape.head();
  of.beside = 3;
  return of;
}

class LibraryFused final : public harness::sdk::Kernel {
 public:
  LibraryFused(const Params& params, const Problem&, const DeviceTraits& traits)
      : shape_(require_launchable(shape_of(params))),
        norms_(shape_, traits),
        attention_(interleaved_shape(shape_)),
        products_(shape_) {
    for (const Product product : {qkv_product, out_product, up_product, down_product}) {
      const cublasLtEpilogue_t epilogue =
          product == up_product ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
      products_[product].set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
      products_[product].set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, kernels::library_type(shape_.dtype));
    }
    products_.find_algorithms();
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    Carver counter(nullptr);
    places_in(counter);
    return counter.used();
  }
  std::string choose(const Buffers& buffers) override {
    bind(buffers);
    return products_.choose();
  }
  bool take_choice(const std::string& choice) override { return products_.take_choice(choice); }

  void bind(const Buffers& buffers) override {
    tensors_.assign(buffers.tensors.begin(), buffers.tensors.end());
    Carver carver(buffers.workspace);
    const Places at = places_in(carver);
    of_ = at.of;
    const auto use = [&](Product product, const void* x, Index weight, void* y) {
      const void* const bias = tensors_[weight + 1];
      products_[product].set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
      products_[product].bind(x, tensors_[weight], y, at.library);
    };
    use(qkv_product, at.of.normed, qkv_weight, at.of.qkv);
    use(out_product, at.of.heads, out_weight, at.of.middle);
    use(up_product, at.of.normed, up_weight, at.of.hidden);
    use(down_product, at.of.hidden, down_weight, tensors_[y_index]);
    products_[out_product].add(tensors_[x_index]);
    products_[down_product].add(at.of.middle);
    void* const of_attention[] = {at.of.qkv, at.of.qkv + shape_.width, at.of.qkv + 2 * shape_.width,
                                  at.of.heads};
    attention_.bind({of_attention, at.attention});
  }

  void run(Stream stream) override {
    auto* const queue = static_cast<cudaStream_t>(stream.handle);
    norms_.run(tensors_[x_index], tensors_[norm1_weight], tensors_[norm1_bias], of_.normed, stream);
    products_[qkv_product].run(queue);
    attention_.run(stream);
    products_[out_product].run(queue);
    norms_.run(of_.middle, tensors_[norm2_weight], tensors_[norm2_bias], of_.normed, stream);
    products_[up_product].run(queue);
    products_[down_product].run(queue);
  }

 private:
  struct Places {
    Intermediate of;
    void* library = nullptr;
    void* attention = nullptr;
  };
  Places places_in(Carver& carver) const {
    Places at;
    at.of = Intermediate(shape_, carver);
    at.library = carver.take<char>(static_cast<std::int64_t>(kernels::library_workspace_bytes));
    at.attention = carver.take<char>(static_cast<std::int64_t>(attention_.workspace_bytes()));
    return at;
  }

  Shape shape_;
  Norms norms_;
  attention::cudnn::Call attention_;
  LibraryProducts products_;
  std::vector<void*> tensors_;
  Intermediate of_;
};

}  // namespace
}  // namespace transformer_block

HARNESS_VARIANT(block, library_fused, cuda, "cuBLASLt's epilogues and cuDNN's attention; seven launches",
                transformer_block::LibraryFused)
