// FusedNetwork: the launches of a network by our own kernels, for the GPU and the emulator. relu and what is
// added are parts of products and convolutions; heads are stored apart by the product that makes them.
// Host code.
#pragma once

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "kernels/backends/network_kernels.cuh"
#include "kernels/backends/plain_norm.cuh"
#include "kernels/backends/slots.h"
#include "kernels/backends/weights.h"
#include "kernels/block/fused_block.cuh"

namespace backends {

// Matrices with equal numbers of rows, side by side.
inline std::vector<std::uint16_t> side_by_side(const std::vector<std::vector<std::uint16_t>>& matrices,
                                               std::int64_t rows) {
  std::vector<std::uint16_t> all;
  for (std::int64_t row = 0; row < rows; ++row)
    for (const std::vector<std::uint16_t>& one : matrices) {
      const auto width = static_cast<std::ptrdiff_t>(one.size()) / rows;
      all.insert(all.end(), one.begin() + row * width, one.begin() + (row + 1) * width);
    }
  return all;
}

// Zeros after each `rows` of `columns` elements, so that there are `depth` rows.
inline std::vector<std::uint16_t> filled_up(const std::vector<std::uint16_t>& matrix, std::int64_t rows,
                                            std::int64_t depth, std::int64_t columns) {
  std::vector<std::uint16_t> all;
  for (auto from = matrix.begin(); from != matrix.end(); from += rows * columns) {
    all.insert(all.end(), from, from + rows * columns);
    all.resize(all.size() + static_cast<std::size_t>((depth - rows) * columns));
  }
  return all;
}

// A step's tensors: numbers of values, and where its weight begins.
struct Places {
  std::size_t x = 0;
  std::size_t added = 0;
  std::size_t y = 0;
  std::int64_t weight = 0;
};

// Steps: bind(bound), run(launch), which calls launch(dependent, kernel, grid, threads, shared bytes,
// arguments...) once. source() is that kernel as text for NVRTC, with the sizes as constants: parameters and
// body. "": it is not compiled at run time.

// A product for few rows, where latency counts.
class ShortStep {
 public:
  static bool takes(std::int64_t rows, std::int64_t n, std::int64_t k,
                    const transformer_block::Device& device) {
    return rows <= transformer_block::ShortBlock::most_tokens && n % transformer_block::short_columns == 0 &&
           k % 64 == 0 &&
           static_cast<std::size_t>(transformer_block::short_shared_bytes(static_cast<int>(k))) <=
               device.shared_bytes;
  }
  ShortStep(std::int64_t rows, std::int64_t n, std::int64_t k, bool dependent, const Places& at)
      : at_(at), dependent_(dependent) {
    of_.rows = static_cast<int>(rows);
    of_.n = static_cast<int>(n);
    of_.k = static_cast<int>(k);
  }
  void bind(const Bound& bound) {
    of_.x = bound.values[at_.x];
    of_.w = bound.weights + at_.weight;
    of_.y = bound.values[at_.y];
  }
  template <class Launch>
  void run(const Launch& launch) const {
    using namespace transformer_block;
    launch(dependent_, &short_product_kernel<false, transformer_block::After::relu>,
           dim3{blocks_over(of_.n, short_columns), blocks_over(of_.rows, short_rows), 1},
           dim3{short_threads, 1, 1}, static_cast<std::size_t>(short_shared_bytes(of_.k)), of_);
  }
  [[nodiscard]] std::string source() const {
    return "__launch_bounds__(transformer_block::short_threads) kernel(\n"
           "    const __grid_constant__ transformer_block::ShortArguments given) {\n"
           "  KERNEL_DYNAMIC_SHARED(memory, 128);\n"
           "  transformer_block::ShortArguments of = given;\n"
           "  of.rows = " +
           std::to_string(of_.rows) + ";\n  of.n = " + std::to_string(of_.n) +
           ";\n  of.k = " + std::to_string(of_.k) +
           ";\n  transformer_block::ShortProduct<false, transformer_block::After::relu>(of, memory).run();\n"
           "}\n";
  }

