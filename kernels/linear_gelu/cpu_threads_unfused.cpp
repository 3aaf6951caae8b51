// linear_gelu/threads_unfused: the product goes to memory, then a pass adds the bias, then a pass applies
// GELU: what three separate operators do.
#include <algorithm>

#include "harness/sdk/registry.h"
#include "kernels/linear_gelu/cpu_gelu.h"

namespace linear_gelu {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class ThreadsUnfused final : public harness::sdk::Kernel {
 public:
  ThreadsUnfused(const Params& params, const Problem&, const DeviceTraits& traits)
      : shape_(shape_of(params)),
        product_(product_shape(shape_), kernels::usable_threads(traits.multiprocessors)),
        bias_(static_cast<std::size_t>(shape_.n)) {}

  // The product between the passes, in float32: a CPU computes in float32 whatever the storage type.
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(shape_.m) * static_cast<std::size_t>(shape_.n) * sizeof(float);
  }

  void bind(const Buffers& buffers) override {
    x_ = buffers.as<void>(x_index);
    w_ = buffers.as<void>(w_index);
    stored_bias_ = buffers.as<void>(bias_index);
    y_ = buffers.as<void>(y_index);
    between_ = static_cast<float*>(buffers.workspace);
  }

  void run(Stream) override {
    product_.run(x_, w_, [this](const Tile& tile) { store(tile); });
    add_bias();
    gelu_pass();
  }

 private:
  static constexpr std::int64_t rows_a_task = 16;

  void store(const Tile& tile) const {
    for (std::int64_t row = 0; row < tile.rows; ++row)
      std::copy_n(tile.sums + row * tile.stride, tile.columns,
                  between_ + (tile.row + row) * shape_.n + tile.column);
  }

  // Calls pass(row) for every row of Y, on all threads.
  template <class Pass>
  void for_each_row(const Pass& pass) {
    product_.pool().for_each((shape_.m + rows_a_task - 1) / rows_a_task, [&](std::int64_t index, int) {
      const std::int64_t end = std::min((index + 1) * rows_a_task, shape_.m);
      for (std::int64_t row = index * rows_a_task; row < end; ++row) pass(row);
    });
  }

  void add_bias() {
    widen(product_.isa(), shape_.dtype, stored_bias_, 0, shape_.n, bias_.data());
    for_each_row(
        [this](std::int64_t row) { product_.isa().add(bias_.data(), between_ + row * shape_.n, shape_.n); });
  }

  void gelu_pass() {
    for_each_row([this](std::int64_t row) {
      apply_gelu(product_.isa(), shape_, between_ + row * shape_.n, shape_.n);
      narrow(product_.isa(), shape_.dtype, between_ + row * shape_.n, shape_.n, y_, row * shape_.n);
    });
  }

  Shape shape_;
  BlockedProduct product_;
  std::vector<float> bias_;  // widened, inside run(): it is part of the work
  const void* x_ = nullptr;
  const void* w_ = nullptr;
  const void* stored_bias_ = nullptr;
  void* y_ = nullptr;
  float* between_ = nullptr;
};

}  // namespace
}  // namespace linear_gelu

HARNESS_VARIANT(linear_gelu, threads_unfused, cpu, "blocked threads; product, bias and GELU as three passes",
                linear_gelu::ThreadsUnfused)
