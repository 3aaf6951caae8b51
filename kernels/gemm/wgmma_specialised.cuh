// wgmma with specialised warps, persistent: one block a multiprocessor takes tile after tile. One warpgroup
// produces and two consume. A single thread of the producer orders copies as soon as a slot is free, across
// tiles, so the ring is full when the next tile begins. Each consumer multiplies 64 of the tile's 128 rows,
// then finishes and writes them. They meet at mbarriers only: a slot's copies have landed; a slot's eight
// reading warps are done. Registers go from the producer to the consumers, who hold up to 128 sums a thread.
#pragma once

#include "kernels/gemm/wgmma_tile.cuh"

namespace gemm {

// An epilogue with factors of its own for each slot: of_slot_row(row, begin) of_slot_column(column, begin)
// for the products of row `row` and every column of a tile from `column` on, where `begin` is the first k of
// a slot.
template <class Epilogue>
inline constexpr bool scales_slots = requires(const Epilogue& any) {
  any.of_slot_row(0, 0);
};

// An epilogue with work on X while it is in shared memory. A consumer makes an OfX for each tile. Its
// change(x, problem, epilogue, begin, warpgroup) is called with the warpgroup's 64 rows of a slot before they
// are multiplied; `begin` is the slot's first k. finished(problem) is the epilogue of the sums.
template <class Epilogue>
inline constexpr bool changes_x = requires {
  typename Epilogue::OfX;
};
template <class Epilogue>
struct ChangedX {
  struct Type {};
};
template <class Epilogue>
requires changes_x<Epilogue>
struct ChangedX<Epilogue> {
  using Type = typename Epilogue::OfX;
};

// `Work` is what a slot of the ring holds and how it is multiplied: WgmmaTile, or a class like it. The first
// tensor map is that of the operand with the tile's rows.
template <class Element, class Tile, class Epilogue, class Work = WgmmaTile<Tile, Element>>
class WgmmaSpecialised {
 public:
  static constexpr int threads = (Tile::consumers + 1) * 128;

  static KERNEL_DEVICE void run(unsigned char* base, const ptx::TensorMap& x, const ptx::TensorMap& w,
                                const Problem<Element>& problem, const Epilogue& epilogue) {
    const Memory memory{base};
    if (threadIdx.x == 0) {
      for (int slot = 0; slot < Tile::stages; ++slot) {
        ptx::mbarrier_init(memory.full(slot), 1);
        ptx::mbarrier_init(memory.empty(slot), Tile::consumers * 4);
      }
      ptx::fence_mbarrier_init();
      ptx::prefetch_tensor_map(&x);
      ptx::prefetch_tensor_map(&w);
    }
    __syncthreads();
    if (threadIdx.x < 128) {
      if constexpr (Tile::consumers > 1) ptx::give_registers<40>();
      if (threadIdx.x == 0) produce(memory, x, w, problem);
    } else {
      if constexpr (Tile::consumers > 1) ptx::take_registers<232>();
      const int warpgroup = static_cast<int>(threadIdx.x) / 128 - 1;
      if constexpr (scales_slots<Epilogue>)
        consume_scaled(memory, problem, epilogue, warpgroup);
      else
        consume(memory, problem, epilogue, warpgroup);
    }
  }

 private:
  using Memory = typename Work::Memory;

  // Calls act(row, column) for every tile of this block, in the order in which it takes them.
  template <class Act>
  static KERNEL_DEVICE void for_each_tile(const Problem<Element>& problem, Act act) {
    const int down = (problem.m + Tile::rows - 1) / Tile::rows;
    const int across = (problem.n + Tile::columns - 1) / Tile::columns;
    for (int tile = static_cast<int>(blockIdx.x); tile < down * across; tile += static_cast<int>(gridDim.x)) {
      const TilePosition at = tile_position(tile, down, across);
      act(at.down * Tile::rows, at.across * Tile::columns);
    }
  }

  static KERNEL_DEVICE void produce(const Memory& memory, const ptx::TensorMap& x, const ptx::TensorMap& w,
                                    const Problem<Element>& problem) {
    RingPlace<Tile> place;
    for_each_tile(problem, [&](int row, int column) {
      for (int begin = 0; begin < problem.k; begin += Work::depth, place.next()) {
        ptx::mbarrier_wait(memory.empty(place.slot), place.phase ^ 1);  // at first all slots count as empty
        Work::fill_slot(memory, place.slot, x, w, row, column, begin);
      }
    });
  }

  static KERNEL_DEVICE void consume(const Memory& memory, const Problem<Element>& problem,
                                    const Epilogue& epilogue, int warpgroup) {
    const bool signals = threadIdx.x % 32 == 0;
    RingPlace<Tile> place;
    typename Work::Sum d[Work::sums] = {};
    for_each_tile(problem, [&](int row, int column) {
      typename Work::template Pairs<Epilogue> pairs;
      Work::read_pairs(problem, epilogue, column, pairs);  // there when the products are done
      [[maybe_unused]] typename ChangedX<Epilogue>::Type of_x{};
      int before = -1;  // the slot whose products are still running
      ptx::wgmma_pin(d);
      for (int begin = 0; begin < problem.k; begin += Work::depth, place.next()) {
        ptx::mbarrier_wait(memory.full(place.slot), place.phase);
        if constexpr (changes_x<Epilogue>)
          of_x.change(memory.base + place.slot * Tile::slot_bytes + warpgroup * (64 * 128), problem, epilogue,
                      begin, warpgroup);
        Work::multiply_slot(memory, place.slot, warpgroup, begin == 0, d);
        // Products read operands in registers until they are done, and the next slot's come into the same
        // registers.
        if constexpr (requires { Work::operands_in_registers; })
          ptx::wgmma_wait<0>();
        else
          ptx::wgmma_wait<1>();
        if (signals && before >= 0) ptx::mbarrier_arrive(memory.empty(before));
        before = place.slot;
      }
      ptx::wgmma_wait<0>();
      ptx::wgmma_pin(d);
      if (signals) ptx::mbarrier_arrive(memory.empty(before));
      if constexpr (changes_x<Epilogue>)
        Work::write_results(memory, problem, of_x.finished(problem), row, column, warpgroup, pairs, d);
      else
        Work::write_results(memory, problem, epilogue, row, column, warpgroup, pairs, d);
    });
  }

