// CpuBlock: the block on the CPU's threads. Fused, biases, GELU and what is added are applied to each tile of
// a product while it is in the cache. Separate, they are passes of their own over float16 in memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/attention/cpu_online.h"
#include "kernels/block/block.h"
#include "kernels/cpu/blocked_product.h"

namespace transformer_block {

enum class CpuSteps { fused, separate };

// Every query sees every key.
struct WholeMask {
  [[nodiscard]] bool any(std::int64_t, std::int64_t, std::int64_t, std::int64_t) const { return true; }
  [[nodiscard]] std::int64_t adjust(std::int64_t, std::int64_t, std::int64_t, std::int64_t keys,
                                    float*) const {
    return keys;
  }
};

template <CpuSteps steps>
class CpuBlock final : public harness::sdk::Kernel {
 public:
  CpuBlock(const harness::sdk::Params& params, const harness::sdk::Problem&,
           const harness::sdk::DeviceTraits& traits)
      : shape_(shape_of(params)),
        threads_(kernels::usable_threads(traits.multiprocessors)),
        qkv_product_({shape_.dtype, shape_.tokens(), 3 * shape_.width, shape_.width}, threads_),
        out_product_({shape_.dtype, shape_.tokens(), shape_.width, shape_.width}, threads_),
        up_product_({shape_.dtype, shape_.tokens(), shape_.hidden(), shape_.width}, threads_),
        down_product_({shape_.dtype, shape_.tokens(), shape_.width, shape_.hidden()}, threads_),
        attention_({shape_.dtype, shape_.matrices(), shape_.sequence, shape_.head()}, threads_, WholeMask{}),
        lines_(static_cast<std::size_t>(qkv_product_.pool().threads())) {
    const auto elements = static_cast<std::size_t>(shape_.elements());
    for (std::vector<std::uint16_t>* const one : {&normed_, &heads_, &middle_}) one->resize(elements);
    qkv_.resize(3 * elements);
    hidden_.resize(4 * elements);
    for (Lines& lines : lines_)
      for (std::vector<float>& one : lines.of) one.resize(static_cast<std::size_t>(shape_.hidden()));
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    tensors_.assign(buffers.tensors.begin(), buffers.tensors.end());
    std::uint16_t* const first = qkv_.data();
    void* const of_attention[] = {first, first + shape_.elements(), first + 2 * shape_.elements(),
                                  heads_.data()};
    attention_.bind({of_attention, nullptr});
  }

  void run(harness::sdk::Stream) override {
    const auto* const x = static_cast<const std::uint16_t*>(tensors_[x_index]);
    normalise(x, norm1_weight);
    product(qkv_product_, normed_.data(), qkv_weight, {.width = 3 * shape_.width, .by_heads = true},
            qkv_.data());
    attention_.run();
    merge_heads();
    product(out_product_, normed_.data(), out_weight, {.width = shape_.width, .added = x}, middle_.data());
    normalise(middle_.data(), norm2_weight);
    product(up_product_, normed_.data(), up_weight, {.width = shape_.hidden(), .gelu = true}, hidden_.data());
    product(down_product_, hidden_.data(), down_weight, {.width = shape_.width, .added = middle_.data()},
            static_cast<std::uint16_t*>(tensors_[y_index]));
  }

 private:
  // Scratch of a thread, each as long as the longest row.
  struct Lines {
    std::vector<float> of[3];
  };
  // The operations after a product, whose bias is the tensor after its weights.
  struct After {
    std::int64_t width = 0;  // of a row of the product
    bool by_heads = false;   // stored as (3, b, h, s, head)
    bool gelu = false;
    const std::uint16_t* added = nullptr;  // has the result's shape
  };

  // normed_ = LayerNorm of rows of x; the bias is the tensor after the weight.
  void normalise(const std::uint16_t* x, Index weight) {
    kernels::Pool& pool = qkv_product_.pool();
    const kernels::Isa& isa = qkv_product_.isa();
    const std::int64_t d = shape_.width;
    pool.for_each(shape_.tokens(), [&](std::int64_t token, int worker) {
      Lines& lines = lines_[static_cast<std::size_t>(worker)];
      float *const row = lines.of[0].data(), *const weights = lines.of[1].data(),
                   *const bias = lines.of[2].data();
      kernels::widen(isa, shape_.dtype, x, token * d, d, row);
      kernels::widen(isa, shape_.dtype, tensors_[weight], 0, d, weights);
      kernels::widen(isa, shape_.dtype, tensors_[weight + 1], 0, d, bias);
      float sum = 0, squares = 0;
      for (std::int64_t c = 0; c < d; ++c) sum += row[c];
      const float mean = sum / static_cast<float>(d);
      for (std::int64_t c = 0; c < d; ++c) squares += (row[c] - mean) * (row[c] - mean);
      const float factor = 1.0F / std::sqrt(squares / static_cast<float>(d) + 1e-5F);
      for (std::int64_t c = 0; c < d; ++c) row[c] = (row[c] - mean) * factor * weights[c] + bias[c];
      kernels::narrow(isa, shape_.dtype, row, d, normed_.data(), token * d);
    });
  }

