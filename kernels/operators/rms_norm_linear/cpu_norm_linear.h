// CpuNormLinear: shared by the CPU variants of rms_norm_linear: a pass over the rows of X, then a product.
#pragma once

#include "harness/sdk/registry.h"
#include "kernels/operators/cpu_rows.h"
#include "kernels/operators/rms_norm_linear/rms_norm_linear.h"

namespace operators::rms_norm_linear {

class CpuNormLinear : public harness::sdk::Kernel {
 public:
  CpuNormLinear(const harness::sdk::Params& params, const harness::sdk::Problem&,
                const harness::sdk::DeviceTraits& traits)
      : shape_(shape_of(params)),
        norm_(norm_of(shape_)),
        rows_(traits),
        product_(shape_, kernels::usable_threads(traits.multiprocessors)) {}

  void bind(const harness::sdk::Buffers& buffers) override {
    norm_.x = buffers.as<void>(x_index);
    norm_.weight = buffers.as<void>(gain_index);
    w_ = buffers.as<void>(w_index);
    y_ = buffers.as<void>(y_index);
    bind_workspace(buffers.workspace);
  }

 protected:
  virtual void bind_workspace(void* workspace) = 0;

  [[nodiscard]] const kernels::ProductShape& shape() const { return shape_; }
  [[nodiscard]] RowArguments& norm() { return norm_; }
  [[nodiscard]] kernels::BlockedProduct& product() { return product_; }

  // The whole norm (every_stage), or its factors (0).
  template <int stage>
  void run_norm(harness::sdk::Stream stream) {
    rows_.run<RmsNorm, stage>(norm_, shape_.dtype, stream);
  }

  // Y = X W, where finish(row, values, count) changes sums of row `row` before they are stored.
  template <class Finish>
  void multiply(const void* x, const Finish& finish) {
    product_.run(x, w_, [&](const kernels::Tile& tile) {
      for (std::int64_t row = 0; row < tile.rows; ++row) {
        float* const values = tile.sums + row * tile.stride;
        finish(tile.row + row, values, tile.columns);
        kernels::narrow(product_.isa(), shape_.dtype, values, tile.columns, y_,
                        (tile.row + row) * shape_.n + tile.column);
      }
    });
  }

 private:
  kernels::ProductShape shape_;
  RowArguments norm_;
  CpuRows rows_;
  kernels::BlockedProduct product_;
  const void* w_ = nullptr;
  void* y_ = nullptr;
};

}  // namespace operators::rms_norm_linear
