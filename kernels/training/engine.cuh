// Engine: a training step on a device, as launches and products. The device is a parameter: CUDA with
// cuBLASLt, or the emulator of tests. Host code.
//
// Device has: int plan(const Product&); multiply(plan, a, b, c, d, alpha, beta, scale of a, scale of b);
// launch(kernel, grid x, grid y, arguments...); launch_shaped(kernel, LaunchShape, arguments...); zero(at,
// bytes); multiprocessors(); has_wgmma(). beside(name, work) enqueues the launches of work() behind those so
// far, and perhaps beside those that follow. After wait(name), launches are behind the last work of that
// name, and after join() behind all. A name without work is nothing to wait for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/compression/compress_kernels.cuh"
#include "kernels/ptx/tensor_map.cuh"
#include "kernels/training/engine_options.h"
#include "kernels/training/flash_kernels.cuh"
#include "kernels/training/layer_kernels.cuh"
#include "kernels/training/linear_layers.cuh"
#include "kernels/training/model_kernels.cuh"

namespace training {

static_assert(std::has_unique_object_representations_v<Tokens>);

struct LaunchShape {
  unsigned x, y;  // of the grid
  unsigned threads;
  std::size_t shared_bytes;
};

template <class Device>
class Engine : LinearNames {
 public:
  using Half = std::uint16_t;
  using Code = std::uint8_t;