 private:
  Places at_;
  bool dependent_;
  transformer_block::ShortArguments of_;
};

inline std::string name_of(const ReluEpilogue&) {
  return "backends::ReluEpilogue";
}
inline std::string name_of(const SplitEpilogue&) {
  return "backends::SplitEpilogue";
}
inline std::string name_of(const AddEpilogue&) {
  return "backends::AddEpilogue";
}

// A product on wgmma.
template <class Epilogue>
class LongStep {
 public:
  LongStep(std::int64_t rows, std::int64_t n, std::int64_t k, const Epilogue& epilogue, int multiprocessors,
           const Places& at)
      : at_(at), product_(rows, n, k, multiprocessors) {
    product_.epilogue = epilogue;
  }
  void bind(const Bound& bound) {
    if constexpr (std::is_same_v<Epilogue, AddEpilogue>) product_.epilogue.added = bound.values[at_.added];
    product_.bind(bound.values[at_.x], bound.weights + at_.weight, bound.values[at_.y]);
  }
  template <class Launch>
  void run(const Launch& launch) const {
    product_.run(launch);
  }
  [[nodiscard]] std::string source() const {
    const std::string epilogue = name_of(product_.epilogue);
    const auto& tile = product_.plan.tile;
    std::string text =
        "__launch_bounds__(" + std::to_string(product_.plan.threads) +
        ", 1) kernel(\n    const __grid_constant__ ptx::TensorMap x, const __grid_constant__ ptx::TensorMap "
        "w,\n    gemm::Problem<ptx::F16> problem, " +
        epilogue + " epilogue) {\n  KERNEL_DYNAMIC_SHARED(memory, 1024);\n  problem.m = " +
        std::to_string(product_.problem.m) + ";\n  problem.n = " + std::to_string(product_.problem.n) +
        ";\n  problem.k = " + std::to_string(product_.problem.k) + ";\n";
    if constexpr (std::is_same_v<Epilogue, SplitEpilogue>) {
      const transformer_block::HeadSplit& split = product_.epilogue.split;
      text += "  epilogue.split = {" + std::to_string(split.batches) + ", " + std::to_string(split.sequence) +
              ", " + std::to_string(split.heads) + ", " + std::to_string(split.head) + "};\n";
    }
    if constexpr (std::is_same_v<Epilogue, AddEpilogue>)
      text += "  epilogue.width = " + std::to_string(product_.problem.n) + ";\n";
    return text + "  gemm::WgmmaSpecialised<ptx::F16, gemm::WgmmaTiling<" + std::to_string(tile[0]) + ", " +
           std::to_string(tile[1]) + ", " + std::to_string(tile[2]) + ">, " + epilogue +
           ">::run(memory, x, w, problem, epilogue);\n}\n";
  }

 private:
  Places at_;
  transformer_block::LongProduct<Epilogue> product_;
};

class AttentionStep {
 public:
  AttentionStep(const transformer_block::Shape& shape, const Places& at)
      : at_(at), shape_(shape), attention_(shape) {}
  void bind(const Bound& bound) {
    transformer_block::Intermediate of;
    of.qkv = bound.values[at_.x];
    of.heads = bound.values[at_.y];
    attention_.bind(of);
  }
  template <class Launch>
  void run(const Launch& launch) const {
    attention_.run(launch);
  }
  [[nodiscard]] std::string source() const {
    const std::string tiling = "attention::Wgmma" + std::to_string(shape_.head());
    return "__launch_bounds__(" + tiling +
           "::threads, 1) kernel(\n"
           "    const __grid_constant__ transformer_block::MergedArguments given,\n"
           "    const __grid_constant__ ptx::TensorMap q, const __grid_constant__ ptx::TensorMap k,\n"
           "    const __grid_constant__ ptx::TensorMap v) {\n"
           "  transformer_block::MergedArguments of = given;\n"
           "  of.sequence = " +
           std::to_string(shape_.sequence) + ";\n  of.dimension = " + std::to_string(shape_.head()) +
           ";\n  of.heads = " + std::to_string(shape_.heads) +
           ";\n  of.causal = 0;\n"
           "  attention::wgmma_attention<attention::WgmmaTiles<" +
           tiling + ", transformer_block::MergedArguments>, ptx::F16>(of, &q, &k, &v);\n}\n";
  }

