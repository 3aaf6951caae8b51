#include "kernels/training/cpu_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "harness/sdk/in_parts.h"
#include "kernels/quantise.h"

namespace training {
namespace {

using harness::sdk::DType;

std::size_t places(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

template <class Real>
Real gelu(Real x) {
  const Real inner = Real(0.7978845608028654) * (x + Real(0.044715) * x * x * x);
  return x / 2 * (1 + std::tanh(inner));
}

template <class Real>
Real gelu_slope(Real x) {
  const Real tangent = std::tanh(Real(0.7978845608028654) * (x + Real(0.044715) * x * x * x));
  const Real inner_slope = Real(0.7978845608028654) * (1 + 3 * Real(0.044715) * x * x);
  return (1 + tangent) / 2 + x / 2 * (1 - tangent * tangent) * inner_slope;
}

// e^(x_i - largest) / sum in place; the logarithm of the sum of e^x_i.
template <class Real>
Real soften(Real* row, std::int64_t count) {
  const Real largest = *std::max_element(row, row + count);
  Real sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += row[i] = std::exp(row[i] - largest);
  for (std::int64_t i = 0; i < count; ++i) row[i] /= sum;
  return largest + std::log(sum);
}

// to = from^T, where from is rows x columns with rows `step` apart.
template <class Real>
void transpose(const Real* from, std::int64_t rows, std::int64_t columns, std::int64_t step, Real* to) {
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * step + c];
}

template <class Real>
using ValuesOf = std::vector<Real, harness::sdk::FreshPages<Real>>;

// The same as an array of its own.
template <class Real>
ValuesOf<Real> transposed_rows(const Real* from, std::int64_t rows, std::int64_t columns, std::int64_t step) {
  ValuesOf<Real> to(places(rows * columns));
  transpose(from, rows, columns, step, to.data());
  return to;
}

// rows x columns without gaps, from rows `step` apart, and back.
template <class Real>
ValuesOf<Real> close_rows(const Real* from, std::int64_t rows, std::int64_t columns, std::int64_t step) {
  ValuesOf<Real> to(places(rows * columns));
  for (std::int64_t r = 0; r < rows; ++r) std::copy_n(from + r * step, columns, to.data() + r * columns);
  return to;
}
template <class Real>
void put_rows(const ValuesOf<Real>& from, std::int64_t columns, Real* to, std::int64_t step) {
  for (std::int64_t r = 0; r < std::ssize(from) / columns; ++r)
    std::copy_n(from.data() + r * columns, columns, to + r * step);
}

// a b (rows x columns), by the calling thread alone.
template <class Real>
ValuesOf<Real> product(const kernels::Strided<Real>& a, const ValuesOf<Real>& b, std::int64_t rows,
                       std::int64_t inner, std::int64_t columns) {
  ValuesOf<Real> sums(places(rows * columns));
  kernels::Panels<Real> panels;
  kernels::add_product(a, b.data(), sums.data(), rows, inner, columns, panels, 1);
  return sums;
}

constexpr std::int64_t operations_a_thread = 1 << 22;
constexpr std::int64_t values_a_thread = 1 << 16;  // of GELU

// Calls act(matrix, first, last) for all rows of `matrices` matrices with `rows` each, shared by threads. An
// operation is a row of `size` for one other row. A causal row has as many others as there are before it, or
// behind it. So blocks of rows are shared in the order first, last, second, last but one.
template <class Act>
void share_rows(std::int64_t matrices, std::int64_t rows, std::int64_t size, int threads, const Act& act) {
  constexpr std::int64_t block = 64;
  const std::int64_t blocks = (rows + block - 1) / block;
  const std::int64_t grain = operations_a_thread / (rows * size * block) + 1;
  const auto part = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t at = first; at < last; ++at) {
      const std::int64_t place = at % blocks, number = place % 2 == 0 ? place / 2 : blocks - 1 - place / 2;
      act(at / blocks, number * block, std::min(rows, (number + 1) * block));
    }
  };
  harness::sdk::in_parts(matrices * blocks, grain, part, threads);
}

// Zeros. One thread touches fresh pages: two at once were slower.
template <class Values>
void make_zero(Values& values, std::int64_t count, int threads) {
  if (values.capacity() < places(count)) {
    values.assign(places(count), 0);
    return;
  }
  values.resize(places(count));
  harness::sdk::in_parts(
      count, values_a_thread * 16,
      [&](std::int64_t first, std::int64_t last) { std::fill_n(values.data() + first, last - first, 0); },
      threads);
}

}  // namespace

