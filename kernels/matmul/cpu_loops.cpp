// matmul/loops: the three loops as one would first write them, on one thread: what the threaded variant is
// measured against. Sums are float32; the middle loop runs over k, so that rows of B and C are read in order.
#include <algorithm>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/matmul/matmul.h"

namespace matmul {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class Loops final : public harness::sdk::Kernel {
 public:
  Loops(const Params& params, const Problem&, const DeviceTraits&)
      : shape_(shape_of(params)),
        storage_(storage_of(shape_.arithmetic)),
        sums_(static_cast<std::size_t>(shape_.n)) {}

  void bind(const Buffers& buffers) override {
    a_ = buffers.as<void>(a_index);
    b_ = buffers.as<void>(b_index);
    c_ = buffers.as<void>(c_index);
  }

  void run(Stream) override {
    for (std::int64_t row = 0; row < shape_.m; ++row) {
      std::fill(sums_.begin(), sums_.end(), 0.0F);
      for (std::int64_t p = 0; p < shape_.k; ++p) {
        const auto a = static_cast<float>(harness::sdk::load(a_, storage_, row * shape_.k + p));
        for (std::int64_t column = 0; column < shape_.n; ++column)
          sums_[static_cast<std::size_t>(column)] +=
              a * static_cast<float>(harness::sdk::load(b_, storage_, p * shape_.n + column));
      }
      for (std::int64_t column = 0; column < shape_.n; ++column)
        harness::sdk::store(c_, storage_, row * shape_.n + column,
                            static_cast<double>(sums_[static_cast<std::size_t>(column)]));
    }
  }

 private:
  Shape shape_;
  harness::sdk::DType storage_;
  std::vector<float> sums_;
  const void* a_ = nullptr;
  const void* b_ = nullptr;
  void* c_ = nullptr;
};

}  // namespace
}  // namespace matmul

HARNESS_VARIANT(matmul, loops, cpu, "three plain loops on one thread", matmul::Loops)
