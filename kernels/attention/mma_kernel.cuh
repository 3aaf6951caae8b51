// The kernel of the variant mma_sync: both products on the Tensor Cores (mma.sync), scores and weights only
// ever in registers (after Dao, "FlashAttention-2", 2023). Queries stay in registers; tiles of keys and
// values come to shared memory by asynchronous copies, one tile ahead. Warps divide a block's queries; where
// that makes too few blocks to fill a GPU, they also divide each tile's keys, and their results meet at the
// end.
#pragma once

#include "kernels/attention/device_arguments.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/slower.cuh"

namespace attention {

// How a block is cut. D: the dimension, exactly. RowTiles: tiles of 16 queries of a warp. QueryWarps x
// KeyWarps warps; the latter share the queries and take KeysPerWarp keys of every tile each.
template <int Dimension, int RowTilesOfWarp, int WarpsOverQueries, int WarpsOverKeys, int KeysOfWarp>
struct MmaTiling {
  static constexpr int d = Dimension;
  static constexpr int row_tiles = RowTilesOfWarp;
  static constexpr int query_warps = WarpsOverQueries;
  static constexpr int key_warps = WarpsOverKeys;
  static constexpr int warp_keys = KeysOfWarp;
  static constexpr int warp_queries = 16 * row_tiles;
  static constexpr int queries = warp_queries * query_warps;
  static constexpr int keys = warp_keys * key_warps;  // of a tile
  static constexpr int threads = 32 * query_warps * key_warps;
  static constexpr int pieces = d / 8;  // of 16 bytes, a row
  static constexpr int tile_bytes = keys * d * 2;
  static constexpr int copies_bytes = 4 * tile_bytes;  // two tiles of keys, two of values
  // Partial results of the key warps: sums, then largest score and total of each query.
  static constexpr int result_stride = d + 4;
  static constexpr int result_floats = key_warps * queries * (result_stride + 2);
  static constexpr int results_bytes = key_warps == 1 ? 0 : 4 * result_floats;
  static constexpr int shared_bytes = copies_bytes > results_bytes ? copies_bytes : results_bytes;

  static_assert(d % 32 == 0 && warp_keys % 16 == 0 && keys * pieces % threads == 0);
};

// Where 16-byte piece `piece` of row `row` lies in a tile, in bytes. Permuted within a row, so that the eight
// pieces that a matrix load touches at once, the same of eight rows, lie in eight groups of banks.
template <class Tiling>
KERNEL_DEVICE int tile_offset(int row, int piece) {
  // Rows of four pieces lie in pairs.
  return (row * Tiling::pieces + (piece ^ (Tiling::pieces == 4 ? row >> 1 & 3 : row & 7))) * 16;
}

// `Problem` is Arguments, or has a place of its own for results: result_row(matrix, query).
template <class Tiling, class Element, class Problem = Arguments>
class MmaAttention {
 public:
  KERNEL_DEVICE MmaAttention(const Problem& problem, unsigned char* memory)
      : problem_(problem),
        memory_(memory),
        address_(ptx::shared_address(memory)),
        lane_(static_cast<int>(threadIdx.x) % 32),
        query_warp_(static_cast<int>(threadIdx.x) / 32 / Tiling::key_warps),
        key_warp_(static_cast<int>(threadIdx.x) / 32 % Tiling::key_warps),
        start_(matrix_start(problem, static_cast<int>(blockIdx.y))) {
    // The last queries first: where causal they see most keys.
    const int block = static_cast<int>(gridDim.x) - 1 - static_cast<int>(blockIdx.x);
    block_query_ = block * Tiling::queries;
    warp_query_ = block_query_ + query_warp_ * Tiling::warp_queries;
    KERNEL_UNROLL
    for (int row = 0; row < row_tiles; ++row) KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) tops_[row][half] = minus_infinity();
  }

  KERNEL_DEVICE void run() {
    const int last_query = smaller(block_query_ + Tiling::queries, problem_.sequence) - 1;
    const int seen = keys_seen(problem_, last_query);
    const int tiles = (seen + Tiling::keys - 1) / Tiling::keys;
    copy_tile(problem_.k, 0, 0);
    copy_tile(problem_.v, 0, 2);
    load_queries();
    for (int tile = 0; tile < tiles; ++tile) {
      ptx::cp_async_wait<1>();  // this tile's keys are there; its values may be on their way
      __syncthreads();          // everyone's copies, and everyone is done with the other tile of keys
      if (tile + 1 < tiles)
        copy_tile(problem_.k, tile + 1, (tile + 1) % 2);
      else
        ptx::cp_async_commit();
      const int first = tile * Tiling::keys + key_warp_ * Tiling::warp_keys;
      const bool any =
          first < problem_.sequence && (problem_.causal == 0 || first < warp_query_ + Tiling::warp_queries);
      if (any) {
        multiply_keys(tile % 2);
        mask(first);
        weigh();
      }
      ptx::cp_async_wait<1>();  // this tile's values
      __syncthreads();
      if (tile + 1 < tiles)
        copy_tile(problem_.v, tile + 1, 2 + (tile + 1) % 2);
      else
        ptx::cp_async_commit();
      if (any) multiply_values(2 + tile % 2);
    }
    total_rows();
    if constexpr (Tiling::key_warps == 1)
      store();
    else
      store_together();
  }