template <class Real>
CpuModel<Real>::CpuModel(const ModelShape& shape, std::int64_t batch, Numbers numbers, int threads)
    : shape_(shape),
      layout_(shape),
      batch_(batch),
      tokens_(batch * shape.sequence),
      numbers_(numbers),
      threads_(threads),
      saved_(places(shape.layers)) {
  if (shape.d % shape.heads != 0) throw std::invalid_argument("d is no multiple of the number of heads");
}

template <class Real>
const Real* CpuModel<Real>::rounded(const Real* from, std::int64_t count, Kind kind, bool is_head,
                                    Values& to) const {
  if (numbers_ == Numbers::exact) return from;
  to.resize(places(count));
  if (numbers_ == Numbers::bf16 || is_head) {
    for (std::int64_t i = 0; i < count; ++i)
      to[places(i)] = static_cast<Real>(
          harness::sdk::float_from_bf16(harness::sdk::bf16_from_float(static_cast<float>(from[i]))));
    return to.data();
  }
  const DType type = kind == Kind::value ? DType::e4m3 : DType::e5m2;
  Real largest = 0;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(from[i]));
  const float scale = kernels::scale_for(static_cast<float>(largest), type);
  for (std::int64_t i = 0; i < count; ++i)
    to[places(i)] =
        static_cast<Real>(kernels::rounded_code(static_cast<float>(from[i]), scale, type) * scale);
  return to.data();
}

template <class Real>
void CpuModel<Real>::linear(const Values& x, const Real* w, std::int64_t inputs, std::int64_t outputs,
                            Values& y, bool adds, bool is_head) {
  const Real* const left = rounded(x.data(), tokens_ * inputs, Kind::value, is_head, x_rounded_);
  const Real* const right = rounded(w, outputs * inputs, Kind::value, is_head, w_rounded_);
  transposed_.resize(places(outputs * inputs));
  transpose(right, outputs, inputs, inputs, transposed_.data());
  if (!adds) make_zero(y, tokens_ * outputs, threads_);
  add_product({left, inputs, 1}, transposed_.data(), y.data(), tokens_, inputs, outputs);
}

template <class Real>
void CpuModel<Real>::linear_backward(const Values& x, const Real* w, const Values& of_y, std::int64_t inputs,
                                     std::int64_t outputs, Values& of_x, Real* of_w, bool is_head) {
  const Real* const values = rounded(x.data(), tokens_ * inputs, Kind::value, is_head, x_rounded_);
  const Real* const weights = rounded(w, outputs * inputs, Kind::value, is_head, w_rounded_);
  const Real* const gradient = rounded(of_y.data(), tokens_ * outputs, Kind::gradient, is_head, y_rounded_);
  make_zero(of_x, tokens_ * inputs, threads_);
  add_product({gradient, outputs, 1}, weights, of_x.data(), tokens_, outputs, inputs);
  add_product({gradient, 1, outputs}, values, of_w, outputs, tokens_, inputs);
}

template <class Real>
void CpuModel<Real>::norm(const Values& x, const Real* gains, Values& y, Values& root) const {
  const std::int64_t d = shape_.d;
  y.resize(x.size());
  root.resize(places(tokens_));
  for (std::int64_t t = 0; t < tokens_; ++t) {
    Real squares = 0;
    for (std::int64_t i = 0; i < d; ++i) squares += x[places(t * d + i)] * x[places(t * d + i)];
    const Real inverse = 1 / std::sqrt(squares / static_cast<Real>(d) + static_cast<Real>(norm_epsilon));
    root[places(t)] = inverse;
    for (std::int64_t i = 0; i < d; ++i) y[places(t * d + i)] = x[places(t * d + i)] * inverse * gains[i];
  }
}

// Adds to of_x and of_gains.
template <class Real>
void CpuModel<Real>::norm_backward(const Values& x, const Values& root, const Real* gains, const Values& of_y,
                                   Values& of_x, Real* of_gains) const {
  const std::int64_t d = shape_.d;
  for (std::int64_t t = 0; t < tokens_; ++t) {
    const Real inverse = root[places(t)];
    const Real* const row = x.data() + t * d;
    const Real* const above = of_y.data() + t * d;
    Real along = 0;
    for (std::int64_t i = 0; i < d; ++i) along += above[i] * gains[i] * row[i] * inverse;
    along /= static_cast<Real>(d);
    for (std::int64_t i = 0; i < d; ++i) {
      const Real normal = row[i] * inverse;
      of_gains[i] += above[i] * normal;
      of_x[places(t * d + i)] += inverse * (above[i] * gains[i] - normal * along);
    }
  }
}