  void product(kernels::BlockedProduct& product, const std::uint16_t* x, Index weight, const After& after,
               std::uint16_t* result) {
    const kernels::Isa& isa = product.isa();
    product.run(x, tensors_[weight], [&](const kernels::Tile& tile) {
      for (std::int64_t r = 0; r < tile.rows; ++r) {
        float* const sums = tile.sums + r * tile.stride;
        if constexpr (steps == CpuSteps::fused) {
          float other[kernels::BlockedProduct::tile_columns];
          add_bias(isa, weight, tile.column, tile.columns, other, sums);
          finish(isa, after, tile.row + r, tile.column, tile.columns, other, sums);
        }
        store(isa, after, tile.row + r, tile.column, tile.columns, sums, result);
      }
    });
    if constexpr (steps == CpuSteps::fused) return;
    pass(product, after, result,
         [&](std::int64_t, float* row, float* other) { add_bias(isa, weight, 0, after.width, other, row); });
    if (!after.gelu && after.added == nullptr) return;
    pass(product, after, result, [&](std::int64_t token, float* row, float* other) {
      finish(isa, after, token, 0, after.width, other, row);
    });
  }

  // change(token, row, scratch) for each row of the result, in place.
  template <class Change>
  void pass(kernels::BlockedProduct& product, const After& after, std::uint16_t* result,
            const Change& change) {
    const kernels::Isa& isa = product.isa();
    product.pool().for_each(shape_.tokens(), [&](std::int64_t token, int worker) {
      Lines& lines = lines_[static_cast<std::size_t>(worker)];
      float* const row = lines.of[0].data();
      const std::int64_t piece = after.by_heads ? shape_.head() : after.width;
      for (std::int64_t c = 0; c < after.width; c += piece)
        kernels::widen(isa, shape_.dtype, result, place(after, token, c), piece, row + c);
      change(token, row, lines.of[1].data());
      store(isa, after, token, 0, after.width, row, result);
    });
  }

  void add_bias(const kernels::Isa& isa, Index weight, std::int64_t column, std::int64_t count,
                float* scratch, float* values) const {
    kernels::widen(isa, shape_.dtype, tensors_[weight + 1], column, count, scratch);
    isa.add(scratch, values, count);
  }
  void finish(const kernels::Isa& isa, const After& after, std::int64_t token, std::int64_t column,
              std::int64_t count, float* scratch, float* values) const {
    if (after.gelu) isa.gelu_tanh(values, count);
    if (after.added == nullptr) return;
    kernels::widen(isa, shape_.dtype, after.added, token * after.width + column, count, scratch);
    isa.add(scratch, values, count);
  }

  // The place of an element of the result.
  [[nodiscard]] std::int64_t place(const After& after, std::int64_t token, std::int64_t column) const {
    if (!after.by_heads) return token * after.width + column;
    const std::int64_t which = column / shape_.width, h = column % shape_.width / shape_.head();
    const std::int64_t matrix = token / shape_.sequence * shape_.heads + h;
    return ((which * shape_.matrices() + matrix) * shape_.sequence + token % shape_.sequence) *
               shape_.head() +
           column % shape_.head();
  }
  void store(const kernels::Isa& isa, const After& after, std::int64_t token, std::int64_t column,
             std::int64_t count, const float* values, std::uint16_t* result) const {
    const std::int64_t last = column + count;
    for (std::int64_t c = column; c < last;) {
      const std::int64_t end =
          after.by_heads ? std::min(last, (c / shape_.head() + 1) * shape_.head()) : last;
      kernels::narrow(isa, shape_.dtype, values + (c - column), end - c, result, place(after, token, c));
      c = end;
    }
  }

  // normed_ (t, d) from heads_ (b, h, s, head).
  void merge_heads() {
    const std::int64_t head = shape_.head();
    out_product_.pool().for_each(shape_.tokens(), [&](std::int64_t token, int) {
      for (std::int64_t h = 0; h < shape_.heads; ++h) {
        const std::int64_t matrix = token / shape_.sequence * shape_.heads + h;
        std::copy_n(heads_.data() + (matrix * shape_.sequence + token % shape_.sequence) * head, head,
                    normed_.data() + token * shape_.width + h * head);
      }
    });
  }

  Shape shape_;
  int threads_;
  kernels::BlockedProduct qkv_product_, out_product_, up_product_, down_product_;
  attention::OnlineThreads<WholeMask> attention_;
  std::vector<Lines> lines_;  // by worker
  std::vector<void*> tensors_;
  std::vector<std::uint16_t> normed_, qkv_, heads_, middle_, hidden_;
};

}  // namespace transformer_block
