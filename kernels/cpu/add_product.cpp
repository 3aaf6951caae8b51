#include "kernels/cpu/add_product.h"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "harness/sdk/in_parts.h"

namespace kernels {
namespace {

constexpr std::int64_t depth = 256;          // of a block of `a`, packed for a thread
constexpr std::int64_t block_rows = 96;      // likewise
constexpr std::int64_t stride = depth + 16;  // no multiple of 4 KiB, so that rows lie in different cache sets
constexpr std::int64_t operations_a_thread = 1 << 22;
constexpr std::int64_t values_a_thread = 1 << 18;

std::int64_t groups_of(std::int64_t extent, std::int64_t size) {
  return (extent + size - 1) / size;
}

// The loop of an instruction set, and the rows and columns that it sums at once.
template <class Real>
struct Loop {
  explicit Loop(const Isa& isa)
      : rows(isa.rows), columns(std::int64_t{isa.columns} * 4 / std::int64_t{sizeof(Real)}) {
    if constexpr (std::is_same_v<Real, double>)
      multiply = isa.multiply_doubles;
    else
      multiply = isa.multiply;
  }
  void (*multiply)(const Real* a, std::int64_t a_stride, const Real* b, std::int64_t depth, Real* c,
                   std::int64_t c_stride) = nullptr;
  std::int64_t rows;
  std::int64_t columns;
};

// Panel i holds columns [i, i + 1) * loop.columns of b, row after row. The last one is filled up with zeros.
template <class Real>
void pack(const Real* b, std::int64_t inner, std::int64_t columns, const Loop<Real>& loop,
          Panels<Real>& panels, int threads) {
  const std::int64_t count = groups_of(columns, loop.columns);
  panels.resize(static_cast<std::size_t>(count * loop.columns * inner));
  const auto part = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t panel = first; panel < last; ++panel) {
      const std::int64_t begin = panel * loop.columns, width = std::min(loop.columns, columns - begin);
      Real* to = panels.data() + begin * inner;
      for (std::int64_t p = 0; p < inner; ++p, to += loop.columns)
        std::fill(std::copy_n(b + p * columns + begin, width, to), to + loop.columns, Real(0));
    }
  };
  harness::sdk::in_parts(count, values_a_thread / (loop.columns * inner) + 1, part, threads);
}

// The loop that reads neighbours is the inner one.
template <class Real>
void pack(const Strided<Real>& a, std::int64_t row, std::int64_t rows, std::int64_t begin,
          std::int64_t length, Real* to) {
  const Real* const from = a.first + row * a.row_step + begin * a.inner_step;
  if (a.inner_step == 1) {
    for (std::int64_t r = 0; r < rows; ++r) std::copy_n(from + r * a.row_step, length, to + r * stride);
    return;
  }
  for (std::int64_t p = 0; p < length; ++p)
    for (std::int64_t r = 0; r < rows; ++r) to[r * stride + p] = from[r * a.row_step + p * a.inner_step];
}

// A block of c that the loop is too large for.
template <class Real>
void multiply_edge(const Loop<Real>& loop, const Real* a, const Real* b, std::int64_t length, Real* c,
                   std::int64_t c_stride, std::int64_t rows, std::int64_t columns, std::vector<Real>& sums) {
  for (std::int64_t r = 0; r < rows; ++r)
    std::copy_n(c + r * c_stride, columns, sums.data() + r * loop.columns);
  loop.multiply(a, stride, b, length, sums.data(), loop.columns);
  for (std::int64_t r = 0; r < rows; ++r)
    std::copy_n(sums.data() + r * loop.columns, columns, c + r * c_stride);
}

template <class Real>
void add_all(const Loop<Real>& loop, const Strided<Real>& a, const Real* b, Real* c, std::int64_t rows,
             std::int64_t inner, std::int64_t columns, Panels<Real>& panels, int threads) {
  pack(b, inner, columns, loop, panels, threads);
  const auto multiply_rows = [&](std::int64_t first, std::int64_t last) {
    // The loop reads whole groups of rows, of which the last may be unset; their sums are dropped.
    const std::int64_t packed_rows = groups_of(std::min(block_rows, last - first), loop.rows) * loop.rows;
    const auto packed =
        std::make_unique_for_overwrite<Real[]>(static_cast<std::size_t>(packed_rows * stride));
    std::vector<Real> sums(static_cast<std::size_t>(loop.rows * loop.columns));
    for (std::int64_t row = first; row < last; row += block_rows)
      for (std::int64_t begin = 0; begin < inner; begin += depth) {
        const std::int64_t height = std::min(block_rows, last - row), length = std::min(depth, inner - begin);
        pack(a, row, height, begin, length, packed.get());
        for (std::int64_t j = 0; j < columns; j += loop.columns) {
          const Real* const panel = panels.data() + j * inner + begin * loop.columns;
          const std::int64_t width = std::min(loop.columns, columns - j);
          for (std::int64_t i = 0; i < height; i += loop.rows) {
            Real* const to = c + (row + i) * columns + j;
            const Real* const from = packed.get() + i * stride;
            if (height - i >= loop.rows && width == loop.columns)
              loop.multiply(from, stride, panel, length, to, columns);
            else
              multiply_edge(loop, from, panel, length, to, columns, std::min(loop.rows, height - i), width,
                            sums);
          }
        }
      }
  };
  const auto part = [&](std::int64_t first, std::int64_t last) {
    multiply_rows(first * loop.rows, std::min(rows, last * loop.rows));
  };
  const std::int64_t grain = operations_a_thread / std::max<std::int64_t>(loop.rows * inner * columns, 1) + 1;
  harness::sdk::in_parts(groups_of(rows, loop.rows), grain, part, threads);
}

}  // namespace

template <class Real>
void add_product(const Strided<Real>& a, const Real* b, Real* c, std::int64_t rows, std::int64_t inner,
                 std::int64_t columns, Panels<Real>& panels, int threads, const Isa& isa) {
  if (rows == 0 || inner == 0 || columns == 0) return;
  add_all(Loop<Real>(isa), a, b, c, rows, inner, columns, panels, threads);
}

template void add_product(const Strided<float>&, const float*, float*, std::int64_t, std::int64_t,
                          std::int64_t, Panels<float>&, int, const Isa&);
template void add_product(const Strided<double>&, const double*, double*, std::int64_t, std::int64_t,
                          std::int64_t, Panels<double>&, int, const Isa&);

}  // namespace kernels
