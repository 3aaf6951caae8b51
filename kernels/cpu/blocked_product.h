// BlockedProduct: X W on the CPU, tile by tile, shared by CPU variants. A tile of Y is summed over all of k
// in a thread's own scratch memory, in float32. It is handed to a sink while it is still in the cache. The
// variants differ in their sinks. Owns its threads and scratch; use an object from one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/cpu/isa.h"
#include "kernels/cpu_pool.h"
#include "kernels/product_shape.h"

namespace kernels {

// A finished tile: `rows` x `columns` sums at (row, column) of Y, `stride` floats apart by row.
struct Tile {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;
  float* sums = nullptr;
};

class BlockedProduct {
 public:
  // Extents of a tile and of the block of k that is packed at once. The rows are a multiple of every
  // Isa::rows, the columns of every Isa::columns; one thread's scratch is 370 KiB, for the L2 cache.
  static constexpr std::int64_t tile_rows = 96;
  static constexpr std::int64_t tile_columns = 128;
  static constexpr std::int64_t depth = 256;

  // Called from any of the threads; must not throw.
  using Sink = std::function<void(const Tile&)>;

  BlockedProduct(const ProductShape& shape, int threads, const Isa& isa = best_isa());

  void run(const void* x, const void* w, const Sink& sink);

  // From now on column p of X is multiplied by factors[p], in float32; `factors` outlives its use.
  void scale_x(const float* factors) { factors_ = factors; }

  // Threads and conversions for the passes that a variant runs over whole matrices.
  [[nodiscard]] kernels::Pool& pool() { return pool_; }
  [[nodiscard]] const Isa& isa() const { return isa_; }

 private:
  struct Scratch {
    std::vector<float> a;     // tile_rows x a_stride
    std::vector<float> b;     // depth x tile_columns, packed in panels of Isa::columns
    std::vector<float> line;  // one row of W, widened
    std::vector<float> sums;  // tile_rows x tile_columns
  };

  void multiply_tile(const void* x, const void* w, Tile& tile, Scratch& scratch) const;
  void pack_a(const void* x, const Tile& tile, std::int64_t begin, std::int64_t length,
              Scratch& scratch) const;
  void pack_b(const void* w, const Tile& tile, std::int64_t begin, std::int64_t length,
              Scratch& scratch) const;

  ProductShape shape_;
  const Isa& isa_;
  kernels::Pool pool_;
  std::vector<Scratch> scratch_;
  const float* factors_ = nullptr;  // of columns of X
};

// Elements `first`.. of a matrix of element type `dtype`, to and from float32.
void widen(const Isa& isa, harness::sdk::DType dtype, const void* from, std::int64_t first,
           std::int64_t count, float* to);
void narrow(const Isa& isa, harness::sdk::DType dtype, const float* from, std::int64_t count, void* to,
            std::int64_t first);

}  // namespace kernels