 private:
  static constexpr int row_tiles = Tiling::row_tiles;
  static constexpr int depths = Tiling::d / 16;
  static constexpr int key_tiles = Tiling::warp_keys / 8;
  static constexpr int columns = Tiling::d / 8;

  // Copies tile `tile` of K or V to buffer `buffer` and ends the group; zeros past the sequence.
  KERNEL_DEVICE void copy_tile(const std::uint16_t* matrix, int tile, int buffer) const {
    KERNEL_UNROLL
    for (int i = 0; i < Tiling::keys * Tiling::pieces / Tiling::threads; ++i) {
      const int at = i * Tiling::threads + static_cast<int>(threadIdx.x);
      const int row = at / Tiling::pieces;
      const int piece = at % Tiling::pieces;
      const int key = tile * Tiling::keys + row;
      const bool inside = key < problem_.sequence;
      const std::uint16_t* const from =
          matrix + start_ + static_cast<std::int64_t>(inside ? key : 0) * Tiling::d + piece * 8;
      ptx::cp_async_16(address_ + buffer * Tiling::tile_bytes + tile_offset<Tiling>(row, piece), from,
                       inside ? 16 : 0);
    }
    ptx::cp_async_commit();
  }

  // Fragments of A straight from memory: two elements of one row at a time; zeros past the sequence.
  KERNEL_DEVICE void load_queries() {
    KERNEL_UNROLL
    for (int tile = 0; tile < row_tiles; ++tile) KERNEL_UNROLL
    for (int depth = 0; depth < depths; ++depth) KERNEL_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int query = warp_query_ + tile * 16 + i % 2 * 8 + lane_ / 4;
      const int column = depth * 16 + i / 2 * 8 + lane_ % 4 * 2;
      queries_[tile][depth][i] =
          query < problem_.sequence
              ? *reinterpret_cast<const std::uint32_t*>(problem_.q + start_ +
                                                        static_cast<std::int64_t>(query) * Tiling::d + column)
              : 0U;
    }
  }

  // scores_ = Q K^T of this warp's keys.
  KERNEL_DEVICE void multiply_keys(int buffer) {
    const std::uint32_t tile = address_ + buffer * Tiling::tile_bytes;
    KERNEL_UNROLL
    for (int row = 0; row < row_tiles; ++row) KERNEL_UNROLL
    for (int key = 0; key < key_tiles; ++key) KERNEL_UNROLL
    for (int i = 0; i < 4; ++i) scores_[row][key][i] = 0;
    KERNEL_UNROLL
    for (int depth = 0; depth < depths; ++depth) KERNEL_UNROLL
    for (int key = 0; key < key_tiles; key += 2) {
      // Matrices: keys 0-7 and then 8-15, of each the two halves of the depth.
      const int row = key_warp_ * Tiling::warp_keys + key * 8 + lane_ / 16 * 8 + lane_ % 8;
      std::uint32_t fragments[4];
      ptx::ldmatrix_x4(fragments, tile + tile_offset<Tiling>(row, depth * 2 + lane_ / 8 % 2));
      multiply_pair(queries_, depth, fragments, scores_, key);
    }
  }

  // The same with weights and values: sums_ += P V.
  KERNEL_DEVICE void multiply_values(int buffer) {
    const std::uint32_t tile = address_ + buffer * Tiling::tile_bytes;
    KERNEL_UNROLL
    for (int depth = 0; depth < key_tiles / 2; ++depth) KERNEL_UNROLL
    for (int column = 0; column < columns; column += 2) {
      // Matrices, transposed: keys 0-7 and 8-15 of eight columns, then of the next eight.
      const int row = key_warp_ * Tiling::warp_keys + depth * 16 + lane_ % 16;
      std::uint32_t fragments[4];
      ptx::ldmatrix_x4_transposed(fragments, tile + tile_offset<Tiling>(row, column + lane_ / 16));
      multiply_pair(weights_, depth, fragments, sums_, column);
    }
  }

  // Two neighbouring tiles of 8 results, for every 16 queries.
  template <int Depths, int Results>
  KERNEL_DEVICE void multiply_pair(const std::uint32_t (&a)[row_tiles][Depths][4], int depth,
                                   const std::uint32_t (&b)[4], float (&d)[row_tiles][Results][4],
                                   int result) const {
    KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      const std::uint32_t fragment[2] = {b[half * 2], b[half * 2 + 1]};
      KERNEL_UNROLL
      for (int row = 0; row < row_tiles; ++row)
        ptx::mma_m16n8k16(Element{}, d[row][result + half], a[row][depth], fragment);
    }
  }

  // Element i of a result fragment belongs to row i / 2 * 8 + lane / 4, column lane % 4 * 2 + i % 2.
  KERNEL_DEVICE int query_of(int row, int i) const { return warp_query_ + row * 16 + i / 2 * 8 + lane_ / 4; }

  // Minus infinity for keys that are not seen; `first` is the first of this warp's keys.
  KERNEL_DEVICE void mask(int first) {
    const bool past_end = first + Tiling::warp_keys > problem_.sequence;
    const bool past_query = problem_.causal != 0 && first + Tiling::warp_keys > warp_query_ + 1;
    if (!past_end && !past_query) return;
    KERNEL_UNROLL
    for (int row = 0; row < row_tiles; ++row) KERNEL_UNROLL
    for (int key = 0; key < key_tiles; ++key) KERNEL_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int number = first + key * 8 + lane_ % 4 * 2 + i % 2;
      const int seen = smaller(keys_seen(problem_, query_of(row, i)), problem_.sequence);
      if (number >= seen) scores_[row][key][i] = minus_infinity();
    }
  }

  // Scores become weights, as fragments of A; sums_ are brought to the new largest scores.
  KERNEL_DEVICE void weigh() {
    KERNEL_UNROLL
    for (int row = 0; row < row_tiles; ++row) KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      float top = tops_[row][half];
      KERNEL_UNROLL
      for (int key = 0; key < key_tiles; ++key)
        top = fmaxf(top, fmaxf(scores_[row][key][half * 2], scores_[row][key][half * 2 + 1]));
      top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 1));  // the row is in four lanes
      top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 2));
      // A row that has seen no key yet has weights 0, not those of infinity minus infinity.
      const float base = top == minus_infinity() ? 0.0F : top * problem_.scale2;
      const float factor = ptx::exp2_approximate(tops_[row][half] * problem_.scale2 - base);
      tops_[row][half] = top;
      float total = totals_[row][half] * factor;
      KERNEL_UNROLL
      for (int key = 0; key < key_tiles; ++key) KERNEL_UNROLL
      for (int i = half * 2; i < half * 2 + 2; ++i) {
        const float weight = ptx::exp2_approximate(scores_[row][key][i] * problem_.scale2 - base);
        scores_[row][key][i] = weight;
        total += weight;
      }
      totals_[row][half] = total;
      KERNEL_UNROLL
      for (int column = 0; column < columns; ++column) {
        sums_[row][column][half * 2] *= factor;
        sums_[row][column][half * 2 + 1] *= factor;
      }
    }
    // Two result fragments side by side are one fragment of A.
    KERNEL_UNROLL
    for (int row = 0; row < row_tiles; ++row) KERNEL_UNROLL
    for (int key = 0; key < key_tiles; ++key) KERNEL_UNROLL
    for (int half = 0; half < 2; ++half)
      weights_[row][key / 2][key % 2 * 2 + half] =
          Element::narrow(scores_[row][key][half * 2], scores_[row][key][half * 2 + 1]);
  }

  // Totals were kept a lane; now a row.
  KERNEL_DEVICE void total_rows() {
    KERNEL_UNROLL
    for (int row = 0; row < row_tiles; ++row) KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      totals_[row][half] += __shfl_xor_sync(0xFFFFFFFFU, totals_[row][half], 1);
      totals_[row][half] += __shfl_xor_sync(0xFFFFFFFFU, totals_[row][half], 2);
    }
  }

  KERNEL_DEVICE void store_pair(int query, int column, float low, float high) const {
    if constexpr (requires { problem_.result_row(0, 0); })
      *reinterpret_cast<std::uint32_t*>(problem_.o +
                                        problem_.result_row(static_cast<int>(blockIdx.y), query) + column) =
          Element::narrow(low, high);
    else
      *reinterpret_cast<std::uint32_t*>(problem_.o + start_ + static_cast<std::int64_t>(query) * Tiling::d +
                                        column) = Element::narrow(low, high);
  }

  KERNEL_DEVICE void store() const {
    KERNEL_UNROLL
    for (int row = 0; row < row_tiles; ++row) KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int query = query_of(row, half * 2);
      if (query >= problem_.sequence) continue;
      const float factor = 1.0F / totals_[row][half];
      KERNEL_UNROLL
      for (int column = 0; column < columns; ++column)
        store_pair(query, column * 8 + lane_ % 4 * 2, sums_[row][column][half * 2] * factor,
                   sums_[row][column][half * 2 + 1] * factor);
    }
  }

  // Partial results, in shared memory where the tiles were.
  KERNEL_DEVICE float* result(int key_warp, int query) const {
    return reinterpret_cast<float*>(memory_) +
           (key_warp * Tiling::queries + query) * (Tiling::result_stride + 2);
  }

  KERNEL_DEVICE void store_together() {
    ptx::cp_async_wait<0>();
    __syncthreads();  // nobody reads the tiles any more
    KERNEL_UNROLL
    for (int row = 0; row < row_tiles; ++row) KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      float* const to = result(key_warp_, query_of(row, half * 2) - block_query_);
      KERNEL_UNROLL
      for (int column = 0; column < columns; ++column) KERNEL_UNROLL
      for (int i = 0; i < 2; ++i) to[column * 8 + lane_ % 4 * 2 + i] = sums_[row][column][half * 2 + i];
      if (lane_ % 4 == 0) {
        to[Tiling::result_stride] = tops_[row][half];
        to[Tiling::result_stride + 1] = totals_[row][half];
      }
    }
    __syncthreads();
    for (int at = static_cast<int>(threadIdx.x); at < Tiling::queries * Tiling::d / 2; at += Tiling::threads)
      combine(at / (Tiling::d / 2), at % (Tiling::d / 2) * 2);
  }

  // Two columns of one query, from all key warps. Some of them may have seen no key, but not all.
  KERNEL_DEVICE void combine(int query, int column) const {
    if (block_query_ + query >= problem_.sequence) return;
    float top = minus_infinity();
    KERNEL_UNROLL
    for (int warp = 0; warp < Tiling::key_warps; ++warp)
      top = fmaxf(top, result(warp, query)[Tiling::result_stride]);
    float total = 0;
    float low = 0;
    float high = 0;
    KERNEL_UNROLL
    for (int warp = 0; warp < Tiling::key_warps; ++warp) {
      const float* const from = result(warp, query);
      const float factor = ptx::exp2_approximate((from[Tiling::result_stride] - top) * problem_.scale2);
      total += from[Tiling::result_stride + 1] * factor;
      low += from[column] * factor;
      high += from[column + 1] * factor;
    }
    store_pair(block_query_ + query, column, low / total, high / total);
  }

  const Problem& problem_;
  unsigned char* memory_;
  std::uint32_t address_;
  int lane_;
  int query_warp_;
  int key_warp_;
  std::int64_t start_;
  int block_query_ = 0;  // the block's first
  int warp_query_ = 0;   // this warp's first
  std::uint32_t queries_[row_tiles][depths][4] = {};
  float scores_[row_tiles][key_tiles][4] = {};
  std::uint32_t weights_[row_tiles][key_tiles / 2][4] = {};
  float sums_[row_tiles][columns][4] = {};
  float tops_[row_tiles][2];         // rows lane / 4 and lane / 4 + 8 of each 16; unscaled
  float totals_[row_tiles][2] = {};  // of this lane's keys
};

