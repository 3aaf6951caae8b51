// sparse_attention/wgmma_blocks: the same kernel over lists of blocks. Fixed lists are made once; those of
// `threshold` are chosen in the call; learned ones are read where they are.
#include <vector>

#include "kernels/sparse_attention/blocks_kernel.cuh"
#include "kernels/sparse_attention/choose_kernels.cuh"
#include "kernels/sparse_attention/wgmma_variant.cuh"

namespace sparse_attention {
namespace {

// As block_choice.h has it.
constexpr float pooled_scale = 32.0F;

class WgmmaBlocks final : public WgmmaVariant {
 public:
  WgmmaBlocks(const harness::sdk::Params& params, const harness::sdk::Problem&,
              const harness::sdk::DeviceTraits& traits)
      : WgmmaVariant(shape_of(params), traits),
        kernel_(shape().dimension == 64 ? blocks_kernel<attention::Wgmma64>
                                        : blocks_kernel<attention::Wgmma128>) {
    if (shape().blocks() > most_blocks)
      throw harness::sdk::Unsupported("a sequence of more than " + std::to_string(most_blocks) + " blocks");
    kernels::allow_shared_memory(kernel_, shared_bytes(), traits);
    problem_.sequence = static_cast<int>(shape().sequence);
    problem_.dimension = static_cast<int>(shape().dimension);
    problem_.lists = static_cast<int>(shape().lists());
    problem_.count = static_cast<int>(shape().kept());
    problem_.scale2 = scale2();
    pool_.sequence = problem_.sequence;
    pool_.factor = pooled_scale / static_cast<float>(block);
    pool_.last_factor = pooled_scale / static_cast<float>(shape().sequence - (shape().blocks() - 1) * block);
    if (!chooses() && shape().pattern != Pattern::learned) fixed_ = fixed_blocks(shape());
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return shape().pattern == Pattern::learned ? 0 : list_bytes() + code_bytes();
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    WgmmaVariant::bind(buffers);
    problem_.o = buffers.as<std::uint16_t>(o_index);
    pool_.q = buffers.as<std::uint16_t>(q_index);
    pool_.k = buffers.as<std::uint16_t>(k_index);
    if (shape().pattern == Pattern::learned) {
      problem_.kept = buffers.as<const int>(chosen_index);
      return;
    }
    auto* const workspace = static_cast<unsigned char*>(buffers.workspace);
    chosen_ = reinterpret_cast<int*>(workspace);
    pool_.codes = reinterpret_cast<std::int8_t*>(workspace + list_bytes());
    problem_.kept = chosen_;
    if (!fixed_.empty())
      kernels::check(cudaMemcpy(chosen_, fixed_.data(), fixed_.size() * sizeof(int), cudaMemcpyHostToDevice),
                     "cudaMemcpy");
  }

  void run(harness::sdk::Stream stream) override {
    auto* const queue = static_cast<cudaStream_t>(stream.handle);
    if (chooses()) {
      if (shape().dimension == 64)
        choose<64>(queue);
      else
        choose<128>(queue);
    }
    launch(kernel_, problem_, queue);
  }

 private:
  [[nodiscard]] bool chooses() const { return shape().pattern == Pattern::threshold; }
  [[nodiscard]] std::size_t list_bytes() const {
    const auto bytes =
        static_cast<std::size_t>(shape().lists() * shape().blocks() * shape().kept()) * sizeof(int);
    return (bytes + 255) / 256 * 256;
  }
  [[nodiscard]] std::size_t code_bytes() const {
    return chooses() ? static_cast<std::size_t>(2 * shape().matrices() * shape().blocks() * shape().dimension)
                     : 0;
  }

  template <int Dimension>
  void choose(cudaStream_t queue) const {
    const auto blocks = static_cast<unsigned>(shape().blocks());
    const auto matrices = static_cast<unsigned>(shape().matrices());
    pool_kernel<Dimension><<<dim3(blocks, matrices, 2), Dimension, 0, queue>>>(pool_);
    kernels::check(cudaGetLastError(), "launch of pool_kernel");
    choose_kernel<Dimension><<<dim3(blocks, matrices), choosing_threads, 0, queue>>>(
        pool_.codes, chosen_, static_cast<int>(blocks), problem_.count);
    kernels::check(cudaGetLastError(), "launch of choose_kernel");
  }

  void (*kernel_)(Arguments, ptx::TensorMap, ptx::TensorMap, ptx::TensorMap);
  Arguments problem_;
  PoolArguments pool_;
  std::vector<std::int32_t> fixed_;
  int* chosen_ = nullptr;
};

}  // namespace
}  // namespace sparse_attention

HARNESS_VARIANT(sparse_attention, wgmma_blocks, cuda, "own kernel on wgmma over lists of blocks",
                sparse_attention::WgmmaBlocks)