// Queries and keys as before_ wants them.
template <class Real>
void CpuModel<Real>::observe(std::int64_t layer, const Values& qkv) const {
  const std::int64_t s = shape_.sequence, d = shape_.d, size = shape_.head_size();
  std::vector<std::uint16_t> q(places(tokens_ * d)), k(q.size());
  for (std::int64_t t = 0; t < tokens_; ++t)
    for (std::int64_t i = 0; i < d; ++i) {
      const std::int64_t matrix = t / s * shape_.heads + i / size;
      const auto to = places((matrix * s + t % s) * size + i % size);
      q[to] = harness::sdk::f16_from_float(static_cast<float>(qkv[places(t * 3 * d + i)]));
      k[to] = harness::sdk::f16_from_float(static_cast<float>(qkv[places(t * 3 * d + d + i)]));
    }
  before_(layer, q.data(), k.data());
}

// The probabilities are kept for the backward pass, one sequence's heads after the other. A row of them has
// zeros for the keys of its block that come later.
template <class Real>
void CpuModel<Real>::attend(Saved& saved, const AttentionMask& mask, const Attention<Real>& attention) {
  const std::int64_t s = shape_.sequence, d = shape_.d, size = shape_.head_size();
  saved.o.assign(places(tokens_ * d), 0);
  if (attention) {
    const auto part = [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t head = first; head < last; ++head) {
        const Real* const q = saved.qkv.data() + place_of_head(head, 3 * d);
        attention({q, q + d, q + 2 * d, 3 * d, saved.o.data() + place_of_head(head, d), d, s, size});
      }
    };
    harness::sdk::in_parts(batch_ * shape_.heads, operations_a_thread / (s * s * size) + 1, part, threads_);
    return;
  }
  saved.probabilities.resize(places(batch_ * shape_.heads * s * s));
  const Real scale = 1 / std::sqrt(static_cast<Real>(size));
  share_rows(batch_ * shape_.heads, s, size, threads_,
             [&](std::int64_t head, std::int64_t first, std::int64_t last) {
               const Real* const q = saved.qkv.data() + place_of_head(head, 3 * d);
               const Values keys = transposed_rows(q + d, last, size, 3 * d);
               Values scores = product<Real>({q + first * 3 * d, 3 * d, 1}, keys, last - first, size, last);
               for (std::int64_t i = first; i < last; ++i) {
                 Real* const row = scores.data() + (i - first) * last;
                 for (std::int64_t j = 0; j <= i; ++j) row[j] *= scale;
                 for (std::int64_t j = 0; j <= i && mask.seen != nullptr; ++j)
                   if (mask.row(head, i)[j / mask.block] == 0)
                     row[j] = -std::numeric_limits<Real>::infinity();
                 (void)soften(row, i + 1);
                 std::fill(row + i + 1, row + last, 0);
                 std::copy_n(row, last, saved.probabilities.data() + (head * s + i) * s);
               }
               const Values values = close_rows(q + 2 * d, last, size, 3 * d);
               put_rows(product<Real>({scores.data(), last, 1}, values, last - first, last, size), size,
                        saved.o.data() + place_of_head(head, d) + first * d, d);
             });
}

