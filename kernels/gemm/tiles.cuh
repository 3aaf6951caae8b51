// Shared by our own Tensor Core products: the problem as a kernel sees it, what happens to a sum before it is
// stored, which block computes which tile, and where 16-byte pieces lie in shared memory. Y = finish(X W): X
// is m x k, W k x n, Y m x n, all row-major and dense. No state.
#pragma once

#include <type_traits>

#include "kernels/ptx/mma.cuh"

namespace gemm {

// The elements of Y: those of X and W, unless these are of 8 bits (wgmma_8bit.cuh).
template <class Element>
struct ResultOf {
  using Type = Element;
};

// Extents in elements.
template <class Element>
struct Problem {
  const typename Element::Storage* x = nullptr;
  const typename Element::Storage* w = nullptr;
  typename ResultOf<Element>::Type::Storage* y = nullptr;
  int m = 0;
  int n = 0;
  int k = 0;
  int unused = 0;  // fills the struct: kernels/README.md
};
static_assert(std::has_unique_object_representations_v<Problem<ptx::F32>>);

// The epilogue of a plain product. An epilogue gives a value for each column, once a thread and column, so
// that a bias is read once. It turns a sum and that value into the result. Products on wgmma ask for two
// neighbouring columns at once, the first of them even, before they multiply: a Pair waits in registers until
// the sums are there.
struct PlainEpilogue {
  int unused = 0;  // an empty struct would be passed as a byte that nobody sets

  struct Pair {};
  KERNEL_DEVICE float of_column(int) const { return 0.0F; }
  KERNEL_DEVICE Pair of_pair(int) const { return {}; }
  static KERNEL_DEVICE float low(Pair) { return 0.0F; }
  static KERNEL_DEVICE float high(Pair) { return 0.0F; }
  KERNEL_DEVICE float finish(float sum, float) const { return sum; }
};

// Sixteen bytes: what one access or one asynchronous copy moves.
struct alignas(16) Piece {
  std::uint32_t words[4];
};

// Where piece `piece` of row `row` lies, in bytes, in a matrix of `pieces` pieces a row. Rows are permuted
// among themselves, so that eight pieces of one access lie in eight different groups of banks. Such an access
// is a matrix load (the same column of eight rows) or a row copy.
template <int Pieces>
constexpr KERNEL_DEVICE int piece_offset(int row, int piece) {
  static_assert(Pieces == 4 || Pieces % 8 == 0);
  const int permuted = Pieces == 4 ? piece ^ ((row >> 1) & 3) : piece ^ (row & 7);
  return (row * Pieces + permuted) * 16;
}

struct TilePosition {
  int down = 0;
  int across = 0;
};

// The tile that block `block` computes. Blocks that run at the same time share a group of 8 rows of tiles. So
// their parts of X and W stay in the L2 cache.
constexpr KERNEL_DEVICE TilePosition tile_position(int block, int tiles_down, int tiles_across) {
  constexpr int group = 8;
  const int first = block / (group * tiles_across) * group;
  const int rows = tiles_down - first < group ? tiles_down - first : group;
  const int within = block % (group * tiles_across);
  return {first + within % rows, within / rows};
}

constexpr KERNEL_OR_HOST std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) {
  return (extent + tile - 1) / tile;
}

}  // namespace gemm
