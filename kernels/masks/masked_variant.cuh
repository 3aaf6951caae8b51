// MaskedVariant: what the variants specialised and dense_mask are: a case's kernel, compiled by NVRTC in the
// constructor, with its lists of tiles in the workspace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/launch.cuh"
#include "kernels/masks/specialise.h"
#include "kernels/masks/tile_lists.cuh"
#include "kernels/nvrtc/compiled.h"
#include "kernels/nvrtc/loaded_code.cuh"
#include "kernels/ptx/tensor_map.cuh"

namespace masks {

class MaskedVariant : public harness::sdk::Kernel {
 public:
  MaskedVariant(const harness::sdk::Params& params, const harness::sdk::DeviceTraits& traits, bool dense)
      : shape_(supported(shape_of(params), traits)), rules_(shape_) {
    const BlockMap map(rules_, tiling_queries, tiling_keys);
    lists_ = dense ? all_tiles(map) : tile_lists(map, shape_.sequence, tiling_keys);
    problem_.sequence = static_cast<int>(shape_.sequence);
    problem_.dimension = static_cast<int>(shape_.dimension);
    problem_.heads = static_cast<int>(shape_.heads);
    problem_.map_heads = static_cast<int>(map.heads);
    problem_.scale = static_cast<float>(shape_.scale());
    constexpr double log2_of_e = 1.44269504088896340736;
    problem_.scale2 = static_cast<float>(log2_of_e * (rules_.score().is_score() ? shape_.scale() : 1.0));
    if (dense) {
      problem_.dense_words = static_cast<int>(map.key_blocks * tiling_keys / 32);
      bits_ = mask_bits(rules_, map.heads, problem_.dense_words);
    }
    const KernelSource source = kernel_source(shape_, rules_.mask(), rules_.score(), dense);
    code_.emplace(kernels::compiled(kernels::NvrtcLibrary::instance(), source.text).cubin);
    kernel_ = code_->kernel(source.name);
    kernels::allow_shared_memory(kernel_, shared_bytes(), traits);
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return padded(lists_.rows) + padded(lists_.tiles) + padded(rules_.documents()) + padded(bits_);
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    problem_.o = buffers.as<std::uint16_t>(o_index);
    auto* to = static_cast<unsigned char*>(buffers.workspace);
    problem_.rows = upload(lists_.rows, to);
    problem_.tiles = upload(lists_.tiles, to);
    problem_.documents = upload(rules_.documents(), to);
    problem_.dense = upload(bits_, to);
    q_map_ = map_of(buffers.as<std::uint16_t>(q_index), tiling_queries);
    k_map_ = map_of(buffers.as<std::uint16_t>(k_index), tiling_keys);
    v_map_ = map_of(buffers.as<std::uint16_t>(v_index), tiling_keys);
  }

  void run(harness::sdk::Stream stream) override {
    const dim3 grid(static_cast<unsigned>((shape_.sequence + tiling_queries - 1) / tiling_queries),
                    static_cast<unsigned>(shape_.matrices()));
    kernels::launch(
        kernel_,
        {grid, attention::Wgmma128::threads, shared_bytes(), static_cast<cudaStream_t>(stream.handle)},
        problem_, q_map_, k_map_, v_map_);
  }

 private:
  // Both tilings have these.
  static constexpr int tiling_queries = attention::Wgmma128::queries;
  static constexpr int tiling_keys = attention::Wgmma128::keys;
  static_assert(attention::Wgmma64::queries == tiling_queries && attention::Wgmma64::keys == tiling_keys &&
                attention::Wgmma64::threads == attention::Wgmma128::threads);

  static Shape supported(Shape shape, const harness::sdk::DeviceTraits& traits) {
    using harness::sdk::Unsupported;
    if (shape.dimension != 64 && shape.dimension != 128)
      throw Unsupported("written for d = 64 and d = 128; this case has d = " +
                        std::to_string(shape.dimension));
    kernels::require_hopper(traits);
    if (shape.matrices() > 65535) throw Unsupported("b times h must be at most 65535, the height of a grid");
    return shape;
  }
  [[nodiscard]] std::size_t shared_bytes() const {
    return static_cast<std::size_t>(shape_.dimension == 64 ? attention::Wgmma64::shared_bytes
                                                           : attention::Wgmma128::shared_bytes);
  }

  // In the workspace each list begins at a multiple of 256 bytes.
  template <class Element>
  static std::size_t padded(const std::vector<Element>& list) {
    return (list.size() * sizeof(Element) + 255) / 256 * 256;
  }
  template <class Element>
  static const Element* upload(const std::vector<Element>& list, unsigned char*& to) {
    if (list.empty()) return nullptr;
    void* const place = to;
    kernels::check(cudaMemcpy(place, list.data(), list.size() * sizeof(Element), cudaMemcpyHostToDevice),
                   "cudaMemcpy");
    to += padded(list);
    return static_cast<const Element*>(place);
  }

  [[nodiscard]] ptx::TensorMap map_of(const std::uint16_t* tensor, int rows) const {
    const ptx::TensorLayout layout = attention::wgmma_layout(problem_.dimension, problem_.sequence,
                                                             static_cast<int>(shape_.matrices()), rows);
    return shape_.dtype == harness::sdk::DType::f16 ? ptx::make_tensor_map<ptx::F16>(tensor, layout)
                                                    : ptx::make_tensor_map<ptx::BF16>(tensor, layout);
  }

  Shape shape_;
  Rules rules_;
  TileLists lists_;
  std::vector<std::uint32_t> bits_;
  Arguments problem_;
  std::optional<kernels::LoadedCode> code_;
  const void* kernel_ = nullptr;
  ptx::TensorMap q_map_ = {};
  ptx::TensorMap k_map_ = {};
  ptx::TensorMap v_map_ = {};
};

}  // namespace masks
