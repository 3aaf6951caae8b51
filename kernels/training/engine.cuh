// Engine: a training step on a device, as launches and products. The device is a parameter: CUDA with
// cuBLASLt, or the emulator of tests. Host code.
//
// Device has: int plan(const Product&); multiply(plan, a, b, c, d, alpha, beta, scale of a, scale of b);
// launch(kernel, grid x, grid y, arguments...); zero(at, bytes); multiprocessors().
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/compression/compress_kernels.cuh"
#include "kernels/training/engine_options.h"
#include "kernels/training/fp8_kernels.cuh"
#include "kernels/training/layer_kernels.cuh"
#include "kernels/training/model_kernels.cuh"
#include "kernels/training/products.h"

namespace training {

static_assert(std::has_unique_object_representations_v<Tokens>);

// Parts of a workspace, each at a multiple of 256 bytes.
class Arena {
 public:
  explicit Arena(void* begin) : begin_(static_cast<unsigned char*>(begin)) {}
  template <class T>
  T* take(std::int64_t count) {
    T* const at = begin_ == nullptr ? nullptr : reinterpret_cast<T*>(begin_ + used_);
    used_ += (static_cast<std::size_t>(count) * sizeof(T) + 255) / 256 * 256;
    return at;
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  unsigned char* begin_;
  std::size_t used_ = 0;
};

template <class Device>
class Engine {
 public:
  using Half = std::uint16_t;
  using Code = std::uint8_t;

