// CpuModel: loss and gradients of a model on the CPU, in float or double. In double it is the oracle of every
// variant; in float it runs the CPU variants. Its attention can be exchanged where only the loss is wanted.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "harness/sdk/fresh_pages.h"
#include "kernels/cpu/add_product.h"
#include "kernels/training/attention_mask.h"
#include "kernels/training/model.h"

namespace training {

// How operands enter the products of linear layers.
enum class Numbers {
  exact,
  bf16,
  fp8,  // scaled by the largest magnitude of each operand: E4M3, and E5M2 for gradients. The head: BF16
};

// A batch: tokens (batch x (sequence + 1): each predicts the next), or values (batch x sequence x d).
template <class Real>
struct Batch {
  std::int64_t size = 1;
  std::span<const std::int32_t> tokens = {};
  std::span<const Real> input = {};
  std::span<const Real> target = {};
};

// Causal attention of one head. Rows of q, k and v are `step` apart, rows of out `out_step`.
template <class Real>
struct AttentionHead {
  const Real* q;
  const Real* k;
  const Real* v;
  std::int64_t step;
  Real* out;
  std::int64_t out_step;
  std::int64_t sequence;
  std::int64_t size;  // of a head
};
template <class Real>
using Attention = std::function<void(const AttentionHead<Real>&)>;

template <class Real>
class CpuModel {
 public:
  // `threads` share large products.
  CpuModel(const ModelShape& shape, std::int64_t batch, Numbers numbers = Numbers::exact, int threads = 1);

  // From now on gradient() keeps only the input of each layer, and computes the rest again.
  void recompute() { recomputes_ = true; }

  // The mean loss of a batch: cross entropy in nats, or half the mean square of the distance to the target.
  Real loss(std::span<const Real> weights, const Batch<Real>& batch) { return loss(weights, batch, {}); }
  // The same with another attention, called for every head of every sequence and layer.
  Real loss(std::span<const Real> weights, const Batch<Real>& batch, const Attention<Real>& attention) {
    forward(weights, batch, attention);
    return loss_of(batch);
  }
  // The logits of each token, tokens x vocabulary, valid until the next call.
  std::span<const Real> logits(std::span<const Real> weights, const Batch<Real>& batch) {
    forward(weights, batch, {});
    return logits_;
  }
  // The loss, and its gradient by each weight.
  Real gradient(std::span<const Real> weights, const Batch<Real>& batch, std::span<Real> of_weights);

  // From now on attention sees some blocks alone. `mask` lies in host memory. `before` gets f16.
  void restrict_attention(const AttentionMask& mask, HeadsObserver before = {}) {
    mask_ = mask;
    before_ = std::move(before);
  }

 private:
  using Values = std::vector<Real, harness::sdk::FreshPages<Real>>;
  struct Saved {  // of a layer, for its backward pass
    Values x, a, root1, qkv, probabilities, o, middle, b, root2, f, u;
  };
  enum class Kind { value, gradient };

  void forward(std::span<const Real> weights, const Batch<Real>& batch, const Attention<Real>& attention);
  void forward_layer(std::int64_t layer, const Real* weights, Saved& saved, Values& out,
                     const Attention<Real>& attention);
  void backward_layer(const Real* weights, const Saved& saved, Real* of_weights);
  void observe(std::int64_t layer, const Values& qkv) const;
  void attend(Saved& saved, const AttentionMask& mask, const Attention<Real>& attention);
  void attend_backward(const Saved& saved, const Values& of_out, Values& of_qkv);
  Real loss_of(const Batch<Real>& batch);
  void embed_backward(const Batch<Real>& batch, Real* of_weights);

  // y (+)= x W^T; and the gradients of x and W by that of y.
  void linear(const Values& x, const Real* w, std::int64_t inputs, std::int64_t outputs, Values& y, bool adds,
              bool is_head = false);
  void linear_backward(const Values& x, const Real* w, const Values& of_y, std::int64_t inputs,
                       std::int64_t outputs, Values& of_x, Real* of_w, bool is_head = false);
  void norm(const Values& x, const Real* gains, Values& y, Values& root) const;
  void norm_backward(const Values& x, const Values& root, const Real* gains, const Values& of_y, Values& of_x,
                     Real* of_gains) const;
  [[nodiscard]] const Real* rounded(const Real* from, std::int64_t count, Kind kind, bool is_head,
                                    Values& to) const;
  // Where the first row of a head of a sequence begins in rows of `step` values.
  [[nodiscard]] std::int64_t place_of_head(std::int64_t head, std::int64_t step) const {
    return head / shape_.heads * shape_.sequence * step + head % shape_.heads * shape_.head_size();
  }
  void add_product(const kernels::Strided<Real>& a, const Real* b, Real* c, std::int64_t rows,
                   std::int64_t inner, std::int64_t columns) {
    kernels::add_product(a, b, c, rows, inner, columns, panels_, threads_);
  }

  ModelShape shape_;
  Layout layout_;
  std::int64_t batch_;
  std::int64_t tokens_;
  Numbers numbers_;
  int threads_;
  std::vector<Saved> saved_;
  bool recomputes_ = false;
  std::vector<Values> inputs_;  // of layers, where they are computed again
  AttentionMask mask_;
  HeadsObserver before_;
  Values last_, normed_, last_root_, logits_, of_x_;
  // Kept from call to call, because fresh memory costs as much as the arithmetic.
  Values transposed_, panels_, of_scores_, of_u_, of_b_, of_o_, of_qkv_, of_a_, w_rounded_, x_rounded_,
      y_rounded_;
};

extern template class CpuModel<float>;
extern template class CpuModel<double>;

}  // namespace training