  Engine(const EngineOptions& options, Device& device)
      : of_(options),
        at_(options.shape),
        device_(device),
        tokens_(options.batch * options.shape.sequence),
        linears_(options, device) {
    Arena nothing(nullptr);
    lay_out(nothing);
    bytes_ = nothing.used();
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool multiplies_beside() const { return linears_.multiplies_beside(); }
  void bind(void* workspace) {
    Arena arena(workspace);
    lay_out(arena);
    if (device_.has_wgmma())
      for (Layer& layer : layers_) layer.maps = maps_of(layer);
  }

  // Enqueues a step. `fresh`: the scales of delayed FP8 are taken from this step's own values.
  void step(const StepTensors& on, bool fresh) {
    forward(on, fresh, logits_, {});
    loss(on, logits_, true);
    backward(on);
    device_.join();
    if (of_.compression) compress(fresh);
    device_.launch(adamw_step_kernel,
                   static_cast<unsigned>((at_.size() + adamw_elements - 1) / adamw_elements), 1,
                   of_.optimizer, on.step, gradient_, on.weights, on.mean, on.variance, at_.size());
    linears_.end();
    if (on.step != nullptr) device_.launch(next_step_kernel, 1, 1, on.step);
  }

  // Enqueues the loss of on.tokens alone. Scales are then those of its values. `before` gets addresses of the
  // device, in BF16, when the kernels that write there are enqueued.
  void evaluate(const StepTensors& on, const HeadsObserver& before = {}) {
    Half* const logits = on.logits == nullptr ? logits_ : on.logits;
    forward(on, true, logits, before);
    loss(on, logits, false);
  }

 private:
  struct Layer {
    Half *x, *qkv, *middle, *f;
    float *root1, *root2;
    float* sums;  // FlashTensors::rows
    LinearInputs inputs;
    FlashMaps maps;
  };

  [[nodiscard]] unsigned grid(std::int64_t elements) const { return blocks_for(elements, device_); }
  [[nodiscard]] unsigned rows() const { return static_cast<unsigned>(tokens_); }
  [[nodiscard]] unsigned partial_rows() const {
    const int blocks = of_.shape.d <= step_of_block ? 4 : 2;  // that a multiprocessor holds
    return std::min(rows(), static_cast<unsigned>(blocks * device_.multiprocessors()));
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
    linears_.lay_out(arena, d);
    layers_.resize(static_cast<std::size_t>(shape.layers));
    for (Layer& layer : layers_) {
      if (of_.recomputes && &layer != layers_.data()) layer = layers_.front();
      layer.x = arena.take<Half>(values);
      if (of_.recomputes && &layer != layers_.data()) continue;
      layer.qkv = arena.take<Half>(3 * values);
      layer.middle = arena.take<Half>(values);
      layer.f = arena.take<Half>(4 * values);
      layer.root1 = arena.take<float>(tokens_);
      layer.root2 = arena.take<float>(tokens_);
      layer.sums = arena.take<float>(2 * tokens_ * shape.heads);
      layer.inputs = linears_.lay_out_inputs(arena);
    }
    last_ = arena.take<Half>(values);
    normed_ = arena.take<Half>(values);
    last_root_ = arena.take<float>(tokens_);
    logits_ = arena.take<Half>(tokens_ * shape.vocabulary);
    losses_ = arena.take<float>(tokens_);
    of_qkv_ = arena.take<Half>(3 * values);
    of_x_ = arena.take<Half>(values);
    of_branch_ = arena.take<Half>(values);
    of_hidden_ = arena.take<Half>(4 * values);
    partial_ = arena.take<float>(d * partial_rows());
  }

  void norm(const Half* x, const float* gains, Half* y, float* roots, std::uint32_t* largest_of_y = nullptr) {
    const int d = static_cast<int>(of_.shape.d);
    const auto kernel = d <= 1024 ? norm_kernel<4> : d <= 2048 ? norm_kernel<8> : norm_kernel<16>;
    device_.launch(kernel, (rows() + norm_rows - 1) / norm_rows, 1, x, gains, y, roots, largest_of_y,
                   static_cast<int>(tokens_), d);
  }
  // `largest_of_x`: of of_x_.
  void norm_backward(const Half* x, const float* roots, const float* gains, const Half* of_y, float* of_gains,
                     std::uint32_t* largest_of_x) {
    const int d = static_cast<int>(of_.shape.d);
    const auto kernel = d <= narrow          ? narrow_norm_backward_kernel
                        : d <= step_of_block ? norm_backward_kernel<1>
                                             : norm_backward_kernel<2>;
    const unsigned rows_of_block = d <= narrow ? norm_rows : 1;
    const unsigned parts = std::min(partial_rows(), (rows() + rows_of_block - 1) / rows_of_block);
    device_.wait(sums);  // reads partial_
    device_.launch(kernel, parts, 1, x, roots, gains, of_y, of_x_, partial_, largest_of_x,
                   static_cast<int>(tokens_), d);
    device_.beside(sums, [=, this] {
      device_.launch(sum_rows_kernel, static_cast<unsigned>(d / sum_columns), 1, partial_,
                     static_cast<int>(parts), d, of_gains);
    });
  }

  [[nodiscard]] FlashMaps maps_of(const Layer& layer) const {
    const auto sequence = static_cast<int>(of_.shape.sequence), heads = static_cast<int>(of_.shape.heads);
    const auto size = static_cast<int>(of_.shape.head_size()), batch = static_cast<int>(of_.batch);
    return {ptx::make_tensor_map<ptx::BF16>(layer.qkv, flash_layout(3, heads, size, sequence, batch)),
            ptx::make_tensor_map<ptx::BF16>(of_branch_, flash_layout(1, heads, size, sequence, batch)),
            ptx::make_tensor_map<ptx::F32>(layer.sums, flash_rows_layout(batch * heads, sequence))};
  }
  [[nodiscard]] FlashTensors flash_tensors(const Layer& layer, const AttentionMask& mask) const {
    const ModelShape& shape = of_.shape;
    FlashTensors on;
    on.qkv = layer.qkv;
    on.of_out = of_branch_;
    on.rows = layer.sums;
    on.mask = mask;
    on.sequence = static_cast<int>(shape.sequence);
    on.heads = static_cast<int>(shape.heads);
    on.size = static_cast<int>(shape.head_size());
    on.scale = 1.0F / std::sqrt(static_cast<float>(shape.head_size()));
    on.scale2 = on.scale * 1.4426950409F;
    return on;
  }
  template <class Tiling>
  [[nodiscard]] LaunchShape shape_of_flash() const {
    return {static_cast<unsigned>((of_.shape.sequence + Tiling::rows - 1) / Tiling::rows),
            static_cast<unsigned>(of_.batch * of_.shape.heads), Tiling::threads, Tiling::shared_bytes};
  }
  template <FlashPass which, int Size>
  void flash(const FlashTensors& on, const FlashMaps& maps) {
    if (device_.has_wgmma() && on.mask.seen == nullptr) {
      using Tiling = FlashOnHopper<which, Size>;
      device_.launch_shaped(flash_on_hopper_kernel<Tiling>, shape_of_flash<Tiling>(), on, maps);
    } else {
      using Tiling = FlashAnywhere<which, Size>;
      device_.launch_shaped(flash_kernel<Tiling>, shape_of_flash<Tiling>(), on);
    }
  }
  template <FlashPass which>
  void flash(const FlashTensors& on, const FlashMaps& maps) {
    if (on.size <= 64)
      flash<which, 64>(on, maps);
    else
      flash<which, 128>(on, maps);
  }

  // Where a layer that is computed again writes its result: nowhere, but in FP8 its last product makes the
  // codes that the backward pass needs, and writes what is there already.
  [[nodiscard]] Half* again(std::int64_t l) const {
    return linears_.fp8() ? layers_[static_cast<std::size_t>(l + 1)].x : nullptr;
  }

  // Without `result`, only what the backward pass needs.
  void forward_layer(const StepTensors& on, std::int64_t l, Half* result, const HeadsObserver& before) {
    Layer& layer = layers_[static_cast<std::size_t>(l)];
    if (l > 0) device_.wait(codes);
    const float* const weights = on.weights + at_.layer(l);
    const ModelShape& shape = of_.shape;
    const std::int64_t d = shape.d, hidden = tokens_ * shape.hidden();
    const float *const gains1 = weights + at_.norm1(), *const gains2 = weights + at_.norm2();
    norm(layer.x, gains1, layer.inputs.plain[qkv], layer.root1, linears_.largest(l, qkv, Operand::input));
    linears_.multiply(l, qkv, layer.inputs, NormedMatrix{layer.x, gains1, layer.root1, d}, layer.qkv);
    if (before) {
      Half* const apart = of_hidden_;
      device_.launch(heads_kernel, grid(3 * tokens_ * d), 1, layer.qkv, apart, tokens_, 3,
                     static_cast<int>(shape.heads), static_cast<int>(shape.sequence),
                     static_cast<int>(shape.head_size()));
      before(l, apart, apart + tokens_ * d);
    }
    FlashTensors attention = flash_tensors(layer, on.mask.of_layer(l));
    attention.to = layer.inputs.plain[out];
    attention.largest = linears_.largest(l, out, Operand::input);
    flash<FlashPass::forward>(attention, layer.maps);
    linears_.multiply(l, out, layer.inputs, StoredMatrix<Half>{layer.inputs.plain[out], d}, layer.middle,
                      layer.x);
    norm(layer.middle, gains2, layer.inputs.plain[up], layer.root2, linears_.largest(l, up, Operand::input));
    linears_.multiply(l, up, layer.inputs, NormedMatrix{layer.middle, gains2, layer.root2, d}, layer.f);
    if (!linears_.fp8())
      device_.launch(gelu_kernel, grid(hidden), 1, layer.f, layer.inputs.plain[down], hidden);
    else if (std::uint32_t* const told = linears_.largest(l, down, Operand::input))
      device_.launch(gelu_largest_kernel, grid(hidden), 1, layer.f, told, hidden);
    if (result != nullptr)
      linears_.multiply(l, down, layer.inputs, GeluMatrix{layer.f, shape.hidden()}, result, layer.middle);
  }

  void forward(const StepTensors& on, bool fresh, Half* logits, const HeadsObserver& before) {
    const ModelShape& shape = of_.shape;
    linears_.begin(on.weights, fresh);
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
    linears_.multiply_plain(0, head, normed_, logits);
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
      device_.launch(distance_kernel, rows(), 1, last_, on.target, of_x_, losses_,
                     linears_.largest(shape.layers - 1, down, Operand::gradient), static_cast<int>(shape.d),
                     factor);
    }
    device_.launch(mean_loss_kernel, 1, 1, losses_, static_cast<int>(tokens_), factor, on.step, on.loss);
  }