  Engine(const EngineOptions& options, Device& device)
      : of_(options), at_(options.shape), device_(device), tokens_(options.batch * options.shape.sequence) {
    const ModelShape& shape = of_.shape;
    const auto plan = [&](Linear which, std::int64_t inputs, std::int64_t outputs, bool fp8) {
      linears_[which] = {inputs, outputs, device.plan(forward_product(fp8, tokens_, inputs, outputs)),
                         device.plan(input_product(fp8, tokens_, inputs, outputs)),
                         device.plan(weight_product(fp8, tokens_, inputs, outputs))};
    };
    plan(qkv, shape.d, 3 * shape.d, fp8());
    plan(out, shape.d, shape.d, fp8());
    plan(up, shape.d, shape.hidden(), fp8());
    plan(down, shape.hidden(), shape.d, fp8());
    if (shape.vocabulary > 0) plan(head, shape.d, shape.vocabulary, false);
    const int heads = static_cast<int>(of_.batch * shape.heads);
    pairs_ = device.plan(pairs_product(heads, shape.sequence, shape.head_size()));
    of_keys_ = device.plan(of_keys_product(heads, shape.sequence, shape.head_size()));
    of_queries_ = device.plan(of_queries_product(heads, shape.sequence, shape.head_size()));
    Arena nothing(nullptr);
    lay_out(nothing);
    bytes_ = nothing.used();
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void bind(void* workspace) {
    Arena arena(workspace);
    lay_out(arena);
  }

  // Enqueues a step. `fresh`: the scales of delayed FP8 are taken from this step's own values.
  void step(const StepTensors& on, bool fresh) {
    fresh_ = fresh || of_.precision != Precision::fp8_delayed;
    forward(on, logits_, {});
    loss(on, logits_, true);
    backward(on);
    if (of_.compression) compress(fresh);
    device_.launch(adamw_step_kernel, grid(at_.size()), 1, of_.optimizer, on.step, gradient_, on.weights,
                   on.mean, on.variance, at_.size());
    if (!fresh_) device_.launch(take_largest_kernel, 1, 1, used_, next_, slots());
    if (on.step != nullptr) device_.launch(next_step_kernel, 1, 1, on.step);
  }

  // Enqueues the loss of on.tokens alone. Scales are then those of its values. `before` gets addresses of the
  // device, in BF16, when the kernels that write there are enqueued.
  void evaluate(const StepTensors& on, const HeadsObserver& before = {}) {
    fresh_ = true;
    Half* const logits = on.logits == nullptr ? logits_ : on.logits;
    forward(on, logits, before);
    loss(on, logits, false);
  }

 private:
  enum Linear { qkv, out, up, down, head };
  static constexpr int in_layer = 4;
  static constexpr int floats_a_scale = 4;  // cuBLASLt takes scales at multiples of 16 bytes alone
  struct LinearPlan {
    std::int64_t inputs = 0, outputs = 0;
    int forward = 0, of_input = 0, of_weight = 0;
  };
  struct Layer {
    Half *x, *heads, *middle, *f;
    float *root1, *root2;
    std::array<Half*, in_layer> inputs;      // of its linear layers, kept in BF16
    std::array<Code*, in_layer> transposed;  // or in FP8, transposed
  };

  [[nodiscard]] bool fp8() const { return of_.precision != Precision::bf16; }
  [[nodiscard]] int slots() const { return static_cast<int>(3 * in_layer * of_.shape.layers); }
  [[nodiscard]] unsigned grid(std::int64_t elements) const {
    const std::int64_t needed = (elements + 8 * threads_a_block - 1) / (8 * threads_a_block);
    return static_cast<unsigned>(std::min<std::int64_t>(needed, 8 * device_.multiprocessors()));
  }
  [[nodiscard]] unsigned rows() const { return static_cast<unsigned>(tokens_); }
  [[nodiscard]] unsigned partial_rows() const {
    return std::min(rows(), static_cast<unsigned>(2 * device_.multiprocessors()));
  }
  [[nodiscard]] std::int64_t offset_of(Linear which) const {
    return which == qkv ? at_.qkv() : which == out ? at_.out() : which == up ? at_.up() : at_.down();
  }
  [[nodiscard]] std::int64_t in_weights(std::int64_t layer, Linear which) const {
    return which == head ? at_.head() : at_.layer(layer) + offset_of(which);
  }

  // Kernels of compression on the engine's device.
  struct CompressDevice {
    [[nodiscard]] int multiprocessors() const { return device.multiprocessors(); }
    template <class... Parameters, class... Arguments>
    void launch(void (*kernel)(Parameters...), unsigned blocks, const Arguments&... arguments) {
      static_assert(compression::compress_threads == threads_a_block);
      device.launch(kernel, blocks, 1, arguments...);
    }
    void zero(void* at, std::size_t bytes) { device.zero(at, bytes); }
    Device& device;
  };
  using Compressor = compression::Compressor<CompressDevice>;

  // The gradient becomes what its compressed form tells of it. It is read for the last time before it is
  // written.
  void compress(bool fresh) {
    if (fresh) device_.zero(residual_, static_cast<std::size_t>(at_.size()) * sizeof *residual_);
    CompressDevice device{device_};
    Compressor(*of_.compression, at_.size()).run(device, residual_, gradient_, gradient_, compressed_);
  }

  void lay_out(Arena& arena) {
    const ModelShape& shape = of_.shape;
    const std::int64_t d = shape.d, values = tokens_ * d;
    gradient_ = arena.take<float>(at_.size());
    if (of_.compression) {
      residual_ = arena.take<float>(at_.size());
      compressed_ = arena.take<Code>(
          static_cast<std::int64_t>(Compressor(*of_.compression, at_.size()).workspace_bytes()));
    }
    first_copied_ = fp8() ? at_.head() : at_.layer(0);
    copies_ = arena.take<Half>(std::max<std::int64_t>(at_.size() - first_copied_, 0));
    if (fp8()) {
      codes_ = arena.take<Code>(shape.layers * at_.layer_size());
      transposed_codes_ = arena.take<Code>(shape.layers * at_.layer_size());
      x_codes_ = arena.take<Code>(4 * values);
      of_y_codes_ = arena.take<Code>(4 * values);
      of_y_transposed_ = arena.take<Code>(4 * values);
      scales_ = arena.take<float>(slots() * floats_a_scale);
      used_ = arena.take<std::uint32_t>(slots());
      next_ = arena.take<std::uint32_t>(slots());
    }
    layers_.resize(static_cast<std::size_t>(shape.layers));
    Half* const shared = fp8() ? arena.take<Half>(4 * values) : nullptr;
    for (Layer& layer : layers_) {
      if (of_.recomputes && &layer != layers_.data()) layer = layers_.front();
      layer.x = arena.take<Half>(values);
      if (of_.recomputes && &layer != layers_.data()) continue;
      layer.heads = arena.take<Half>(3 * values);
      layer.middle = arena.take<Half>(values);
      layer.f = arena.take<Half>(4 * values);
      layer.root1 = arena.take<float>(tokens_);
      layer.root2 = arena.take<float>(tokens_);
      for (int which = 0; which < in_layer; ++which) {
        const auto place = static_cast<std::size_t>(which);
        const std::int64_t count = tokens_ * linears_[place].inputs;
        layer.inputs[place] = fp8() ? shared : arena.take<Half>(count);
        layer.transposed[place] = fp8() ? arena.take<Code>(count) : nullptr;
      }
    }
    last_ = arena.take<Half>(values);
    normed_ = arena.take<Half>(values);
    last_root_ = arena.take<float>(tokens_);
    logits_ = arena.take<Half>(tokens_ * shape.vocabulary);
    losses_ = arena.take<float>(tokens_);
    const std::int64_t pairs = of_.batch * shape.heads * shape.sequence * shape.sequence;
    probabilities_ = arena.take<Half>(pairs);
    slopes_ = arena.take<Half>(pairs);
    of_heads_ = arena.take<Half>(3 * values);
    of_out_heads_ = arena.take<Half>(values);
    rows_of_heads_ = arena.take<Half>(3 * values);
    of_x_ = arena.take<Half>(values);
    of_branch_ = arena.take<Half>(values);
    of_hidden_ = arena.take<Half>(4 * values);
    partial_ = arena.take<float>(d * partial_rows());
  }

  // A slot for the scale of each operand: inputs, weights and gradients of a layer's linear layers.
  enum class Operand { input, weight, gradient };
  [[nodiscard]] int slot(std::int64_t layer, Linear which, Operand operand) const {
    return static_cast<int>((layer * 3 + static_cast<int>(operand)) * in_layer + which);
  }
  [[nodiscard]] float* scale(int place) const { return scales_ + place * floats_a_scale; }
  template <class Type, class From>
  void quantise(const From* x, std::int64_t count_rows, std::int64_t columns, int place, Code* codes,
                Code* transposed) {
    if (fresh_)
      device_.launch(largest_kernel<From>, grid(count_rows * columns), 1, x, count_rows * columns,
                     used_ + place);
    device_.launch(quantise_kernel<From, Type>, static_cast<unsigned>((columns + tile - 1) / tile),
                   static_cast<unsigned>((count_rows + tile - 1) / tile), x, static_cast<int>(count_rows),
                   static_cast<int>(columns), used_ + place, fresh_ ? nullptr : next_ + place, scale(place),
                   codes, transposed);
  }

  void prepare_weights(const StepTensors& on) {
    const std::int64_t copied = at_.size() - first_copied_;
    if (copied > 0) device_.launch(cast_kernel, grid(copied), 1, on.weights + first_copied_, copies_, copied);
    if (!fp8()) return;
    for (std::int64_t l = 0; l < of_.shape.layers; ++l)
      for (const Linear which : {qkv, out, up, down}) {
        const std::int64_t in_codes = l * at_.layer_size() + offset_of(which);
        quantise<ptx::E4M3, float>(on.weights + in_weights(l, which), linears_[which].outputs,
                                   linears_[which].inputs, slot(l, which, Operand::weight), codes_ + in_codes,
                                   transposed_codes_ + in_codes);
      }
  }

  // y = x W^T, plus `added` where there is one. In FP8 x is kept, transposed, in the layer.
  void linear(std::int64_t l, Linear which, const Half* x, Half* y, const Half* added = nullptr) {
    const LinearPlan& plan = linears_[which];
    const Half* const c = added == nullptr ? y : added;
    const float beta = added == nullptr ? 0.0F : 1.0F;
    if (!fp8() || which == head) {
      device_.multiply(plan.forward, copies_ + (in_weights(l, which) - first_copied_), x, c, y, 1.0F, beta,
                       nullptr, nullptr);
      return;
    }
    const int of_x = slot(l, which, Operand::input), of_w = slot(l, which, Operand::weight);
    quantise<ptx::E4M3, Half>(x, tokens_, plan.inputs, of_x, x_codes_,
                              layers_[static_cast<std::size_t>(l)].transposed[which]);
    device_.multiply(plan.forward, codes_ + l * at_.layer_size() + offset_of(which), x_codes_, c, y, 1.0F,
                     beta, scale(of_w), scale(of_x));
  }

  // The gradients of x and W by that of y.
  void linear_backward(std::int64_t l, Linear which, const Half* x, const Half* of_y, Half* of_x) {
    const LinearPlan& plan = linears_[which];
    float* const of_w = gradient_ + in_weights(l, which);
    if (!fp8() || which == head) {
      device_.multiply(plan.of_input, copies_ + (in_weights(l, which) - first_copied_), of_y, of_x, of_x,
                       1.0F, 0.0F, nullptr, nullptr);
      device_.multiply(plan.of_weight, x, of_y, of_w, of_w, 1.0F, 0.0F, nullptr, nullptr);
      return;
    }
    const int place = slot(l, which, Operand::gradient);
    quantise<ptx::E5M2, Half>(of_y, tokens_, plan.outputs, place, of_y_codes_, of_y_transposed_);
    device_.multiply(plan.of_input, transposed_codes_ + l * at_.layer_size() + offset_of(which), of_y_codes_,
                     of_x, of_x, 1.0F, 0.0F, scale(slot(l, which, Operand::weight)), scale(place));
    device_.multiply(plan.of_weight, layers_[static_cast<std::size_t>(l)].transposed[which], of_y_transposed_,
                     of_w, of_w, 1.0F, 0.0F, scale(slot(l, which, Operand::input)), scale(place));
  }

  void norm(const Half* x, const float* gains, Half* y, float* roots) {
    device_.launch(norm_kernel, rows(), 1, x, gains, y, roots, static_cast<int>(of_.shape.d));
  }
  void norm_backward(const Half* x, const float* roots, const float* gains, const Half* of_y,
                     float* of_gains) {
    const int d = static_cast<int>(of_.shape.d);
    const unsigned parts = partial_rows();
    device_.launch(norm_backward_kernel, parts, 1, x, roots, gains, of_y, of_x_, partial_,
                   static_cast<int>(tokens_), d);
    device_.launch(sum_rows_kernel, static_cast<unsigned>((d + threads_a_block - 1) / threads_a_block), 1,
                   partial_, static_cast<int>(parts), d, of_gains);
  }

  template <bool apart>
  void heads(const Half* from, Half* to, int parts) {
    const ModelShape& shape = of_.shape;
    device_.launch(heads_kernel<apart>, grid(parts * tokens_ * shape.d), 1, from, to, tokens_, parts,
                   static_cast<int>(shape.heads), static_cast<int>(shape.sequence),
                   static_cast<int>(shape.head_size()));
  }

  [[nodiscard]] float score_scale() const {
    return 1.0F / std::sqrt(static_cast<float>(of_.shape.head_size()));
  }
  void probabilities(const Half* q, const Half* k, const AttentionMask& mask) {
    device_.multiply(pairs_, k, q, probabilities_, probabilities_, score_scale(), 0.0F, nullptr, nullptr);
    device_.launch(mask.seen == nullptr ? softmax_kernel<false> : softmax_kernel<true>,
                   static_cast<unsigned>(tokens_ * of_.shape.heads), 1, probabilities_,
                   static_cast<int>(of_.shape.sequence), mask);
  }

  // Where a layer that is computed again writes its result: nowhere, but in FP8 its last product makes the
  // codes that the backward pass needs, and writes what is there already.
  [[nodiscard]] Half* again(std::int64_t l) const {
    return fp8() ? layers_[static_cast<std::size_t>(l + 1)].x : nullptr;
  }

  // Without `result`, only what the backward pass needs.
  void forward_layer(const StepTensors& on, std::int64_t l, Half* result, const HeadsObserver& before) {
    Layer& layer = layers_[static_cast<std::size_t>(l)];
    const float* const weights = on.weights + at_.layer(l);
    const std::int64_t values = tokens_ * of_.shape.d;
    norm(layer.x, weights + at_.norm1(), layer.inputs[qkv], layer.root1);
    linear(l, qkv, layer.inputs[qkv], rows_of_heads_);
    heads<true>(rows_of_heads_, layer.heads, 3);
    if (before) before(l, layer.heads, layer.heads + values);
    probabilities(layer.heads, layer.heads + values, on.mask.of_layer(l));
    device_.multiply(of_keys_, layer.heads + 2 * values, probabilities_, of_out_heads_, of_out_heads_, 1.0F,
                     0.0F, nullptr, nullptr);
    heads<false>(of_out_heads_, layer.inputs[out], 1);
    linear(l, out, layer.inputs[out], layer.middle, layer.x);
    norm(layer.middle, weights + at_.norm2(), layer.inputs[up], layer.root2);
    linear(l, up, layer.inputs[up], layer.f);
    device_.launch(gelu_kernel, grid(4 * values), 1, layer.f, layer.inputs[down], 4 * values);
    if (result != nullptr) linear(l, down, layer.inputs[down], result, layer.middle);
  }

  void forward(const StepTensors& on, Half* logits, const HeadsObserver& before) {
    const ModelShape& shape = of_.shape;
    if (fp8() && fresh_) {
      device_.zero(used_, static_cast<std::size_t>(slots()) * sizeof *used_);
      device_.zero(next_, static_cast<std::size_t>(slots()) * sizeof *next_);
    }
    prepare_weights(on);
    Half* const first = layers_.front().x;
    if (shape.vocabulary > 0)
      device_.launch(embed_kernel, rows(), 1, on.tokens, on.weights + at_.embedding(),
                     on.weights + at_.positions(), first, static_cast<int>(shape.d));
    else
      device_.launch(cast_kernel, grid(tokens_ * shape.d), 1, on.input, first, tokens_ * shape.d);
    for (std::int64_t l = 0; l < shape.layers; ++l)
      forward_layer(on, l, l + 1 < shape.layers ? layers_[static_cast<std::size_t>(l + 1)].x : last_, before);
    if (shape.vocabulary == 0) return;
    norm(last_, on.weights + at_.last_norm(), normed_, last_root_);
    linear(0, head, normed_, logits);
  }

  // Leaves the gradient by the logits in their place, or that by the last values in of_x_.
  void loss(const StepTensors& on, Half* logits, bool with_gradient) {
    const ModelShape& shape = of_.shape;
    float factor = 1.0F / static_cast<float>(tokens_);
    if (shape.vocabulary > 0) {
      device_.launch(cross_entropy_kernel, rows(), 1, logits, on.tokens, losses_,
                     static_cast<int>(shape.vocabulary), with_gradient ? factor : 0.0F);
    } else {
      factor /= static_cast<float>(shape.d);
      device_.launch(distance_kernel, rows(), 1, last_, on.target, of_x_, losses_, static_cast<int>(shape.d),
                     factor);
    }
    device_.launch(mean_loss_kernel, 1, 1, losses_, static_cast<int>(tokens_), factor, on.step, on.loss);
  }

  void attention_backward(const Layer& layer, const AttentionMask& mask) {
    const std::int64_t values = tokens_ * of_.shape.d;
    const Half *const q = layer.heads, *const k = q + values, *const v = k + values;
    Half *const of_q = of_heads_, *const of_k = of_q + values, *const of_v = of_k + values;
    probabilities(q, k, mask);
    device_.multiply(pairs_, v, of_out_heads_, slopes_, slopes_, 1.0F, 0.0F, nullptr, nullptr);
    device_.multiply(of_queries_, of_out_heads_, probabilities_, of_v, of_v, 1.0F, 0.0F, nullptr, nullptr);
    device_.launch(softmax_backward_kernel, static_cast<unsigned>(tokens_ * of_.shape.heads), 1,
                   probabilities_, slopes_, static_cast<int>(of_.shape.sequence));
    device_.multiply(of_keys_, k, slopes_, of_q, of_q, score_scale(), 0.0F, nullptr, nullptr);
    device_.multiply(of_queries_, q, slopes_, of_k, of_k, score_scale(), 0.0F, nullptr, nullptr);
  }

  void backward_layer(const StepTensors& on, std::int64_t l) {
    const Layer& layer = layers_[static_cast<std::size_t>(l)];
    const float* const weights = on.weights + at_.layer(l);
    float* const of_weights = gradient_ + at_.layer(l);
    linear_backward(l, down, layer.inputs[down], of_x_, of_hidden_);
    const std::int64_t hidden = tokens_ * of_.shape.hidden();
    device_.launch(gelu_backward_kernel, grid(hidden), 1, layer.f, of_hidden_, hidden);
    linear_backward(l, up, layer.inputs[up], of_hidden_, of_branch_);
    norm_backward(layer.middle, layer.root2, weights + at_.norm2(), of_branch_, of_weights + at_.norm2());
    linear_backward(l, out, layer.inputs[out], of_x_, of_branch_);
    heads<true>(of_branch_, of_out_heads_, 1);
    attention_backward(layer, on.mask.of_layer(l));
    heads<false>(of_heads_, rows_of_heads_, 3);
    linear_backward(l, qkv, layer.inputs[qkv], rows_of_heads_, of_branch_);
    norm_backward(layer.x, layer.root1, weights + at_.norm1(), of_branch_, of_weights + at_.norm1());
  }

  void backward(const StepTensors& on) {
    const ModelShape& shape = of_.shape;
    const int d = static_cast<int>(shape.d);
    if (shape.vocabulary > 0) {
      linear_backward(0, head, normed_, logits_, of_branch_);
      device_.zero(of_x_, static_cast<std::size_t>(tokens_ * shape.d) * sizeof *of_x_);
      norm_backward(last_, last_root_, on.weights + at_.last_norm(), of_branch_, gradient_ + at_.last_norm());
    }
    for (std::int64_t l = shape.layers - 1; l >= 0; --l) {
      if (of_.recomputes && l + 1 < shape.layers) forward_layer(on, l, again(l), {});
      backward_layer(on, l);
    }
    if (shape.vocabulary == 0) return;
    device_.launch(embed_backward_kernel, static_cast<unsigned>(shape.vocabulary), 1, on.tokens, of_x_,
                   gradient_ + at_.embedding(), static_cast<int>(tokens_), d);
    device_.launch(positions_backward_kernel, static_cast<unsigned>(shape.sequence), 1, of_x_,
                   gradient_ + at_.positions(), static_cast<int>(of_.batch), static_cast<int>(shape.sequence),
                   d);
  }

  EngineOptions of_;
  Layout at_;
  Device& device_;
  std::int64_t tokens_;
  std::array<LinearPlan, in_layer + 1> linears_;
  int pairs_ = 0, of_keys_ = 0, of_queries_ = 0;
  std::size_t bytes_ = 0;
  bool fresh_ = true;
  std::int64_t first_copied_ = 0;  // of the weights that have BF16 copies
  std::vector<Layer> layers_;
  float* residual_ = nullptr;
  Code* compressed_ = nullptr;
  float *gradient_ = nullptr, *scales_ = nullptr, *last_root_ = nullptr, *losses_ = nullptr,
        *partial_ = nullptr;
  Half *copies_ = nullptr, *last_ = nullptr, *normed_ = nullptr, *logits_ = nullptr,
       *probabilities_ = nullptr, *slopes_ = nullptr, *of_heads_ = nullptr, *of_out_heads_ = nullptr,
       *rows_of_heads_ = nullptr, *of_x_ = nullptr, *of_branch_ = nullptr, *of_hidden_ = nullptr;
  Code *codes_ = nullptr, *transposed_codes_ = nullptr, *x_codes_ = nullptr, *of_y_codes_ = nullptr,
       *of_y_transposed_ = nullptr;
  std::uint32_t *used_ = nullptr, *next_ = nullptr;
};

}  // namespace training