 private:
  Places at_;
  transformer_block::Shape shape_;
  transformer_block::LongAttention attention_;
};

class NormStep {
 public:
  NormStep(std::int64_t rows, std::int64_t columns, const Places& at) : at_(at) {
    of_.rows = rows;
    of_.columns = of_.x_stride = columns;
  }
  void bind(const Bound& bound) {
    of_.x = bound.values[at_.x];
    of_.y = bound.values[at_.y];
  }
  template <class Launch>
  void run(const Launch& launch) const {
    operators::with_row_launch<PlainNorm, ptx::F16, operators::every_stage>(
        of_, [&](auto* kernel, dim3 blocks, dim3 threads, const auto&... of_kernel) {
          launch(false, kernel, blocks, threads, std::size_t{0}, of_kernel...);
        });
  }
  [[nodiscard]] static std::string source() { return ""; }

 private:
  Places at_;
  operators::RowArguments of_;
};

class ConvolutionStep {
 public:
  using Small = gemm::SmallTiling;
  using Square = gemm::SquareTiling;
  static_assert(Small::depth == Square::depth);

  ConvolutionStep(const Pictures& pictures, int multiprocessors, const Places& at) : at_(at) {
    of_.pictures = pictures;
    of_.m = pictures.batch * pictures.framed_points();
    of_.n = pictures.channels;
    of_.k = 9 * tap_depth(pictures.channels, Small::depth);
    large_ = gemm::blocks_of<Square>(of_.m, of_.n) >= multiprocessors;
  }
  void bind(const Bound& bound) {
    of_.x = bound.values[at_.x];
    of_.w = bound.weights + at_.weight;
    of_.y = bound.values[at_.y];
  }
  template <class Launch>
  void run(const Launch& launch) const {
    large_ ? run_by<Square>(launch) : run_by<Small>(launch);
  }
  [[nodiscard]] std::string source() const {
    const std::string tile = large_ ? "gemm::SquareTiling" : "gemm::SmallTiling";
    return "__launch_bounds__(" + tile +
           "::threads) kernel(\n"
           "    const __grid_constant__ backends::Convolution given, int tiles_down, int tiles_across) {\n"
           "  KERNEL_DYNAMIC_SHARED(memory, 128);\n"
           "  backends::Convolution of = given;\n"
           "  of.m = " +
           std::to_string(of_.m) + ";\n  of.n = " + std::to_string(of_.n) +
           ";\n  of.k = " + std::to_string(of_.k) + ";\n  of.pictures = {" +
           std::to_string(of_.pictures.batch) + ", " + std::to_string(of_.pictures.channels) + ", " +
           std::to_string(of_.pictures.size) + ", 0};\n  gemm::MmaTile<ptx::F16, " + tile +
           ", true, backends::ReluEpilogue, backends::Convolution>::run(\n"
           "      memory, of, {}, gemm::tile_position(static_cast<int>(blockIdx.x), " +
           std::to_string(gemm::tiles_of(of_.m, large_ ? Square::block_rows : Small::block_rows)) + ", " +
           std::to_string(gemm::tiles_of(of_.n, large_ ? Square::block_columns : Small::block_columns)) +
           "));\n}\n";
  }

