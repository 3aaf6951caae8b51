// CpuTurnedProduct: shared by the CPU variants of qkv_rope. Host code.
#pragma once

#include <algorithm>

#include "harness/sdk/registry.h"
#include "kernels/cpu/blocked_product.h"
#include "kernels/operators/qkv_rope/qkv_rope.h"

namespace operators::qkv_rope {

class CpuTurnedProduct : public harness::sdk::Kernel {
 public:
  CpuTurnedProduct(const harness::sdk::Params& params, const harness::sdk::Problem&,
                   const harness::sdk::DeviceTraits& traits)
      : shape_(shape_of(params)), product_(shape_.product, kernels::usable_threads(traits.multiprocessors)) {}

  void bind(const harness::sdk::Buffers& buffers) override {
    x_ = buffers.as<void>(x_index);
    w_ = buffers.as<void>(w_index);
    y_ = buffers.as<void>(y_index);
    turns_ = shape_.turns(buffers.as<float>(turns_index));
  }

 protected:
  [[nodiscard]] const kernels::ProductShape& shape() const { return shape_.product; }
  [[nodiscard]] kernels::BlockedProduct& product() { return product_; }

  // Y = X W, where finish(row, column, values, count) changes sums before they are stored. Tiles begin at
  // even columns, and have whole pairs.
  template <class Finish>
  void multiply(const Finish& finish) {
    product_.run(x_, w_, [&](const kernels::Tile& tile) {
      for (std::int64_t row = 0; row < tile.rows; ++row) {
        float* const values = tile.sums + row * tile.stride;
        finish(tile.row + row, tile.column, values, tile.columns);
        store(tile.row + row, tile.column, values, tile.columns);
      }
    });
  }

  void turn(std::int64_t row, std::int64_t column, float* values, std::int64_t count) const {
    const std::int64_t end = std::min(count, turns_.turned - column);
    for (std::int64_t i = 0; i < end; i += 2) {
      const float* const by = turns_.of(static_cast<int>(row), static_cast<int>(column + i));
      const float low = values[i], high = values[i + 1];
      values[i] = turned_low(low, high, by);
      values[i + 1] = turned_high(low, high, by);
    }
  }
  void load(std::int64_t row, float* values) const {
    kernels::widen(product_.isa(), shape().dtype, y_, row * shape().n, shape().n, values);
  }
  void store(std::int64_t row, std::int64_t column, const float* values, std::int64_t count) const {
    kernels::narrow(product_.isa(), shape().dtype, values, count, y_, row * shape().n + column);
  }

 private:
  Shape shape_;
  kernels::BlockedProduct product_;
  Turns turns_;
  const void* x_ = nullptr;
  const void* w_ = nullptr;
  void* y_ = nullptr;
};

}  // namespace operators::qkv_rope
