// WgmmaVariant: what the CUDA variants share on the host: what they support, and Q, K and V as the copy
// engine sees them.
#pragma once

#include <string>

#include "harness/sdk/registry.h"
#include "kernels/attention/wgmma_kernel.cuh"
#include "kernels/launch.cuh"
#include "kernels/ptx/tensor_map.cuh"
#include "kernels/sparse_attention/sparse_attention.h"

namespace sparse_attention {

class WgmmaVariant : public harness::sdk::Kernel {
 public:
  void bind(const harness::sdk::Buffers& buffers) override {
    q_map_ = map_of(buffers.as<std::uint16_t>(q_index), queries);
    k_map_ = map_of(buffers.as<std::uint16_t>(k_index), keys);
    v_map_ = map_of(buffers.as<std::uint16_t>(v_index), keys);
  }

 protected:
  WgmmaVariant(const Shape& shape, const harness::sdk::DeviceTraits& traits) : shape_(shape) {
    using harness::sdk::Unsupported;
    if (shape.dimension != 64 && shape.dimension != 128)
      throw Unsupported("written for d = 64 and d = 128; this case has d = " +
                        std::to_string(shape.dimension));
    kernels::require_hopper(traits);
    if (shape.matrices() > 65535) throw Unsupported("b times h must be at most 65535, the height of a grid");
  }

  // A kernel with these arguments on all blocks of queries.
  template <class Arguments>
  void launch(void (*kernel)(Arguments, ptx::TensorMap, ptx::TensorMap, ptx::TensorMap),
              const Arguments& arguments, cudaStream_t stream) const {
    const dim3 grid(static_cast<unsigned>(shape_.blocks()), static_cast<unsigned>(shape_.matrices()));
    kernel<<<grid, attention::Wgmma128::threads, shared_bytes(), stream>>>(arguments, q_map_, k_map_, v_map_);
    kernels::check(cudaGetLastError(), "launch of an attention kernel on wgmma");
  }

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::size_t shared_bytes() const {
    return static_cast<std::size_t>(shape_.dimension == 64 ? attention::Wgmma64::shared_bytes
                                                           : attention::Wgmma128::shared_bytes);
  }
  [[nodiscard]] float scale2() const {
    constexpr double log2_of_e = 1.44269504088896340736;
    return static_cast<float>(shape_.scale() * log2_of_e);
  }

 private:
  // Both tilings have these, and a tile is a block of the pattern.
  static constexpr int queries = attention::Wgmma128::queries;
  static constexpr int keys = attention::Wgmma128::keys;
  static_assert(attention::Wgmma64::queries == queries && attention::Wgmma64::keys == keys &&
                attention::Wgmma64::threads == attention::Wgmma128::threads && queries == block &&
                keys == block);

  [[nodiscard]] ptx::TensorMap map_of(const std::uint16_t* tensor, int rows) const {
    return ptx::make_tensor_map<ptx::F16>(
        tensor, attention::wgmma_layout(static_cast<int>(shape_.dimension), static_cast<int>(shape_.sequence),
                                        static_cast<int>(shape_.matrices()), rows));
  }

  Shape shape_;
  ptx::TensorMap q_map_ = {};
  ptx::TensorMap k_map_ = {};
  ptx::TensorMap v_map_ = {};
};

}  // namespace sparse_attention