 private:
  template <class Tile, class Launch>
  void run_by(const Launch& launch) const {
    const auto down = static_cast<int>(gemm::tiles_of(of_.m, Tile::block_rows)),
               across = static_cast<int>(gemm::tiles_of(of_.n, Tile::block_columns));
    launch(false, &convolution_kernel<Tile>, dim3{static_cast<unsigned>(down * across), 1, 1},
           dim3{static_cast<unsigned>(Tile::threads), 1, 1}, static_cast<std::size_t>(Tile::shared_bytes),
           of_, down, across);
  }

  Places at_;
  Convolution of_;
  bool large_ = false;
};

template <bool to_framed>
class TurnStep {
 public:
  TurnStep(const Pictures& pictures, const Places& at) : at_(at), pictures_(pictures) {}
  void bind(const Bound& bound) {
    x_ = bound.values[at_.x];
    y_ = bound.values[at_.y];
  }
  template <class Launch>
  void run(const Launch& launch) const {
    using transformer_block::blocks_over;
    launch(false, &turn_kernel<to_framed>,
           dim3{blocks_over(pictures_.framed_points(), turn_tile), blocks_over(pictures_.channels, turn_tile),
                static_cast<unsigned>(pictures_.batch)},
           dim3{turn_tile, turn_rows, 1}, std::size_t{0}, pictures_, x_, y_);
  }
  [[nodiscard]] static std::string source() { return ""; }

 private:
  Places at_;
  Pictures pictures_;
  const std::uint16_t* x_ = nullptr;
  std::uint16_t* y_ = nullptr;
};

class FusedNetwork {
 public:
  // Throws Unsupported with the reason.
  FusedNetwork(const Shape& shape, const transformer_block::Device& device) : shape_(shape), device_(device) {
    require_possible();
    Value x = slots_.make(shape.elements());
    x_ = x;
    if (shape.network == Network::conv) {
      y_ = turned<false>(forward(shape, *this, turned<true>(x)));
    } else {
      y_ = forward(shape, *this, std::move(x));
    }
  }
  FusedNetwork(const FusedNetwork&) = delete;
  FusedNetwork& operator=(const FusedNetwork&) = delete;

  // Until they are cleared.
  [[nodiscard]] PackedWeights& weights() { return weights_; }
  [[nodiscard]] std::int64_t value_elements() const { return slots_.elements(*y_); }

  void bind(std::span<void* const> tensors, const std::uint16_t* weights, std::uint16_t* values) {
    Bound bound;
    bound.values = slots_.places(static_cast<std::uint16_t*>(tensors[x_index]), *y_,
                                 static_cast<std::uint16_t*>(tensors[y_index]), values);
    bound.weights = weights;
    for (Step& step : steps_) std::visit([&](auto& one) { one.bind(bound); }, step);
  }

  // Calls act(step) for each, in order.
  template <class Act>
  void each(const Act& act) const {
    for (const Step& step : steps_) std::visit(act, step);
  }

  // The operations, which add steps: see forward().
  using Value = Slots::Value;

  Value product(const Value& x, std::size_t weight, After after, const Value& added) {
    const WeightShape of = weight_shapes(shape_)[weight];
    const std::int64_t rows = shape_.rows();
    Value y = slots_.make(rows * of.columns);
    Places at = {*x, 0, *y, weights_.add(weight_values(shape_, weight))};
    if (after == After::add) {
      at.added = *added;
      AddEpilogue epilogue;
      epilogue.width = static_cast<int>(of.columns);
      add_long(of, epilogue, at);
    } else if (shape_.network == Network::mlp && ShortStep::takes(rows, of.columns, of.rows, device_)) {
      steps_.emplace_back(ShortStep(rows, of.columns, of.rows, !steps_.empty(), at));
    } else {
      add_long(of, ReluEpilogue{}, at);
    }
    return y;
  }