// First by queries: the gradients of their scores, and of themselves. Then by keys, whose gradients are sums
// over queries.
template <class Real>
void CpuModel<Real>::attend_backward(const Saved& saved, const Values& of_out, Values& of_qkv) {
  const std::int64_t s = shape_.sequence, d = shape_.d, size = shape_.head_size();
  const std::int64_t heads = batch_ * shape_.heads;
  const Real scale = 1 / std::sqrt(static_cast<Real>(size));
  make_zero(of_qkv, tokens_ * 3 * d, threads_);
  of_scores_.resize(places(heads * s * s));
  share_rows(heads, s, size, threads_, [&](std::int64_t head, std::int64_t first, std::int64_t last) {
    const Real* const k = saved.qkv.data() + place_of_head(head, 3 * d) + d;
    const Real* const above = of_out.data() + place_of_head(head, d) + first * d;
    const Values values = transposed_rows(k + d, last, size, 3 * d);
    Values slopes = product<Real>({above, d, 1}, values, last - first, size, last);
    for (std::int64_t i = first; i < last; ++i) {
      const Real* const weights = saved.probabilities.data() + (head * s + i) * s;
      Real* const row = slopes.data() + (i - first) * last;
      Real mean = 0;
      for (std::int64_t j = 0; j <= i; ++j) mean += weights[j] * row[j];
      for (std::int64_t j = 0; j < last; ++j) row[j] = weights[j] * (row[j] - mean) * scale;
      std::copy_n(row, last, of_scores_.data() + (head * s + i) * s);
    }
    const Values keys = close_rows(k, last, size, 3 * d);
    put_rows(product<Real>({slopes.data(), last, 1}, keys, last - first, last, size), size,
             of_qkv.data() + place_of_head(head, 3 * d) + first * 3 * d, 3 * d);
  });
  share_rows(heads, s, size, threads_, [&](std::int64_t head, std::int64_t first, std::int64_t last) {
    const std::int64_t corner = (head * s + first) * s + first, later = s - first;
    const Values queries =
        close_rows(saved.qkv.data() + place_of_head(head, 3 * d) + first * 3 * d, later, size, 3 * d);
    const Values above = close_rows(of_out.data() + place_of_head(head, d) + first * d, later, size, d);
    Real* const of_k = of_qkv.data() + place_of_head(head, 3 * d) + first * 3 * d + d;
    put_rows(product<Real>({of_scores_.data() + corner, 1, s}, queries, last - first, later, size), size,
             of_k, 3 * d);
    put_rows(product<Real>({saved.probabilities.data() + corner, 1, s}, above, last - first, later, size),
             size, of_k + d, 3 * d);
  });
}

template <class Real>
void CpuModel<Real>::forward_layer(std::int64_t layer, const Real* weights, Saved& saved, Values& out,
                                   const Attention<Real>& attention) {
  const std::int64_t d = shape_.d, hidden = shape_.hidden();
  norm(saved.x, weights + layout_.norm1(), saved.a, saved.root1);
  linear(saved.a, weights + layout_.qkv(), d, 3 * d, saved.qkv, false);
  if (before_) observe(layer, saved.qkv);
  attend(saved, mask_.of_layer(layer), attention);
  saved.middle = saved.x;
  linear(saved.o, weights + layout_.out(), d, d, saved.middle, true);
  norm(saved.middle, weights + layout_.norm2(), saved.b, saved.root2);
  linear(saved.b, weights + layout_.up(), d, hidden, saved.f, false);
  saved.u.resize(saved.f.size());
  harness::sdk::in_parts(
      std::ssize(saved.f), values_a_thread,
      [&](std::int64_t first, std::int64_t last) {
        std::transform(saved.f.begin() + first, saved.f.begin() + last, saved.u.begin() + first, gelu<Real>);
      },
      threads_);
  out = saved.middle;
  linear(saved.u, weights + layout_.down(), hidden, d, out, true);
}

// of_x_ goes from the gradient of the layer's result to that of its input.
template <class Real>
void CpuModel<Real>::backward_layer(const Real* weights, const Saved& saved, Real* of_weights) {
  const std::int64_t d = shape_.d, hidden = shape_.hidden();
  linear_backward(saved.u, weights + layout_.down(), of_x_, hidden, d, of_u_, of_weights + layout_.down());
  harness::sdk::in_parts(
      std::ssize(of_u_), values_a_thread,
      [&](std::int64_t first, std::int64_t last) {
        for (std::size_t i = places(first); i < places(last); ++i) of_u_[i] *= gelu_slope(saved.f[i]);
      },
      threads_);
  linear_backward(saved.b, weights + layout_.up(), of_u_, d, hidden, of_b_, of_weights + layout_.up());
  norm_backward(saved.middle, saved.root2, weights + layout_.norm2(), of_b_, of_x_,
                of_weights + layout_.norm2());
  linear_backward(saved.o, weights + layout_.out(), of_x_, d, d, of_o_, of_weights + layout_.out());
  attend_backward(saved, of_o_, of_qkv_);
  linear_backward(saved.a, weights + layout_.qkv(), of_qkv_, d, 3 * d, of_a_, of_weights + layout_.qkv());
  norm_backward(saved.x, saved.root1, weights + layout_.norm1(), of_a_, of_x_, of_weights + layout_.norm1());
}