  // By the gradient of its result in of_branch_.
  void attention_backward(const Layer& layer, const AttentionMask& mask, std::uint32_t* largest_of_qkv) {
    FlashTensors attention = flash_tensors(layer, mask);
    attention.to = of_qkv_;
    attention.largest = largest_of_qkv;
    device_.launch(flash_delta_kernel, static_cast<unsigned>(tokens_ * of_.shape.heads / 16), 1, attention,
                   layer.inputs.plain[out]);
    flash<FlashPass::of_keys>(attention, layer.maps);
    flash<FlashPass::of_queries>(attention, layer.maps);
  }

  // It waits for gradients of weights whose operands it changes.
  void backward_layer(const StepTensors& on, std::int64_t l) {
    const Layer& layer = layers_[static_cast<std::size_t>(l)];
    const float* const weights = on.weights + at_.layer(l);
    float* const of_weights = gradient_ + at_.layer(l);
    device_.wait(up);  // reads of_hidden_
    linears_.backward(l, down, layer.inputs, of_x_, of_hidden_, gradient_);
    const std::int64_t hidden = tokens_ * of_.shape.hidden();
    device_.launch(gelu_backward_kernel, grid(hidden), 1, layer.f, of_hidden_,
                   linears_.largest(l, up, Operand::gradient), hidden);
    linears_.backward(l, up, layer.inputs, of_hidden_, of_branch_, gradient_);
    device_.wait(down);  // reads of_x_
    norm_backward(layer.middle, layer.root2, weights + at_.norm2(), of_branch_, of_weights + at_.norm2(),
                  linears_.largest(l, out, Operand::gradient));
    linears_.backward(l, out, layer.inputs, of_x_, of_branch_, gradient_);
    device_.wait(qkv);  // reads of_qkv_
    attention_backward(layer, on.mask.of_layer(l), linears_.largest(l, qkv, Operand::gradient));
    linears_.backward(l, qkv, layer.inputs, of_qkv_, of_branch_, gradient_);
    device_.wait(out);  // reads of_x_
    norm_backward(layer.x, layer.root1, weights + at_.norm1(), of_branch_, of_weights + at_.norm1(),
                  l > 0 ? linears_.largest(l - 1, down, Operand::gradient) : nullptr);
  }