  Value convolution(const Value& x, std::size_t weight) {
    Value y = slots_.make(framed_elements());
    const auto packed =
        filled_up(product_weight(weight_values(shape_, weight), shape_.width), shape_.width,
                  tap_depth(pictures().channels, ConvolutionStep::Small::depth), shape_.width);
    steps_.emplace_back(
        ConvolutionStep(pictures(), device_.multiprocessors, {*x, 0, *y, weights_.add(packed)}));
    return y;
  }

  Value attention(const Value& x, std::size_t query) {
    std::vector<std::vector<std::uint16_t>> parts;
    for (std::size_t i = 0; i < 3; ++i) parts.push_back(weight_values(shape_, query + i));
    const Value qkv = slots_.make(3 * shape_.elements());
    Value y = slots_.make(shape_.elements());
    SplitEpilogue epilogue;
    epilogue.split = transformer_block::split_of(tokens());
    add_long({shape_.width, 3 * shape_.width}, epilogue,
             {*x, 0, *qkv, weights_.add(side_by_side(parts, shape_.width))});
    steps_.emplace_back(AttentionStep(tokens(), {*qkv, 0, *y, 0}));
    return y;
  }

  Value normalise(const Value& x) {
    Value y = slots_.make(shape_.elements());
    steps_.emplace_back(NormStep(shape_.rows(), shape_.width, {*x, 0, *y, 0}));
    return y;
  }

 private:
  using Step = std::variant<ShortStep, LongStep<ReluEpilogue>, LongStep<SplitEpilogue>, LongStep<AddEpilogue>,
                            AttentionStep, NormStep, ConvolutionStep, TurnStep<true>, TurnStep<false>>;

  void require_possible() const {
    using harness::sdk::Unsupported;
    if (shape_.dtype != harness::sdk::DType::f16) throw Unsupported("written for dtype = f16");
    if (shape_.width % 8 != 0) throw Unsupported("rows and pictures need multiples of 8 elements");
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 12;
    if (shape_.batch * shape_.length * (shape_.size + 2) * (shape_.size + 2) > most / shape_.hidden() ||
        shape_.batch * shape_.heads > 65535)
      throw Unsupported("tensors are too large for 32-bit numbers of elements, or there are too many grids");
    if (shape_.network != Network::transformer) return;
    if (!transformer_block::LongAttention::takes(tokens()))
      throw Unsupported("written for heads of 32, 64 and 128 elements; this case has heads of " +
                        std::to_string(shape_.head()));
    if (operators::row_plan(shape_.rows(), shape_.width, 8).threads == 0)
      throw Unsupported("a row of " + std::to_string(shape_.width) + " elements does not fit into a block");
  }

  [[nodiscard]] transformer_block::Shape tokens() const {
    return {.batch = shape_.batch, .sequence = shape_.length, .width = shape_.width, .heads = shape_.heads};
  }
  [[nodiscard]] Pictures pictures() const {
    return {static_cast<int>(shape_.batch), static_cast<int>(shape_.width), static_cast<int>(shape_.size)};
  }
  [[nodiscard]] std::int64_t framed_elements() const {
    return shape_.batch * pictures().framed_points() * shape_.width;
  }

  template <class Epilogue>
  void add_long(const WeightShape& of, const Epilogue& epilogue, const Places& at) {
    steps_.emplace_back(
        LongStep<Epilogue>(shape_.rows(), of.columns, of.rows, epilogue, device_.multiprocessors, at));
  }
  template <bool to_framed>
  Value turned(const Value& x) {
    Value y = slots_.make(to_framed ? framed_elements() : shape_.elements());
    steps_.emplace_back(TurnStep<to_framed>(pictures(), {*x, 0, *y, 0}));
    return y;
  }

  Shape shape_;
  transformer_block::Device device_;
  Slots slots_;
  PackedWeights weights_;
  std::vector<Step> steps_;
  Value x_;  // which keeps its slot
  Value y_;
};

}  // namespace backends
