// probe_gemm/rows: a thread makes a few rows of C at a time, adding up multiples of the rows of B; float32.
#include <algorithm>

#include "harness/sdk/registry.h"
#include "kernels/cpu_pool.h"

namespace probe {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;

class Rows final : public harness::sdk::Kernel {
 public:
  Rows(const Params& params, const Problem&, const DeviceTraits& traits)
      : n_(params.integer("n")), pool_(kernels::usable_threads(traits.multiprocessors)) {
    if (params.dtype() != harness::sdk::DType::f32) throw harness::sdk::Unsupported("runs on f32 only");
  }

  void bind(const Buffers& buffers) override {
    a_ = buffers.as<float>(0);
    b_ = buffers.as<float>(1);
    c_ = buffers.as<float>(2);
  }
  void run(harness::sdk::Stream) override {
    pool_.for_each((n_ + at_a_time - 1) / at_a_time, [this](std::int64_t group, int) {
      const std::int64_t first = group * at_a_time;
      for (std::int64_t row = first; row < std::min(first + at_a_time, n_); ++row) make_row(row);
    });
  }

 private:
  static constexpr std::int64_t at_a_time = 4;

  void make_row(std::int64_t row) const {
    float* const sums = c_ + row * n_;
    std::fill(sums, sums + n_, 0.0F);
    for (std::int64_t k = 0; k < n_; ++k) {
      const float factor = a_[row * n_ + k];
      const float* const other = b_ + k * n_;
      for (std::int64_t column = 0; column < n_; ++column) sums[column] += factor * other[column];
    }
  }

  std::int64_t n_;
  kernels::Pool pool_;
  const float* a_ = nullptr;
  const float* b_ = nullptr;
  float* c_ = nullptr;
};

}  // namespace
}  // namespace probe

HARNESS_VARIANT(probe_gemm, rows, cpu, "row by row on all threads", probe::Rows)
