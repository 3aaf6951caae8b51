// wgmma fed by the copy engine, without specialised warps: a block of two warpgroups takes 128 x 128
// elements. One thread orders the copies of a slot three steps ahead. Both warpgroups multiply a slot while
// the products of the previous one finish. A block barrier tells that the previous slot may be filled again.
// Two blocks share a multiprocessor, so that one's barrier is the other's time to multiply.
#pragma once

#include "kernels/gemm/wgmma_tile.cuh"

namespace gemm {

template <class Element, class Tile, class Epilogue>
class WgmmaTma {
 public:
  static constexpr int threads = Tile::consumers * 128;

  static KERNEL_DEVICE void run(unsigned char* base, const ptx::TensorMap& x, const ptx::TensorMap& w,
                                const Problem<Element>& problem, const Epilogue& epilogue, TilePosition at) {
    using Work = WgmmaTile<Tile, Element>;
    const typename Work::Memory memory{base};
    const int row = at.down * Tile::rows;
    const int column = at.across * Tile::columns;
    const int steps = (problem.k + Work::depth - 1) / Work::depth;
    const int warpgroup = static_cast<int>(threadIdx.x) / 128;
    const bool orders = threadIdx.x == 0;
    if (orders) {
      for (int slot = 0; slot < Tile::stages; ++slot) ptx::mbarrier_init(memory.full(slot), 1);
      ptx::fence_mbarrier_init();
    }
    __syncthreads();
    for (int step = 0; orders && step < Tile::stages - 1 && step < steps; ++step)
      Work::fill_slot(memory, step, x, w, row, column, step * Work::depth);
    typename Work::Sum d[Work::sums] = {};
    RingPlace<Tile> place;
    for (int step = 0; step < steps; ++step, place.next()) {
      ptx::mbarrier_wait(memory.full(place.slot), place.phase);
      Work::multiply_slot(memory, place.slot, warpgroup, step == 0, d);
      ptx::wgmma_wait<1>();
      __syncthreads();  // the slot of the step before has been read by both warpgroups
      const int ahead = step + Tile::stages - 1;
      if (orders && ahead < steps)
        Work::fill_slot(memory, ahead % Tile::stages, x, w, row, column, ahead * Work::depth);
    }
    ptx::wgmma_wait<0>();
    ptx::wgmma_pin(d);
    typename Work::template Pairs<Epilogue> pairs;
    Work::read_pairs(problem, epilogue, column, pairs);
    Work::write_results(memory, problem, epilogue, row, column, warpgroup, pairs, d);
  }
};

template <class Element, class Tile, class Epilogue>
__global__ void __launch_bounds__(WgmmaTma<Element, Tile, Epilogue>::threads, 2)
    wgmma_tma_kernel(const __grid_constant__ ptx::TensorMap x, const __grid_constant__ ptx::TensorMap w,
                     Problem<Element> problem, Epilogue epilogue) {
  if constexpr (KERNEL_HAS_WGMMA) {
    KERNEL_DYNAMIC_SHARED(memory, 1024);
    const TilePosition at =
        tile_position(static_cast<int>(blockIdx.x), static_cast<int>(tiles_of(problem.m, Tile::rows)),
                      static_cast<int>(tiles_of(problem.n, Tile::columns)));
    WgmmaTma<Element, Tile, Epilogue>::run(memory, x, w, problem, epilogue, at);
  }
}

template <class Element, class Epilogue>
TmaLaunch<Element, Epilogue> wgmma_tma_launch(std::int64_t m, std::int64_t n, int) {
  using Tile = WgmmaTiling<128, 128, 3>;
  return {wgmma_tma_kernel<Element, Tile, Epilogue>,
          layout_of_x<Tile, Element>,
          layout_of_w<Tile, Element>,
          static_cast<int>(tiles_of(m, Tile::rows) * tiles_of(n, Tile::columns)),
          WgmmaTma<Element, Tile, Epilogue>::threads,
          Tile::shared_bytes};
}

}  // namespace gemm