  // The same where each slot's products have factors of their own: they are summed apart, waited for, and
  // added to the sums on CUDA cores ("promoted"), while the other warpgroup multiplies.
  static KERNEL_DEVICE void consume_scaled(const Memory& memory, const Problem<Element>& problem,
                                           const Epilogue& epilogue, int warpgroup) {
    const bool signals = threadIdx.x % 32 == 0;
    RingPlace<Tile> place;
    typename Work::Sum d[Work::sums] = {};
    for_each_tile(problem, [&](int row, int column) {
      float sums[Work::sums] = {};
      const int first_row = row + Work::own_row(warpgroup);
      for (int begin = 0; begin < problem.k; begin += Work::depth, place.next()) {
        const float of_columns = epilogue.of_slot_column(column, begin);
        float factors[2];
        KERNEL_UNROLL
        for (int half = 0; half < 2; ++half) {
          const int own = first_row + half * 8;
          factors[half] = own < problem.m ? epilogue.of_slot_row(own, begin) * of_columns : 0.0F;
        }
        ptx::mbarrier_wait(memory.full(place.slot), place.phase);
        ptx::wgmma_pin(d);
        Work::multiply_slot(memory, place.slot, warpgroup, true, d);
        ptx::wgmma_wait<0>();
        ptx::wgmma_pin(d);
        if (signals) ptx::mbarrier_arrive(memory.empty(place.slot));
        KERNEL_UNROLL
        for (int i = 0; i < Work::sums; ++i) sums[i] += factors[i / 2 % 2] * static_cast<float>(d[i]);
      }
      typename Work::template Pairs<Epilogue> pairs;
      Work::read_pairs(problem, epilogue, column, pairs);
      Work::write_results(memory, problem, epilogue, row, column, warpgroup, pairs, sums);
    });
  }
};

template <class Element, class Tile, class Epilogue>
__global__ void __launch_bounds__(WgmmaSpecialised<Element, Tile, Epilogue>::threads, 1)
    wgmma_specialised_kernel(const __grid_constant__ ptx::TensorMap x,
                             const __grid_constant__ ptx::TensorMap w, Problem<Element> problem,
                             Epilogue epilogue) {
  if constexpr (KERNEL_HAS_WGMMA) {
    KERNEL_DYNAMIC_SHARED(memory, 1024);
    WgmmaSpecialised<Element, Tile, Epilogue>::run(memory, x, w, problem, epilogue);
  }
}

template <class Element, class Tile, class Epilogue>
TmaLaunch<Element, Epilogue> wgmma_specialised_launch_of(std::int64_t m, std::int64_t n,
                                                         int multiprocessors) {
  const std::int64_t tiles = tiles_of(m, Tile::rows) * tiles_of(n, Tile::columns);
  return {wgmma_specialised_kernel<Element, Tile, Epilogue>,
          layout_of_x<Tile, Element>,
          layout_of_w<Tile, Element>,
          static_cast<int>(tiles < multiprocessors ? tiles : multiprocessors),
          WgmmaSpecialised<Element, Tile, Epilogue>::threads,
          Tile::shared_bytes,
          {Tile::rows, Tile::columns, Tile::stages}};
}

// Wide tiles read less and multiply best; smaller ones when there are too few to give most multiprocessors
// one. The last round of tiles may leave most of them idle. With 16 bits, tiles of 192 columns take the place
// of either where that saves a tenth of the time. Up to 64 rows of X the matrix W is all that counts: small
// tiles then stream it through most multiprocessors.
template <class Element, class Epilogue>
TmaLaunch<Element, Epilogue> wgmma_specialised_launch(std::int64_t m, std::int64_t n, int multiprocessors) {
  const auto tiles = [&](std::int64_t columns) { return tiles_of(m, 128) * tiles_of(n, columns); };
  const auto enough = [&](std::int64_t columns) {
    return m > 64 && tiles(columns) * 4 >= multiprocessors * std::int64_t{3};
  };
  // In columns that a multiprocessor computes one after another.
  const auto time = [&](std::int64_t columns) { return tiles_of(tiles(columns), multiprocessors) * columns; };
  const auto of = [&]<class Tile>(Tile) {
    return wgmma_specialised_launch_of<Element, Tile, Epilogue>(m, n, multiprocessors);
  };
  if constexpr (sizeof(typename Element::Storage) == 2)
    if (enough(192) && time(192) * 10 <= time(enough(256) ? 256 : 128) * 9)
      return of(WgmmaTiling<128, 192, 5>{});
  if constexpr (!scales_slots<Epilogue>)  // which keeps two sets of sums in registers
    if (enough(256)) return of(WgmmaTiling<128, 256, 4>{});
  if (enough(128)) return of(WgmmaTiling<128, 128, 6>{});
  if (enough(64)) return of(WgmmaTiling<128, 64, 8>{});
  return of(WgmmaTiling<64, 64, 12>{});
}

}  // namespace gemm
