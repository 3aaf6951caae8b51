// Shared by the products whose operands the copy engine (TMA) brings into a ring of slots in shared memory:
// where a thread is in the ring, and a kernel that is ready to launch. Compute capability 9.0.
#pragma once

#include "kernels/gemm/tiles.cuh"
#include "kernels/ptx/hopper.cuh"

namespace gemm {

// A place in the ring, and how often (mod 2) it has been gone round.
template <class Tile>
struct RingPlace {
  int slot = 0;
  int phase = 0;
  KERNEL_DEVICE void next() {
    if (++slot < Tile::stages) return;
    slot = 0;
    phase ^= 1;
  }
};

// By one thread: orders the copies of a slot, one box of X and `Boxes` of W side by side, each `box_columns`
// wide. `begin` is the slot's first k. Boxes outside a matrix are zeros and count like any other.
template <class Tile, int Boxes>
KERNEL_DEVICE void fill_ring_slot(std::uint32_t slot, std::uint32_t barrier, const ptx::TensorMap& x,
                                  const ptx::TensorMap& w, int row, int column, int begin, int box_columns) {
  ptx::mbarrier_arrive_expect(barrier, Tile::slot_bytes);
  ptx::tma_load_2d(slot, &x, begin, row, barrier);
  KERNEL_UNROLL
  for (int box = 0; box < Boxes; ++box)
    ptx::tma_load_2d(slot + static_cast<std::uint32_t>(Tile::x_bytes + box * Tile::box_bytes), &w,
                     column + box * box_columns, begin, barrier);
}

// A row-major matrix, dense, of which the copy engine moves boxes of 128 bytes of `box_rows` rows.
template <class Element>
ptx::TensorLayout matrix_layout(int rows, int columns, int box_rows) {
  constexpr int bytes = sizeof(typename Element::Storage);
  ptx::TensorLayout layout;
  layout.extents[0] = static_cast<std::uint64_t>(columns);
  layout.extents[1] = static_cast<std::uint64_t>(rows);
  layout.strides[1] = static_cast<std::uint64_t>(columns) * bytes;
  layout.box[0] = 128 / bytes;
  layout.box[1] = static_cast<std::uint32_t>(box_rows);
  return layout;
}

// A kernel, ready to launch on `blocks` blocks, and how it wants X and W described to the copy engine.
template <class Element, class Epilogue>
struct TmaLaunch {
  void (*kernel)(ptx::TensorMap, ptx::TensorMap, Problem<Element>, Epilogue) = nullptr;
  ptx::TensorLayout (*x_layout)(const Problem<Element>&) = nullptr;
  ptx::TensorLayout (*w_layout)(const Problem<Element>&) = nullptr;
  int blocks = 0;
  int threads = 0;
  int shared_bytes = 0;
  int tile[3] = {};  // rows, columns and stages of the tiling
};

}  // namespace gemm
