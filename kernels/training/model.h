// The model that is trained: a decoder as GPT-2 has it, with RMS norms before attention and MLP, without
// biases, and with a head of its own. All weights are one array. Pure; for host and device code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace training {

struct ModelShape {
  std::int64_t d = 64;  // width; the MLP has 4 d
  std::int64_t heads = 1;
  std::int64_t layers = 1;
  std::int64_t sequence = 16;
  // 0: layers alone, with values for input and target instead of tokens.
  std::int64_t vocabulary = 0;

  [[nodiscard]] std::int64_t head_size() const { return d / heads; }
  [[nodiscard]] std::int64_t hidden() const { return 4 * d; }
  bool operator==(const ModelShape&) const = default;
};

inline constexpr double norm_epsilon = 1e-5;

// Where the weights of a model lie. Matrices are outputs x inputs, row-major.
struct Layout {
  explicit Layout(const ModelShape& of) : shape(of) {}

  [[nodiscard]] std::int64_t embedding() const { return 0; }                           // vocabulary x d
  [[nodiscard]] std::int64_t positions() const { return shape.vocabulary * shape.d; }  // sequence x d
  [[nodiscard]] std::int64_t layer(std::int64_t index) const {
    return positions() + (shape.vocabulary > 0 ? shape.sequence * shape.d : 0) + index * layer_size();
  }
  // Within a layer.
  [[nodiscard]] std::int64_t norm1() const { return 0; }                               // d
  [[nodiscard]] std::int64_t qkv() const { return shape.d; }                           // 3 d x d
  [[nodiscard]] std::int64_t out() const { return qkv() + 3 * shape.d * shape.d; }     // d x d
  [[nodiscard]] std::int64_t norm2() const { return out() + shape.d * shape.d; }       // d
  [[nodiscard]] std::int64_t up() const { return norm2() + shape.d; }                  // 4 d x d
  [[nodiscard]] std::int64_t down() const { return up() + shape.hidden() * shape.d; }  // d x 4 d
  [[nodiscard]] std::int64_t layer_size() const { return down() + shape.hidden() * shape.d; }

  [[nodiscard]] std::int64_t last_norm() const { return layer(shape.layers); }  // d, only with a vocabulary
  [[nodiscard]] std::int64_t head() const { return last_norm() + shape.d; }     // vocabulary x d
  [[nodiscard]] std::int64_t size() const {
    return shape.vocabulary > 0 ? head() + shape.vocabulary * shape.d : last_norm();
  }

  ModelShape shape;
};

// Weights of one use in the array, as rows x columns.
struct Block {
  enum class Use { lookup, gain, product, head };
  Use use;
  std::int64_t first;
  std::int64_t rows;
  std::int64_t columns;
  bool ends_branch = false;  // the last product of attention or MLP
};

inline std::vector<Block> blocks_of(const Layout& at) {
  using Use = Block::Use;
  const ModelShape& shape = at.shape;
  const std::int64_t d = shape.d;
  std::vector<Block> blocks;
  if (shape.vocabulary > 0) {
    blocks.push_back({Use::lookup, at.embedding(), shape.vocabulary, d});
    blocks.push_back({Use::lookup, at.positions(), shape.sequence, d});
  }
  for (std::int64_t l = 0; l < shape.layers; ++l) {
    const std::int64_t first = at.layer(l);
    blocks.push_back({Use::gain, first + at.norm1(), 1, d});
    blocks.push_back({Use::product, first + at.qkv(), 3 * d, d});
    blocks.push_back({Use::product, first + at.out(), d, d, true});
    blocks.push_back({Use::gain, first + at.norm2(), 1, d});
    blocks.push_back({Use::product, first + at.up(), shape.hidden(), d});
    blocks.push_back({Use::product, first + at.down(), d, shape.hidden(), true});
  }
  if (shape.vocabulary > 0) {
    blocks.push_back({Use::gain, at.last_norm(), 1, d});
    blocks.push_back({Use::head, at.head(), shape.vocabulary, d});
  }
  return blocks;
}

// Floating-point operations of a step: two an element of a product, forward once and backward twice. Causal
// attention executes half of its products.
inline double step_flops(const ModelShape& shape, std::int64_t batch) {
  const auto real = [](std::int64_t count) { return static_cast<double>(count); };
  const double tokens = real(batch * shape.sequence), d = real(shape.d);
  const double weights = 12 * d * d * real(shape.layers) + real(shape.vocabulary) * d;
  const double attention = real(shape.layers) * 2 * d * (real(shape.sequence) + 1) / 2;
  return 6 * tokens * (weights + attention);
}

}  // namespace training