  void backward(const StepTensors& on) {
    const ModelShape& shape = of_.shape;
    const int d = static_cast<int>(shape.d);
    if (shape.vocabulary > 0) {
      linears_.backward_plain(0, head, normed_, logits_, of_branch_, gradient_);
      device_.zero(of_x_, static_cast<std::size_t>(tokens_ * shape.d) * sizeof *of_x_);
      norm_backward(last_, last_root_, on.weights + at_.last_norm(), of_branch_, gradient_ + at_.last_norm(),
                    linears_.largest(shape.layers - 1, down, Operand::gradient));
    }
    for (std::int64_t l = shape.layers - 1; l >= 0; --l) {
      if (of_.recomputes && l + 1 < shape.layers) {
        device_.join();  // layers share their activations
        forward_layer(on, l, again(l), {});
      }
      backward_layer(on, l);
    }
    if (shape.vocabulary == 0) return;
    device_.beside(sums, [=, this] {
      device_.launch(positions_backward_kernel, static_cast<unsigned>(of_.shape.sequence), 1, of_x_,
                     gradient_ + at_.positions(), static_cast<int>(of_.batch),
                     static_cast<int>(of_.shape.sequence), d);
    });
    device_.launch(embed_backward_kernel, static_cast<unsigned>(shape.vocabulary), parts_of_symbol(),
                   on.tokens, of_x_, gradient_ + at_.embedding(), static_cast<int>(tokens_), d);
  }

  // Few symbols have rows in several parts of 64 columns at least, so that all multiprocessors have work.
  [[nodiscard]] unsigned parts_of_symbol() const {
    const std::int64_t enough = std::int64_t{16} * device_.multiprocessors() / of_.shape.vocabulary;
    std::int64_t parts = 1;
    while (2 * parts <= enough && of_.shape.d % (2 * parts * 8) == 0 && of_.shape.d >= 2 * parts * 64)
      parts *= 2;
    return static_cast<unsigned>(parts);
  }

  EngineOptions of_;
  Layout at_;
  Device& device_;
  std::int64_t tokens_;
  LinearLayers<Device> linears_;
  std::size_t bytes_ = 0;
  std::vector<Layer> layers_;
  float* residual_ = nullptr;
  Code* compressed_ = nullptr;
  float *gradient_ = nullptr, *last_root_ = nullptr, *losses_ = nullptr, *partial_ = nullptr;
  Half *last_ = nullptr, *normed_ = nullptr, *logits_ = nullptr, *of_qkv_ = nullptr, *of_x_ = nullptr,
       *of_branch_ = nullptr, *of_hidden_ = nullptr;
};

}  // namespace training
