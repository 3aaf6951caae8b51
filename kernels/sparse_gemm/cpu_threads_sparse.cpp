// sparse_gemm/threads_sparse: the kept values of W alone. A thread reads a row of W once, from blocks or from
// the dense matrix, into values and their columns.
#include "harness/sdk/registry.h"
#include "kernels/sparse_gemm/cpu_columns.h"

namespace sparse_gemm {
namespace {

// The kept values of a row of W, and where they stand.
struct KeptRow {
  std::vector<float> values;
  std::vector<std::int32_t> columns;
};

class ThreadsSparse final : public harness::sdk::Kernel {
 public:
  ThreadsSparse(const harness::sdk::Params& params, const harness::sdk::Problem&,
                const harness::sdk::DeviceTraits& traits)
      : shape_(shape_of(params)),
        columns_(shape_, kernels::usable_threads(traits.multiprocessors)),
        rows_(static_cast<std::size_t>(columns_.threads())) {
    for (KeptRow& row : rows_) {
      row.values.resize(static_cast<std::size_t>(shape_.k / 2));
      row.columns.resize(static_cast<std::size_t>(shape_.k / 2));
    }
  }

  void bind(const harness::sdk::Buffers& buffers) override { columns_.bind(buffers); }
  void run(harness::sdk::Stream) override {
    columns_.run(
        [&](std::int64_t column, int worker) { keep(column, rows_[static_cast<std::size_t>(worker)]); },
        [&](const float* x, int worker) {
          const KeptRow& row = rows_[static_cast<std::size_t>(worker)];
          float sum = 0;
          for (std::size_t i = 0; i < row.values.size(); ++i) sum += row.values[i] * x[row.columns[i]];
          return sum;
        });
  }

 private:
  void keep(std::int64_t n, KeptRow& row) const {
    const CompressedRows blocks(shape_.extents(), columns_.w());
    for (std::int64_t p = 0; p < shape_.k; p += 4) {
      std::uint32_t words[2] = {};
      if (!shape_.compressed) std::memcpy(words, columns_.w() + (n * shape_.k + p) * 2, sizeof words);
      const std::uint32_t places = shape_.compressed ? blocks.places(n, p) : places_of(words[0], words[1]);
      for (int which = 0; which < 2; ++which) {
        const std::uint32_t place = places >> (2 * which) & 3U;
        const auto at = static_cast<std::size_t>(p / 2 + which);
        row.columns[at] = static_cast<std::int32_t>(p + place);
        row.values[at] = harness::sdk::float_from_f16(shape_.compressed ? blocks.value(n, p, which)
                                                                        : half_of(words[0], words[1], place));
      }
    }
  }

  Shape shape_;
  CpuColumns columns_;
  std::vector<KeptRow> rows_;  // of each thread
};

}  // namespace
}  // namespace sparse_gemm

HARNESS_VARIANT(sparse_gemm, threads_sparse, cpu, "threads; the kept values of W alone",
                sparse_gemm::ThreadsSparse)
