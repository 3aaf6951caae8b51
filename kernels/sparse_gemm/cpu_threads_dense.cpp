// sparse_gemm/threads_dense: the reference on CPUs: W with its zeros, as any other matrix.
#include <array>

#include "harness/sdk/registry.h"
#include "kernels/sparse_gemm/cpu_columns.h"

namespace sparse_gemm {
namespace {

// In several sums, so that the compiler can add vectors. The order does not depend on threads.
float dense_dot(const float* a, const float* b, std::int64_t count) {
  constexpr std::int64_t lanes = 16;
  std::array<float, lanes> sums{};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      sums[static_cast<std::size_t>(lane)] += a[i + lane] * b[i + lane];
  float sum = 0;
  for (const float one : sums) sum += one;
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

class ThreadsDense final : public harness::sdk::Kernel {
 public:
  ThreadsDense(const harness::sdk::Params& params, const harness::sdk::Problem&,
               const harness::sdk::DeviceTraits& traits)
      : shape_(require_dense(shape_of(params))),
        columns_(shape_, kernels::usable_threads(traits.multiprocessors)),
        rows_(static_cast<std::size_t>(columns_.threads()),
              std::vector<float>(static_cast<std::size_t>(shape_.k))) {}

  void bind(const harness::sdk::Buffers& buffers) override { columns_.bind(buffers); }
  void run(harness::sdk::Stream) override {
    columns_.run(
        [&](std::int64_t column, int worker) {
          const auto* const w = reinterpret_cast<const std::uint16_t*>(columns_.w()) + column * shape_.k;
          float* const row = rows_[static_cast<std::size_t>(worker)].data();
          for (std::int64_t p = 0; p < shape_.k; ++p) row[p] = harness::sdk::float_from_f16(w[p]);
        },
        [&](const float* x, int worker) {
          return dense_dot(x, rows_[static_cast<std::size_t>(worker)].data(), shape_.k);
        });
  }

 private:
  Shape shape_;
  CpuColumns columns_;
  std::vector<std::vector<float>> rows_;  // of W, widened; of each thread
};

}  // namespace
}  // namespace sparse_gemm

HARNESS_VARIANT(sparse_gemm, threads_dense, cpu, "threads; W multiplied with its zeros",
                sparse_gemm::ThreadsDense)
