// matmul/threads: the blocked, vectorised product of kernels/cpu on all threads.
#include "harness/sdk/registry.h"
#include "kernels/cpu/blocked_product.h"
#include "kernels/matmul/matmul.h"

namespace matmul {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class Threads final : public harness::sdk::Kernel {
 public:
  Threads(const Params& params, const Problem&, const DeviceTraits& traits)
      : shape_(product_shape(shape_of(params))),
        product_(shape_, kernels::usable_threads(traits.multiprocessors)) {}

  void bind(const Buffers& buffers) override {
    a_ = buffers.as<void>(a_index);
    b_ = buffers.as<void>(b_index);
    c_ = buffers.as<void>(c_index);
  }

  void run(Stream) override {
    product_.run(a_, b_, [this](const kernels::Tile& tile) {
      for (std::int64_t row = 0; row < tile.rows; ++row)
        kernels::narrow(product_.isa(), shape_.dtype, tile.sums + row * tile.stride, tile.columns, c_,
                        (tile.row + row) * shape_.n + tile.column);
    });
  }

 private:
  kernels::ProductShape shape_;
  kernels::BlockedProduct product_;
  const void* a_ = nullptr;
  const void* b_ = nullptr;
  void* c_ = nullptr;
};

}  // namespace
}  // namespace matmul

HARNESS_VARIANT(matmul, threads, cpu, "cache-blocked, vectorised, on all threads", matmul::Threads)
