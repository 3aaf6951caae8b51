// The launches of the fused block, for the GPU and the emulator. ShortBlock has five for few tokens, where
// latency counts: each may begin before the one before it has ended. LongBlock has seven on wgmma. Both call
// launch(dependent, kernel, grid, threads, shared bytes, arguments...). Host code.
#pragma once

#include <cmath>
#include <span>

#include "kernels/block/fused_kernels.cuh"
#include "kernels/block/intermediate.h"
#include "kernels/block/short_product.cuh"
#include "kernels/operators/row_launch.cuh"
#include "kernels/operators/row_variant.h"
#include "kernels/ptx/tensor_map.cuh"

namespace transformer_block {

inline const std::uint16_t* tensor_at(std::span<void* const> tensors, std::size_t index) {
  return static_cast<const std::uint16_t*>(tensors[index]);
}
inline HeadSplit split_of(const Shape& shape) {
  return {static_cast<int>(shape.batch), static_cast<int>(shape.sequence), static_cast<int>(shape.heads),
          static_cast<int>(shape.head())};
}
inline MergedArguments merged_arguments(const Shape& shape, const Intermediate& of) {
  constexpr double log2_of_e = 1.44269504088896340736;
  MergedArguments attention;
  attention.q = of.qkv;
  attention.k = of.qkv + shape.elements();
  attention.v = of.qkv + 2 * shape.elements();
  attention.o = of.heads;
  attention.sequence = static_cast<int>(shape.sequence);
  attention.dimension = static_cast<int>(shape.head());
  attention.scale2 = static_cast<float>(log2_of_e / std::sqrt(static_cast<double>(shape.head())));
  attention.heads = static_cast<int>(shape.heads);
  return attention;
}
inline unsigned blocks_over(std::int64_t extent, std::int64_t block) {
  return static_cast<unsigned>((extent + block - 1) / block);
}
template <class Tiling>
dim3 attention_grid(const Shape& shape) {
  return {blocks_over(shape.sequence, Tiling::queries), static_cast<unsigned>(shape.matrices()), 1};
}

// The GPU that launches are planned for.
struct Device {
  int multiprocessors = 1;
  std::size_t shared_bytes = 0;  // that a block may have
};

class ShortBlock {
 public:
  static constexpr std::int64_t most_tokens = 1024;

  // With all of k in shared memory, of `device`.
  static bool takes(const Shape& shape, const Device& device) {
    return shape.tokens() <= most_tokens && shape.width % 64 == 0 &&
           (shape.head() == 32 || shape.head() == 64) &&
           static_cast<std::size_t>(short_shared_bytes(static_cast<int>(shape.hidden()))) <=
               device.shared_bytes;
  }

  ShortBlock(const Shape& shape, const Device& device)
      : shape_(shape),
        choice_(attention::choose_mma(shape.matrices(), shape.sequence, device.multiprocessors)) {}

  void bind(std::span<void* const> tensors, const Intermediate& of) {
    const auto product = [&](const std::uint16_t* x, Index weight, std::int64_t k, std::uint16_t* y) {
      ShortArguments one;
      one.x = x;
      one.w = tensor_at(tensors, weight);
      one.bias = tensor_at(tensors, weight + 1);
      one.y = y;
      one.rows = static_cast<int>(shape_.tokens());
      one.k = static_cast<int>(k);
      one.split = split_of(shape_);
      return one;
    };
    const auto* const x = tensor_at(tensors, x_index);
    const std::int64_t d = shape_.width;
    qkv_ = product(x, qkv_weight, d, of.qkv);
    qkv_.norm_weights = tensor_at(tensors, norm1_weight);
    qkv_.norm_bias = tensor_at(tensors, norm1_bias);
    qkv_.n = static_cast<int>(3 * d);
    attention_ = merged_arguments(shape_, of);
    out_ = product(of.heads, out_weight, d, of.middle);
    out_.added = x;
    up_ = product(of.middle, up_weight, d, of.hidden);
    up_.norm_weights = tensor_at(tensors, norm2_weight);
    up_.norm_bias = tensor_at(tensors, norm2_bias);
    up_.n = static_cast<int>(shape_.hidden());
    down_ = product(of.hidden, down_weight, shape_.hidden(), static_cast<std::uint16_t*>(tensors[y_index]));
    down_.added = of.middle;
    out_.n = down_.n = static_cast<int>(d);
  }

