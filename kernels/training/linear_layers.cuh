// LinearLayers: the products of a training step on a device, in BF16 or in FP8, with the copies of the
// weights and the scales that they need. The device is a parameter, as in engine.cuh. Host code.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/training/engine_options.h"
#include "kernels/training/fp8_kernels.cuh"
#include "kernels/training/layer_kernels.cuh"
#include "kernels/training/products.h"

namespace training {

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

// Blocks of a kernel whose threads take 8 elements at a time.
template <class Device>
unsigned blocks_for(std::int64_t elements, const Device& device) {
  const std::int64_t needed = (elements + 8 * threads_a_block - 1) / (8 * threads_a_block);
  return static_cast<unsigned>(std::min<std::int64_t>(needed, 8 * device.multiprocessors()));
}

// The linear layers of a layer of the model, and that of the whole model.
struct LinearNames {
  enum Linear { qkv, out, up, down, head };
  static constexpr int in_layer = 4;
  // Each has a slot for the scale of each operand in FP8.
  enum class Operand { input, weight, gradient };
  // The backward pass goes from each layer's output to its input. Results that no later part of it reads are
  // made beside it: gradients of the weights of each linear layer, by its name, and sums over rows. Codes of
  // all weights but the first layer's are made beside the forward pass of that layer.
  enum Beside { sums = head + 1, codes, besides };
};

// Inputs of a layer's linear layers, kept for the backward pass.
struct LinearInputs {
  std::array<std::uint16_t*, LinearNames::in_layer> plain;  // in BF16; in FP8 only the result of attention
  std::array<std::uint8_t*, LinearNames::in_layer> transposed;  // those in FP8
};

template <class Device>
class LinearLayers : public LinearNames {
 public:
  using Half = std::uint16_t;
  using Code = std::uint8_t;

  LinearLayers(const EngineOptions& options, Device& device)
      : precision_(options.precision),
        layers_(options.shape.layers),
        at_(options.shape),
        device_(device),
        tokens_(options.batch * options.shape.sequence) {
    const ModelShape& shape = options.shape;
    const auto plan = [&](Linear which, std::int64_t inputs, std::int64_t outputs, bool fp8) {
      plans_[which] = {inputs, outputs, device.plan(forward_product(fp8, tokens_, inputs, outputs)),
                       device.plan(input_product(fp8, tokens_, inputs, outputs)),
                       device.plan(weight_product(fp8, tokens_, inputs, outputs))};
    };
    plan(qkv, shape.d, 3 * shape.d, fp8());
    plan(out, shape.d, shape.d, fp8());
    plan(up, shape.d, shape.hidden(), fp8());
    plan(down, shape.hidden(), shape.d, fp8());
    if (shape.vocabulary > 0) plan(head, shape.d, shape.vocabulary, false);
    first_copied_ = fp8() ? at_.head() : at_.layer(0);
  }

  [[nodiscard]] bool fp8() const { return precision_ != Precision::bf16; }
  // Whether any product goes beside others, and needs a workspace of its own.
  [[nodiscard]] bool multiplies_beside() const {
    return std::any_of(plans_.begin(), plans_.end(),
                       [&](const Plan& plan) { return plan.outputs > 0 && is_small(plan); });
  }

  void lay_out(Arena& arena, std::int64_t d) {
    const std::int64_t values = tokens_ * d;
    copies_ = arena.take<Half>(std::max<std::int64_t>(at_.size() - first_copied_, 0));
    if (!fp8()) return;
    codes_ = arena.take<Code>(layers_ * at_.layer_size());
    transposed_codes_ = arena.take<Code>(layers_ * at_.layer_size());
    x_codes_ = arena.take<Code>(4 * values);
    of_y_codes_ = arena.take<Code>(4 * values);
    of_y_transposed_ = arena.take<Code>(4 * values);
    scales_ = arena.take<float>(slots() * floats_a_scale);
    used_ = arena.take<std::uint32_t>(2 * slots());
    next_ = used_ + slots();
  }
  [[nodiscard]] LinearInputs lay_out_inputs(Arena& arena) const {
    LinearInputs inputs;
    for (int which = 0; which < in_layer; ++which) {
      const auto place = static_cast<std::size_t>(which);
      const std::int64_t count = tokens_ * plans_[place].inputs;
      inputs.plain[place] = !fp8() || which == out ? arena.take<Half>(count) : nullptr;
      inputs.transposed[place] = fp8() ? arena.take<Code>(count) : nullptr;
    }
    return inputs;
  }