template <class Real>
void CpuModel<Real>::forward(std::span<const Real> weights, const Batch<Real>& batch,
                             const Attention<Real>& attention) {
  const std::int64_t d = shape_.d, s = shape_.sequence;
  if (recomputes_) inputs_.resize(places(shape_.layers));
  if (batch.size != batch_ || std::ssize(weights) != layout_.size())
    throw std::invalid_argument("the batch or the weights are of another model");
  Values x(places(tokens_ * d));
  for (std::int64_t t = 0; t < tokens_ && shape_.vocabulary > 0; ++t) {
    const std::int64_t token = batch.tokens[places(t / s * (s + 1) + t % s)];
    for (std::int64_t i = 0; i < d; ++i)
      x[places(t * d + i)] = weights[places(layout_.embedding() + token * d + i)] +
                             weights[places(layout_.positions() + t % s * d + i)];
  }
  if (shape_.vocabulary == 0) x.assign(batch.input.begin(), batch.input.end());
  for (std::int64_t l = 0; l < shape_.layers; ++l) {
    if (recomputes_) inputs_[places(l)] = x;
    Saved& saved = saved_[recomputes_ ? 0 : places(l)];
    saved.x = std::move(x);
    forward_layer(l, weights.data() + layout_.layer(l), saved, x, attention);
  }
  last_ = std::move(x);
  if (shape_.vocabulary > 0) {
    norm(last_, weights.data() + layout_.last_norm(), normed_, last_root_);
    linear(normed_, weights.data() + layout_.head(), d, shape_.vocabulary, logits_, false, true);
  }
}

// Leaves the loss' gradient by the logits in their place, or in of_x_ that by the last values.
template <class Real>
Real CpuModel<Real>::loss_of(const Batch<Real>& batch) {
  Real sum = 0;
  if (shape_.vocabulary == 0) {
    const Real elements = static_cast<Real>(tokens_ * shape_.d);
    of_x_.resize(last_.size());
    for (std::size_t i = 0; i < last_.size(); ++i) {
      const Real off = last_[i] - batch.target[i];
      sum += off * off / 2;
      of_x_[i] = off / elements;
    }
    return sum / elements;
  }
  const std::int64_t s = shape_.sequence;
  std::vector<Real> losses(places(tokens_));
  const auto part = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t t = first; t < last; ++t) {
      Real* const row = logits_.data() + t * shape_.vocabulary;
      const std::int32_t wanted = batch.tokens[places(t / s * (s + 1) + t % s + 1)];
      const Real right = row[wanted];
      losses[places(t)] = soften(row, shape_.vocabulary) - right;
      row[wanted] -= 1;
      for (std::int64_t v = 0; v < shape_.vocabulary; ++v) row[v] /= static_cast<Real>(tokens_);
    }
  };
  harness::sdk::in_parts(tokens_, values_a_thread / shape_.vocabulary + 1, part, threads_);
  for (const Real loss : losses) sum += loss;
  return sum / static_cast<Real>(tokens_);
}

template <class Real>
void CpuModel<Real>::embed_backward(const Batch<Real>& batch, Real* of_weights) {
  const std::int64_t d = shape_.d, s = shape_.sequence;
  for (std::int64_t t = 0; t < tokens_; ++t) {
    const std::int64_t token = batch.tokens[places(t / s * (s + 1) + t % s)];
    for (std::int64_t i = 0; i < d; ++i) {
      of_weights[layout_.embedding() + token * d + i] += of_x_[places(t * d + i)];
      of_weights[layout_.positions() + t % s * d + i] += of_x_[places(t * d + i)];
    }
  }
}

template <class Real>
Real CpuModel<Real>::gradient(std::span<const Real> weights, const Batch<Real>& batch,
                              std::span<Real> of_weights) {
  const Real loss = this->loss(weights, batch);
  std::fill(of_weights.begin(), of_weights.end(), Real(0));
  if (shape_.vocabulary > 0) {
    linear_backward(normed_, weights.data() + layout_.head(), logits_, shape_.d, shape_.vocabulary, of_b_,
                    of_weights.data() + layout_.head(), true);
    of_x_.assign(last_.size(), 0);
    norm_backward(last_, last_root_, weights.data() + layout_.last_norm(), of_b_, of_x_,
                  of_weights.data() + layout_.last_norm());
  }
  for (std::int64_t l = shape_.layers - 1; l >= 0; --l) {
    const Real* const of_layer = weights.data() + layout_.layer(l);
    Saved& saved = saved_[recomputes_ ? 0 : places(l)];
    if (recomputes_ && l + 1 < shape_.layers) {
      Values result;
      saved.x = inputs_[places(l)];
      forward_layer(l, of_layer, saved, result, {});
    }
    backward_layer(of_layer, saved, of_weights.data() + layout_.layer(l));
  }
  if (shape_.vocabulary > 0) embed_backward(batch, of_weights.data());
  return loss;
}

template class CpuModel<float>;
template class CpuModel<double>;

}  // namespace training
