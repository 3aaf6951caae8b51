// The trace of an allocator's requests: the blocks that training steps of a transformer allocate and free, in
// their order. It follows from the model's shapes alone. Host code.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace allocator {

struct TraceShape {
  std::int64_t d = 768;  // width; the MLP has 4 d
  std::int64_t heads = 12;
  std::int64_t layers = 12;
  std::int64_t sequence = 1024;  // tokens of the longest sequence
  std::int64_t batch = 8;
  std::int64_t vocabulary = 32000;
  std::int64_t steps = 4;
};

struct Event {
  std::int32_t block = 0;
  bool frees = false;
};

// Each block is allocated once and freed later. Blocks are numbered in the order of their allocations.
struct Trace {
  std::vector<std::int64_t> bytes;  // of each block, at least 4
  std::vector<Event> events;
  std::int64_t most_live = 0;  // the most bytes between an allocation and its free, at any time

  [[nodiscard]] std::size_t blocks() const { return bytes.size(); }
};

class TraceWriter {
 public:
  std::int32_t take(std::int64_t bytes) {
    const auto block = static_cast<std::int32_t>(trace_.bytes.size());
    trace_.bytes.push_back(std::max<std::int64_t>(bytes, 4));
    trace_.events.push_back({block, false});
    live_ += trace_.bytes.back();
    trace_.most_live = std::max(trace_.most_live, live_);
    return block;
  }
  void give(std::int32_t block) {
    trace_.events.push_back({block, true});
    live_ -= trace_.bytes[static_cast<std::size_t>(block)];
  }
  template <class... Blocks>
  void give(std::int32_t first, Blocks... rest) {
    give(first);
    give(rest...);
  }
  [[nodiscard]] Trace written() && { return std::move(trace_); }

 private:
  Trace trace_;
  std::int64_t live_ = 0;
};

// One training step of the model of kernels/training/model.h, as a framework runs it operator by operator:
// every result is a tensor of its own. Activations are BF16. A tensor that the backward pass needs lives
// until its operator has run there, others until their one use. Gradients of weights are float32 and live
// until the optimizer has used them. Weights and moments are not in the trace, because they are allocated
// once.
class StepWriter {
 public:
  StepWriter(TraceWriter& to, const TraceShape& of, std::int64_t sequence)
      : to_(to), of_(of), tokens_(of.batch * sequence), scores_(of.batch * of.heads * sequence) {}

  void write() {
    const std::int32_t indices = to_.take(8 * tokens_), targets = to_.take(8 * tokens_);
    x_ = half(of_.d);
    for (std::int64_t l = 0; l < of_.layers; ++l) forward_layer();
    loss();
    for (; !layers_.empty(); layers_.pop_back()) backward_layer(layers_.back());
    gradients_.push_back(to_.take(4 * of_.vocabulary * of_.d));  // of the embedding
    to_.give(of_x_, x_, indices, targets);
    clip();
    for (const std::int32_t gradient : gradients_) to_.give(gradient);
    to_.give(loss_);
  }

 private:
  struct Layer {  // kept for the backward pass
    std::int32_t x, root1, a, qkv, o, logarithms, middle, root2, b, f, u;
  };

  std::int32_t half(std::int64_t columns) { return to_.take(2 * tokens_ * columns); }
  std::int32_t roots() { return to_.take(4 * tokens_); }
  void gradient(std::int64_t rows, std::int64_t columns) {
    gradients_.push_back(to_.take(4 * rows * columns));
  }

  void forward_layer() {
    Layer layer = {};
    layer.x = x_;
    layer.root1 = roots();
    layer.a = half(of_.d);
    layer.qkv = half(3 * of_.d);
    layer.o = half(of_.d);
    layer.logarithms = to_.take(4 * scores_);
    const std::int32_t branch = half(of_.d);
    layer.middle = half(of_.d);
    to_.give(branch);
    layer.root2 = roots();
    layer.b = half(of_.d);
    layer.f = half(4 * of_.d);
    layer.u = half(4 * of_.d);
    const std::int32_t down = half(of_.d);
    x_ = half(of_.d);
    to_.give(down);
    layers_.push_back(layer);
  }