  // Prepares a pass. `fresh`: the scales of delayed FP8 are taken from the values of this pass, too.
  void begin(const float* weights, bool fresh) {
    fresh_ = fresh || precision_ != Precision::fp8_delayed;
    if (fp8() && fresh_) device_.zero(used_, 2 * static_cast<std::size_t>(slots()) * sizeof *used_);
    const std::int64_t copied = at_.size() - first_copied_;
    if (copied > 0)
      device_.launch(cast_kernel, blocks_for(copied, device_), 1, weights + first_copied_, copies_, copied);
    if (!fp8()) return;
    quantise_weights(weights, 0);
    if (layers_ > 1)
      device_.beside(codes, [=, this] {
        for (std::int64_t l = 1; l < layers_; ++l) quantise_weights(weights, l);
      });
  }
  // Keeps the largest magnitudes of a step for the next one.
  void end() {
    if (!fresh_) device_.launch(take_largest_kernel, 1, 1, used_, next_, slots());
  }

  // Where a kernel tells the largest magnitude of its result, an operand; null: it is not wanted.
  [[nodiscard]] std::uint32_t* largest(std::int64_t layer, Linear which, Operand operand) const {
    return fp8() && fresh_ ? used_ + slot(layer, which, operand) : nullptr;
  }

  // y = x W^T in BF16, plus `added` where there is one.
  void multiply_plain(std::int64_t l, Linear which, const Half* x, Half* y, const Half* added = nullptr) {
    device_.multiply(plans_[which].forward, copy_of(l, which), x, added == nullptr ? y : added, y, 1.0F,
                     added == nullptr ? 0.0F : 1.0F, nullptr, nullptr);
  }
  // The same of a layer: in BF16 of its input, in FP8 of `x`, whose transposed codes `inputs` keeps.
  template <class Matrix>
  void multiply(std::int64_t l, Linear which, const LinearInputs& inputs, const Matrix& x, Half* y,
                const Half* added = nullptr) {
    if (!fp8()) return multiply_plain(l, which, inputs.plain[which], y, added);
    const Plan& plan = plans_[which];
    const int of_x = slot(l, which, Operand::input), of_w = slot(l, which, Operand::weight);
    quantise<ptx::E4M3>(x, tokens_, plan.inputs, of_x, x_codes_, inputs.transposed[which]);
    device_.multiply(plan.forward, codes_ + in_codes(l, which), x_codes_, added == nullptr ? y : added, y,
                     1.0F, added == nullptr ? 0.0F : 1.0F, scale(of_w), scale(of_x));
  }

  // The gradients of x and, perhaps beside what follows, of W, by that of y, in BF16. `gradient`: of all
  // weights.
  void backward_plain(std::int64_t l, Linear which, const Half* x, const Half* of_y, Half* of_x,
                      float* gradient) {
    const Plan plan = plans_[which];
    float* const of_w = gradient + in_weights(l, which);
    beside(which, [=, this] {
      device_.multiply(plan.of_weight, x, of_y, of_w, of_w, 1.0F, 0.0F, nullptr, nullptr);
    });
    device_.multiply(plan.of_input, copy_of(l, which), of_y, of_x, of_x, 1.0F, 0.0F, nullptr, nullptr);
  }
  // The same of a layer. In FP8 all share the codes of their gradients.
  void backward(std::int64_t l, Linear which, const LinearInputs& inputs, const Half* of_y, Half* of_x,
                float* gradient) {
    if (!fp8()) return backward_plain(l, which, inputs.plain[which], of_y, of_x, gradient);
    const Plan plan = plans_[which];
    float* const of_w = gradient + in_weights(l, which);
    const int place = slot(l, which, Operand::gradient);
    device_.join();
    quantise<ptx::E5M2>(StoredMatrix<Half>{of_y, plan.outputs}, tokens_, plan.outputs, place, of_y_codes_,
                        of_y_transposed_);
    const Code* const x = inputs.transposed[which];
    beside(which, [=, this] {
      device_.multiply(plan.of_weight, x, of_y_transposed_, of_w, of_w, 1.0F, 0.0F,
                       scale(slot(l, which, Operand::input)), scale(place));
    });
    device_.multiply(plan.of_input, transposed_codes_ + in_codes(l, which), of_y_codes_, of_x, of_x, 1.0F,
                     0.0F, scale(slot(l, which, Operand::weight)), scale(place));
  }

