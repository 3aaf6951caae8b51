#include "kernels/cpu/blocked_product.h"

#include <algorithm>
#include <cstring>

namespace kernels {

using harness::sdk::DType;

namespace {
// A row of packed X is not a multiple of 4 KiB long, so that the rows read together lie in different
// cache sets.
constexpr std::int64_t a_stride = BlockedProduct::depth + 16;

std::int64_t blocks(std::int64_t extent, std::int64_t block) {
  return (extent + block - 1) / block;
}
}  // namespace

void widen(const Isa& isa, DType dtype, const void* from, std::int64_t first, std::int64_t count, float* to) {
  if (dtype == DType::f16)
    isa.widen_f16(static_cast<const std::uint16_t*>(from) + first, to, count);
  else if (dtype == DType::bf16)
    isa.widen_bf16(static_cast<const std::uint16_t*>(from) + first, to, count);
  else
    std::copy_n(static_cast<const float*>(from) + first, count, to);
}

void narrow(const Isa& isa, DType dtype, const float* from, std::int64_t count, void* to,
            std::int64_t first) {
  if (dtype == DType::f16)
    isa.narrow_f16(from, static_cast<std::uint16_t*>(to) + first, count);
  else if (dtype == DType::bf16)
    isa.narrow_bf16(from, static_cast<std::uint16_t*>(to) + first, count);
  else
    std::copy_n(from, count, static_cast<float*>(to) + first);
}

BlockedProduct::BlockedProduct(const ProductShape& shape, int threads, const Isa& isa)
    : shape_(shape), isa_(isa), pool_(threads), scratch_(static_cast<std::size_t>(pool_.threads())) {
  for (Scratch& scratch : scratch_) {
    scratch.a.resize(tile_rows * a_stride);
    scratch.b.resize(depth * tile_columns);
    scratch.line.resize(tile_columns);
    scratch.sums.resize(tile_rows * tile_columns);
  }
}

void BlockedProduct::run(const void* x, const void* w, const Sink& sink) {
  const std::int64_t tiles_down = blocks(shape_.m, tile_rows);
  const std::int64_t tiles_across = blocks(shape_.n, tile_columns);
  pool_.for_each(tiles_down * tiles_across, [&](std::int64_t index, int worker) {
    Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
    Tile tile;
    tile.row = index / tiles_across * tile_rows;
    tile.column = index % tiles_across * tile_columns;
    tile.rows = std::min(tile_rows, shape_.m - tile.row);
    tile.columns = std::min(tile_columns, shape_.n - tile.column);
    tile.stride = tile_columns;
    tile.sums = scratch.sums.data();
    multiply_tile(x, w, tile, scratch);
    sink(tile);
  });
}

void BlockedProduct::multiply_tile(const void* x, const void* w, Tile& tile, Scratch& scratch) const {
  std::fill(scratch.sums.begin(), scratch.sums.end(), 0.0F);
  for (std::int64_t begin = 0; begin < shape_.k; begin += depth) {
    const std::int64_t length = std::min(depth, shape_.k - begin);
    pack_a(x, tile, begin, length, scratch);
    pack_b(w, tile, begin, length, scratch);
    for (std::int64_t column = 0; column < tile.columns; column += isa_.columns)
      for (std::int64_t row = 0; row < tile.rows; row += isa_.rows)
        isa_.multiply(scratch.a.data() + row * a_stride, a_stride, scratch.b.data() + column * depth, length,
                      scratch.sums.data() + row * tile_columns + column, tile_columns);
  }
}

// Rows past the end of X keep what an earlier tile left there: their sums are computed and never used.
void BlockedProduct::pack_a(const void* x, const Tile& tile, std::int64_t begin, std::int64_t length,
                            Scratch& scratch) const {
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    float* const to = scratch.a.data() + row * a_stride;
    widen(isa_, shape_.dtype, x, (tile.row + row) * shape_.k + begin, length, to);
    for (std::int64_t p = 0; factors_ != nullptr && p < length; ++p) to[p] *= factors_[begin + p];
  }
}

// Panel c/columns of b holds columns [c, c + columns) of W, row after row. Columns past the end of W are
// whatever `line` held: their sums are never used.
void BlockedProduct::pack_b(const void* w, const Tile& tile, std::int64_t begin, std::int64_t length,
                            Scratch& scratch) const {
  const auto panel_bytes = static_cast<std::size_t>(isa_.columns) * sizeof(float);
  for (std::int64_t p = 0; p < length; ++p) {
    widen(isa_, shape_.dtype, w, (begin + p) * shape_.n + tile.column, tile.columns, scratch.line.data());
    for (std::int64_t column = 0; column < tile.columns; column += isa_.columns)
      std::memcpy(scratch.b.data() + column * depth + p * isa_.columns, scratch.line.data() + column,
                  panel_bytes);
  }
}

}  // namespace kernels