  // Last norm, head, logarithms of the softmax in float32, and back to the layers' last values.
  void loss() {
    const std::int64_t d = of_.d, symbols = of_.vocabulary;
    const std::int32_t root = roots(), normed = half(d), logits = half(symbols);
    const std::int32_t in_float = to_.take(4 * tokens_ * symbols);
    const std::int32_t logarithms = to_.take(4 * tokens_ * symbols);
    to_.give(in_float, logits);
    loss_ = to_.take(4);
    const std::int32_t of_float = to_.take(4 * tokens_ * symbols);
    to_.give(logarithms);
    const std::int32_t of_logits = half(symbols);
    to_.give(of_float);
    gradient(symbols, d);
    const std::int32_t of_normed = half(d);
    to_.give(of_logits, normed);
    of_x_ = half(d);
    gradient(1, d);
    to_.give(of_normed, root);
  }

  // The gradient of the layer's result, of_x_, becomes that of its input.
  void backward_layer(const Layer& layer) {
    const std::int64_t d = of_.d;
    to_.give(x_);  // the layer's result
    const std::int32_t of_u = half(4 * d);
    gradient(d, 4 * d);
    to_.give(layer.u);
    const std::int32_t of_f = half(4 * d);
    to_.give(of_u, layer.f);
    const std::int32_t of_b = half(d);
    gradient(4 * d, d);
    to_.give(of_f, layer.b);
    of_x_ = after_norm(of_b, layer.root2);
    const std::int32_t of_o = half(d);
    gradient(d, d);
    const std::int32_t of_qkv = half(3 * d);
    to_.give(of_o, layer.o, layer.logarithms, layer.qkv, layer.middle);
    const std::int32_t of_a = half(d);
    gradient(3 * d, d);
    to_.give(of_qkv, layer.a);
    of_x_ = after_norm(of_a, layer.root1);
    x_ = layer.x;
  }

  // The gradient through a norm, added to that beside it.
  std::int32_t after_norm(std::int32_t of_normed, std::int32_t root) {
    const std::int32_t through = half(of_.d);
    gradient(1, of_.d);
    to_.give(of_normed, root);
    const std::int32_t sum = half(of_.d);
    to_.give(through, of_x_);
    return sum;
  }

  // The norm of each gradient and of all.
  void clip() {
    std::vector<std::int32_t> norms;
    for (std::size_t i = 0; i < gradients_.size(); ++i) norms.push_back(to_.take(4));
    const auto stacked = to_.take(4 * static_cast<std::int64_t>(norms.size()));
    const std::int32_t total = to_.take(4);
    for (const std::int32_t norm : norms) to_.give(norm);
    to_.give(stacked, total);
  }

  TraceWriter& to_;
  TraceShape of_;
  std::int64_t tokens_, scores_;
  std::vector<Layer> layers_;
  std::vector<std::int32_t> gradients_;
  std::int32_t x_ = 0, of_x_ = 0, loss_ = 0;
};

// The sequences of a step have 8, 6, 7, 5, 8, ... eighths of the longest length, as batches of texts differ.
// Without that, each step would find its own blocks again.
inline Trace trace_of(const TraceShape& shape) {
  constexpr std::array<std::int64_t, 4> eighths{8, 6, 7, 5};
  TraceWriter to;
  for (std::int64_t step = 0; step < shape.steps; ++step) {
    const std::int64_t part = eighths[static_cast<std::size_t>(step) % eighths.size()];
    StepWriter(to, shape, std::max<std::int64_t>(shape.sequence * part / 8, 1)).write();
  }
  return std::move(to).written();
}

}  // namespace allocator
