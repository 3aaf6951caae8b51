// quant_gemm/weight_only_mma: weights of int8 or int4 widened to halves on their way into the Tensor Cores,
// for up to 64 tokens. See few_tokens_kernel.cuh and skinny_kernel.cuh.
#include "kernels/quant_gemm/few_tokens_kernel.cuh"

#include "kernels/quant_gemm/quantised_x.cuh"

namespace quant_gemm {
namespace {

class WeightOnlyMma final : public harness::sdk::Kernel {
 public:
  WeightOnlyMma(const harness::sdk::Params& params, const harness::sdk::Problem&,
                const harness::sdk::DeviceTraits& traits)
      : shape_(supported(require_launchable(shape_of(params)))) {
    problem_.m = static_cast<int>(shape_.m);
    problem_.n = static_cast<int>(shape_.n);
    problem_.k = static_cast<int>(shape_.k);
    const auto plan =
        shape_.weights == Weights::i4 ? weight_only_launch<FourBits> : weight_only_launch<EightBits>;
    launch_ =
        plan(problem_.m, problem_.n, problem_.k, traits.multiprocessors, traits.shared_memory_per_block);
    problem_.rows_of_block = launch_.rows_of_block;
    if (launch_.shared_bytes > 0)
      kernels::check(cudaFuncSetAttribute(reinterpret_cast<const void*>(launch_.kernel),
                                          cudaFuncAttributeMaxDynamicSharedMemorySize, launch_.shared_bytes),
                     "cudaFuncSetAttribute");
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    problem_.x = buffers.as<const std::uint16_t>(x_index);
    problem_.w = buffers.as<const unsigned char>(w_index);
    problem_.scales = buffers.as<const float>(w_scales_index);
    problem_.y = buffers.as<std::uint16_t>(y_index(shape_));
  }

  void run(harness::sdk::Stream stream) override {
    launch_
        .kernel<<<static_cast<unsigned>(launch_.blocks), launch_.threads,
                  static_cast<std::size_t>(launch_.shared_bytes), static_cast<cudaStream_t>(stream.handle)>>>(
            problem_);
    kernels::check(cudaGetLastError(), "launch of a kernel that widens W");
  }

 private:
  static Shape supported(const Shape& shape) {
    using harness::sdk::Unsupported;
    if (shape.weights != Weights::i8 && shape.weights != Weights::i4)
      throw Unsupported("widens weights of i8 and i4 alone");
    if (shape.stored) throw Unsupported("multiplies X in f16; with `quantise: outside` it is stored in int8");
    if (shape.m > most_skinny_tokens)
      throw Unsupported("for at most " + std::to_string(most_skinny_tokens) +
                        " tokens: with more, widening W costs more than reading it");
    const std::int64_t of_piece = shape.weights == Weights::i4 ? FourBits::of_piece : EightBits::of_piece;
    if (shape.k % of_piece != 0)
      throw Unsupported("reads rows of W in 16 bytes: k must be a multiple of " + std::to_string(of_piece));
    return shape;
  }

  Shape shape_;
  SkinnyLaunch launch_;
  SkinnyProblem problem_;
};

}  // namespace
}  // namespace quant_gemm

HARNESS_VARIANT(quant_gemm, weight_only_mma, cuda,
                "int8 or int4 weights widened in registers to fragments of mma.sync, up to 64 tokens",
                quant_gemm::WeightOnlyMma)