  template <class Launch>
  void run(const Launch& launch) const {
    const auto product = [&](bool dependent, auto* kernel, const ShortArguments& of, std::int64_t n,
                             std::int64_t k) {
      launch(
          dependent, kernel, dim3{blocks_over(n, short_columns), blocks_over(shape_.tokens(), short_rows), 1},
          dim3{short_threads, 1, 1}, static_cast<std::size_t>(short_shared_bytes(static_cast<int>(k))), of);
    };
    const std::int64_t d = shape_.width, hidden = shape_.hidden();
    product(false, &short_product_kernel<true, After::split>, qkv_, 3 * d, d);
    shape_.head() == 32 ? attend<32>(launch) : attend<64>(launch);
    product(true, &short_product_kernel<false, After::add>, out_, d, d);
    product(true, &short_product_kernel<true, After::gelu>, up_, hidden, d);
    product(true, &short_product_kernel<false, After::add>, down_, d, hidden);
  }

 private:
  template <int head, class Launch>
  void attend(const Launch& launch) const {
    switch (choice_) {
      case attention::MmaChoice::large: return attend_by<attention::MmaLarge<head>>(launch);
      case attention::MmaChoice::small: return attend_by<attention::MmaSmall<head>>(launch);
      case attention::MmaChoice::wide: return attend_by<attention::MmaWide<head>>(launch);
    }
  }
  template <class Tiling, class Launch>
  void attend_by(const Launch& launch) const {
    launch(true, &merged_mma_kernel<Tiling>, attention_grid<Tiling>(shape_),
           dim3{static_cast<unsigned>(Tiling::threads), 1, 1}, static_cast<std::size_t>(Tiling::shared_bytes),
           attention_);
  }

  Shape shape_;
  attention::MmaChoice choice_;
  ShortArguments qkv_, out_, up_, down_;
  MergedArguments attention_;
};

// A product on wgmma, ready to launch.
template <class Epilogue>
struct LongProduct {
  gemm::TmaLaunch<ptx::F16, Epilogue> plan;
  gemm::Problem<ptx::F16> problem;
  Epilogue epilogue;
  ptx::TensorMap x = {};
  ptx::TensorMap w = {};

  LongProduct(std::int64_t rows, std::int64_t n, std::int64_t k, int multiprocessors)
      : plan(gemm::wgmma_specialised_launch<ptx::F16, Epilogue>(rows, n, multiprocessors)) {
    problem.m = static_cast<int>(rows);
    problem.n = static_cast<int>(n);
    problem.k = static_cast<int>(k);
  }
  void bind(const std::uint16_t* of_x, const std::uint16_t* of_w, std::uint16_t* y) {
    problem.x = of_x;
    problem.w = of_w;
    problem.y = y;
    x = ptx::make_tensor_map<ptx::F16>(of_x, plan.x_layout(problem));
    w = ptx::make_tensor_map<ptx::F16>(of_w, plan.w_layout(problem));
  }
  template <class Launch>
  void run(const Launch& launch) const {
    launch(false, plan.kernel, dim3{static_cast<unsigned>(plan.blocks), 1, 1},
           dim3{static_cast<unsigned>(plan.threads), 1, 1}, static_cast<std::size_t>(plan.shared_bytes), x, w,
           problem, epilogue);
  }
};

// Attention on wgmma of heads that lie apart, whose result has them side by side.
class LongAttention {
 public:
  static bool takes(const Shape& shape) {
    return shape.head() == 32 || shape.head() == 64 || shape.head() == 128;
  }

  explicit LongAttention(const Shape& shape) : shape_(shape) {}

  // Takes the heads apart and the result from `of`.
  void bind(const Intermediate& of) {
    arguments_ = merged_arguments(shape_, of);
    q_map_ = map_of(arguments_.q, attention::Wgmma64::queries);
    k_map_ = map_of(arguments_.k, attention::Wgmma64::keys);
    v_map_ = map_of(arguments_.v, attention::Wgmma64::keys);
  }

  template <class Launch>
  void run(const Launch& launch) const {
    if (shape_.head() == 32) attend<attention::Wgmma32>(launch);
    if (shape_.head() == 64) attend<attention::Wgmma64>(launch);
    if (shape_.head() == 128) attend<attention::Wgmma128>(launch);
  }