// Grid: queries / Tiling::queries, matrices.
template <class Tiling, class Element>
__global__ void __launch_bounds__(Tiling::threads) mma_kernel(const __grid_constant__ Arguments problem) {
  KERNEL_SLOWER;
  KERNEL_DYNAMIC_SHARED(memory, 128);
  MmaAttention<Tiling, Element> attention(problem, memory);
  attention.run();
}

// The tilings in use. Large ones read keys and values least; small ones make more blocks: 16 queries each,
// with four or eight warps over the keys.
template <int D>
using MmaLarge = MmaTiling<D, D <= 64 ? 2 : 1, D <= 64 ? 4 : 8, 1, 64>;
template <int D>
using MmaSmall = MmaTiling<D, 1, 1, 4, 32>;
template <int D>
using MmaWide = MmaTiling<D, 1, 1, 8, D <= 64 ? 32 : 16>;

enum class MmaChoice { large, small, wide };

// The large tiling where it gives every second multiprocessor a block; otherwise as many warps over the keys
// as there are keys for.
constexpr MmaChoice choose_mma(std::int64_t matrices, std::int64_t sequence, int multiprocessors) {
  if (matrices * ((sequence + 127) / 128) * 2 >= multiprocessors) return MmaChoice::large;
  return sequence <= 128 ? MmaChoice::small : MmaChoice::wide;
}

}  // namespace attention
