// linear_gelu/threads_fused: bias and GELU are applied to each tile while it is in the cache.
#include "harness/sdk/registry.h"
#include "kernels/linear_gelu/cpu_gelu.h"

namespace linear_gelu {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class ThreadsFused final : public harness::sdk::Kernel {
 public:
  ThreadsFused(const Params& params, const Problem&, const DeviceTraits& traits)
      : shape_(shape_of(params)),
        product_(product_shape(shape_), kernels::usable_threads(traits.multiprocessors)) {}

  void bind(const Buffers& buffers) override {
    x_ = buffers.as<void>(x_index);
    w_ = buffers.as<void>(w_index);
    bias_ = buffers.as<void>(bias_index);
    y_ = buffers.as<void>(y_index);
  }

  void run(Stream) override {
    product_.run(x_, w_, [this](const Tile& tile) { finish(tile); });
  }

 private:
  void finish(const Tile& tile) const {
    const Isa& isa = product_.isa();
    float bias[BlockedProduct::tile_columns];
    widen(isa, shape_.dtype, bias_, tile.column, tile.columns, bias);
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      float* const values = tile.sums + row * tile.stride;
      isa.add(bias, values, tile.columns);
      apply_gelu(isa, shape_, values, tile.columns);
      narrow(isa, shape_.dtype, values, tile.columns, y_, (tile.row + row) * shape_.n + tile.column);
    }
  }

  Shape shape_;
  BlockedProduct product_;
  const void* x_ = nullptr;
  const void* w_ = nullptr;
  const void* bias_ = nullptr;
  void* y_ = nullptr;
};

}  // namespace
}  // namespace linear_gelu

HARNESS_VARIANT(linear_gelu, threads_fused, cpu, "blocked threads; bias and GELU on each tile while in cache",
                linear_gelu::ThreadsFused)