 private:
  [[nodiscard]] ptx::TensorMap map_of(const std::uint16_t* tensor, int rows) const {
    return ptx::make_tensor_map<ptx::F16>(tensor,
                                          attention::wgmma_layout(arguments_.dimension, arguments_.sequence,
                                                                  static_cast<int>(shape_.matrices()), rows));
  }
  template <class Tiling, class Launch>
  void attend(const Launch& launch) const {
    static_assert(Tiling::queries == attention::Wgmma64::queries && Tiling::keys == attention::Wgmma64::keys);
    launch(false, &merged_wgmma_kernel<Tiling>, attention_grid<Tiling>(shape_),
           dim3{static_cast<unsigned>(Tiling::threads), 1, 1}, static_cast<std::size_t>(Tiling::shared_bytes),
           arguments_, q_map_, k_map_, v_map_);
  }

  Shape shape_;
  MergedArguments arguments_;
  ptx::TensorMap q_map_ = {}, k_map_ = {}, v_map_ = {};
};

class LongBlock {
 public:
  // A row of LayerNorm must fit into a block.
  static bool takes(const Shape& shape) {
    return LongAttention::takes(shape) && operators::row_plan(shape.tokens(), shape.width, 8).threads != 0;
  }

  LongBlock(const Shape& shape, const Device& device)
      : shape_(shape),
        attention_(shape),
        qkv_(shape.tokens(), 3 * shape.width, shape.width, device.multiprocessors),
        out_(shape.tokens(), shape.width, shape.width, device.multiprocessors),
        up_(shape.tokens(), shape.hidden(), shape.width, device.multiprocessors),
        down_(shape.tokens(), shape.width, shape.hidden(), device.multiprocessors) {}

  void bind(std::span<void* const> tensors, const Intermediate& of) {
    const auto use = [&](auto& product, const std::uint16_t* x, Index weight, std::uint16_t* y) {
      product.epilogue.bias = tensor_at(tensors, weight + 1);
      product.bind(x, tensor_at(tensors, weight), y);
    };
    const auto* const x = tensor_at(tensors, x_index);
    norm1_ = norm(x, tensors, norm1_weight, of.normed);
    qkv_.epilogue.split = split_of(shape_);
    use(qkv_, of.normed, qkv_weight, of.qkv);
    attention_.bind(of);
    out_.epilogue.added = x;
    use(out_, of.heads, out_weight, of.middle);
    norm2_ = norm(of.middle, tensors, norm2_weight, of.normed);
    use(up_, of.normed, up_weight, of.hidden);
    down_.epilogue.added = of.middle;
    use(down_, of.hidden, down_weight, static_cast<std::uint16_t*>(tensors[y_index]));
    out_.epilogue.width = down_.epilogue.width = shape_.width;
  }

  template <class Launch>
  void run(const Launch& launch) const {
    normalise(launch, norm1_);
    qkv_.run(launch);
    attention_.run(launch);
    out_.run(launch);
    normalise(launch, norm2_);
    up_.run(launch);
    down_.run(launch);
  }

 private:
  [[nodiscard]] operators::RowArguments norm(const std::uint16_t* x, std::span<void* const> tensors,
                                             Index weight, std::uint16_t* y) const {
    operators::RowArguments rows;
    rows.x = x;
    rows.weight = tensors[weight];
    rows.bias = tensors[weight + 1];
    rows.y = y;
    rows.rows = shape_.tokens();
    rows.x_stride = rows.columns = shape_.width;
    return rows;
  }
  template <class Launch>
  void normalise(const Launch& launch, const operators::RowArguments& rows) const {
    // Before the arguments are bound the launch is planned by the shape.
    operators::RowArguments planned = rows;
    planned.rows = shape_.tokens();
    planned.columns = planned.x_stride = shape_.width;
    operators::with_row_launch<operators::LayerNorm, ptx::F16, operators::every_stage>(
        planned, [&](auto* kernel, dim3 blocks, dim3 threads, const auto&... of_kernel) {
          launch(false, kernel, blocks, threads, std::size_t{0}, of_kernel...);
        });
  }

  Shape shape_;
  LongAttention attention_;
  LongProduct<SplitEpilogue> qkv_;
  LongProduct<AddEpilogue> out_;
  LongProduct<GeluEpilogue> up_;
  LongProduct<AddEpilogue> down_;
  operators::RowArguments norm1_, norm2_;
};

}  // namespace transformer_block