 private:
  // A product that has a tile for each multiprocessor gains nothing beside others.
  template <class Work>
  void beside(Linear which, const Work& work) {
    if (is_small(plans_[which]))
      device_.beside(which, work);
    else
      work();
  }

  static constexpr int floats_a_scale = 4;  // cuBLASLt takes scales at multiples of 16 bytes alone
  struct Plan {
    std::int64_t inputs = 0, outputs = 0;
    int forward = 0, of_input = 0, of_weight = 0;
  };

  [[nodiscard]] bool is_small(const Plan& plan) const {
    const auto tiles = [](std::int64_t extent) { return (extent + tile - 1) / tile; };
    return tiles(plan.inputs) * tiles(plan.outputs) < device_.multiprocessors();
  }
  [[nodiscard]] std::int64_t in_one_layer(Linear which) const {
    return which == qkv ? at_.qkv() : which == out ? at_.out() : which == up ? at_.up() : at_.down();
  }
  [[nodiscard]] std::int64_t in_weights(std::int64_t layer, Linear which) const {
    return which == head ? at_.head() : at_.layer(layer) + in_one_layer(which);
  }
  [[nodiscard]] std::int64_t in_codes(std::int64_t layer, Linear which) const {
    return layer * at_.layer_size() + in_one_layer(which);
  }
  [[nodiscard]] const Half* copy_of(std::int64_t layer, Linear which) const {
    return copies_ + (in_weights(layer, which) - first_copied_);
  }
  [[nodiscard]] int slots() const { return static_cast<int>(3 * in_layer * layers_); }
  [[nodiscard]] int slot(std::int64_t layer, Linear which, Operand operand) const {
    return static_cast<int>((layer * 3 + static_cast<int>(operand)) * in_layer + which);
  }
  [[nodiscard]] float* scale(int place) const { return scales_ + place * floats_a_scale; }

  // In a fresh pass the largest magnitude has been told.
  template <class Type, class Matrix>
  void quantise(const Matrix& matrix, std::int64_t rows, std::int64_t columns, int place, Code* straight,
                Code* transposed) {
    device_.launch(quantise_kernel<Matrix, Type>, static_cast<unsigned>((columns + tile - 1) / tile),
                   static_cast<unsigned>((rows + tile - 1) / tile), matrix, static_cast<int>(rows),
                   static_cast<int>(columns), used_ + place, fresh_ ? nullptr : next_ + place, scale(place),
                   straight, transposed);
  }
  void quantise_weights(const float* weights, std::int64_t l) {
    for (const Linear which : {qkv, out, up, down}) quantise_weights(weights, l, which);
  }
  void quantise_weights(const float* weights, std::int64_t l, Linear which) {
    const std::int64_t inputs = plans_[which].inputs, outputs = plans_[which].outputs;
    const float* const of_linear = weights + in_weights(l, which);
    const int place = slot(l, which, Operand::weight);
    if (fresh_)
      device_.launch(largest_kernel<float>, blocks_for(outputs * inputs, device_), 1, of_linear,
                     outputs * inputs, used_ + place);
    quantise<ptx::E4M3>(StoredMatrix<float>{of_linear, inputs}, outputs, inputs, place,
                        codes_ + in_codes(l, which), transposed_codes_ + in_codes(l, which));
  }

  Precision precision_;
  std::int64_t layers_;
  Layout at_;
  Device& device_;
  std::int64_t tokens_;
  std::array<Plan, in_layer + 1> plans_;
  bool fresh_ = true;
  std::int64_t first_copied_ = 0;  // of the weights that have BF16 copies
  Half* copies_ = nullptr;
  Code *codes_ = nullptr, *transposed_codes_ = nullptr, *x_codes_ = nullptr, *of_y_codes_ = nullptr,
       *of_y_transposed_ = nullptr;
  float* scales_ = nullptr;
  std::uint32_t *used_ = nullptr, *next_ = nullptr;  // neighbours
};

}  // namespace training
