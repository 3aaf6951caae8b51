// Shared by the kernels of flash_kernels.cuh: how a block's shared memory is laid out, how rows come there,
// and the two kinds of products. There are two sets of instructions. Hopper: one warp has the copy engine
// fill a ring of tiles, warpgroups multiply by wgmma. Ampere and later: all threads copy one tile ahead,
// warps multiply by mma.sync. Both find rows in the same places and leave results in the same registers.
#pragma once

#include "kernels/ptx/wgmma.cuh"
#include "kernels/training/attention_mask.h"

namespace training {

// The tensors of one layer's attention.
struct FlashTensors {
  const std::uint16_t* qkv = nullptr;     // tokens x (queries, keys, values) x heads x size
  const std::uint16_t* of_out = nullptr;  // the gradient of the result, tokens x heads x size
  std::uint16_t* to = nullptr;            // the result, or the gradient of qkv
  // (batch x heads) x 2 x sequence: log2 of the sum of a query's exponentials, then the sum of its result
  // times the result's gradient.
  float* rows = nullptr;
  std::uint32_t* largest =
      nullptr;  // magnitude of what is written to `to`, as a float's bits; null: not wanted
  AttentionMask mask = {};
  int sequence = 0;  // a multiple of 16
  int heads = 0;
  int size = 0;      // of a head, a multiple of 8
  float scale = 0;   // of products of a query and a key
  float scale2 = 0;  // times log2(e)
  int unused = 0;    // no padding

  [[nodiscard]] KERNELS_BOTH int d() const { return heads * size; }
};

enum class FlashPass { forward, of_queries, of_keys };
// A tensor's part by its place: the first three in qkv, the last in of_out.
enum class FlashPart { queries, keys, values, of_out };

// How a block is cut. Size: columns of a head in shared memory, a multiple of 64. A block keeps 64 rows of
// each warpgroup, and passes through tiles of `ColumnsOfTile` rows, which become columns of scores. `Stages`
// tiles are on their way or in use.
template <FlashPass PassOfKernel, bool OnHopper, int Size, int Warpgroups, int ColumnsOfTile,
          int StagesOfRing>
struct FlashTiling {
  static constexpr FlashPass pass = PassOfKernel;
  static constexpr bool hopper = OnHopper;
  static constexpr int size = Size;
  static constexpr int warpgroups = Warpgroups;
  static constexpr int columns = ColumnsOfTile;
  static constexpr int stages = StagesOfRing;
  static constexpr int rows = 64 * warpgroups;
  static constexpr int threads = 128 * (warpgroups + (hopper ? 1 : 0));
  static constexpr bool over_keys = pass != FlashPass::of_keys;  // tiles are keys and values
  static constexpr int kept = pass == FlashPass::forward ? 1 : 2;
  static KERNEL_OR_HOST constexpr FlashPart kept_part(int which) {
    return over_keys    ? which == 0 ? FlashPart::queries : FlashPart::of_out
           : which == 0 ? FlashPart::keys
                        : FlashPart::values;
  }
  static KERNEL_OR_HOST constexpr FlashPart tile_part(int which) {
    return over_keys    ? which == 0 ? FlashPart::keys : FlashPart::values
           : which == 0 ? FlashPart::queries
                        : FlashPart::of_out;
  }
  // Rows lie in panels of 64 columns, 128 bytes wide, as the copy engine swizzles them.
  static constexpr int panels = size / 64;
  static constexpr int kept_panel_bytes = rows * 128;
  static constexpr int tile_panel_bytes = columns * 128;
  static constexpr int kept_bytes = panels * kept_panel_bytes;
  static constexpr int tile_bytes = panels * tile_panel_bytes;
  static constexpr int sums_bytes = over_keys ? 0 : 2 * columns * 4;  // of FlashTensors::rows, a tile
  static constexpr int kept_offset = 1024;                            // barriers come first
  static constexpr int tiles_offset = kept_offset + kept * kept_bytes;
  static constexpr int sums_offset = tiles_offset + stages * 2 * tile_bytes;
  static constexpr int shared_bytes = sums_offset + stages * sums_bytes;
  static constexpr int worker_registers = warpgroups == 2 ? 240 : 160;
  static constexpr int copier_registers = warpgroups == 2 ? 24 : 32;

  static_assert(size % 64 == 0 && columns % 64 == 0 && (1 + 2 * stages) * 8 <= kept_offset);
  static_assert(hopper ? warpgroups == 2 || warpgroups == 3 : stages == 2);
};

// The work of a block, and where its parts lie in shared memory.
template <class Tiling>
struct FlashBlock {
  unsigned char* memory;
  std::uint32_t base;
  int matrix;  // sequence x heads + head
  int row;     // first of those kept
  int first;   // of all tiles' rows
  int tiles;

  KERNEL_DEVICE FlashBlock(const FlashTensors& on, unsigned char* shared)
      : memory(shared), base(ptx::shared_address(shared)), matrix(static_cast<int>(blockIdx.y)) {
    // Blocks with most tiles come first: the last queries, or the first keys.
    const auto x = static_cast<int>(Tiling::over_keys ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
    row = x * Tiling::rows;
    first = Tiling::over_keys ? 0 : row / Tiling::columns * Tiling::columns;
    const int end = row + Tiling::rows < on.sequence && Tiling::over_keys ? row + Tiling::rows : on.sequence;
    tiles = (end - first + Tiling::columns - 1) / Tiling::columns;
  }
  [[nodiscard]] KERNEL_DEVICE int tile_row(int step) const { return first + step * Tiling::columns; }

  [[nodiscard]] KERNEL_DEVICE std::uint32_t kept(int part) const {
    return base + Tiling::kept_offset + part * Tiling::kept_bytes;
  }
  [[nodiscard]] KERNEL_DEVICE std::uint32_t tile(int step, int part) const {
    return base + Tiling::tiles_offset + (step % Tiling::stages * 2 + part) * Tiling::tile_bytes;
  }
  [[nodiscard]] static KERNEL_DEVICE int sums_offset(int step) {
    return Tiling::sums_offset + step % Tiling::stages * Tiling::sums_bytes;
  }
  [[nodiscard]] KERNEL_DEVICE const float* sums(int step) const {
    return reinterpret_cast<const float*>(memory + sums_offset(step));
  }
};

KERNEL_DEVICE int flash_lane() {
  return static_cast<int>(threadIdx.x) % 32;
}
KERNEL_DEVICE int warp_of_group() {
  return static_cast<int>(threadIdx.x) % 128 / 32;
}

// Rows from `row` on of one sequence and head, as arrays lie.
struct FlashRows {
  std::int64_t start;
  int stride;
};
KERNEL_DEVICE FlashRows rows_in_qkv(const FlashTensors& on, int matrix, FlashPart part) {
  const int parts = part == FlashPart::of_out ? 1 : 3,
            place = part == FlashPart::of_out ? 0 : static_cast<int>(part);
  const int stride = parts * on.d();
  return {static_cast<std::int64_t>(matrix / on.heads) * on.sequence * stride + place * on.d() +
              matrix % on.heads * on.size,
          stride};
}

// ---- Hopper ----

// How the copy engine sees the tensors. qkv and of_out are (size, parts x heads, sequence, batch) with boxes
// of 64 columns of 64 rows. rows is (sequence, 2 x batch x heads) with boxes of 64 of both.
struct FlashMaps {
  ptx::TensorMap qkv, of_out, rows;
};
inline ptx::TensorLayout flash_layout(int parts, int heads, int size, int sequence, int batch) {
  ptx::TensorLayout layout;
  layout.dimensions = 4;
  const auto bytes = static_cast<std::uint64_t>(size) * 2;
  const auto count = static_cast<std::uint64_t>(parts) * static_cast<std::uint64_t>(heads);
  layout.extents[0] = static_cast<std::uint64_t>(size);
  layout.extents[1] = count;
  layout.extents[2] = static_cast<std::uint64_t>(sequence);
  layout.extents[3] = static_cast<std::uint64_t>(batch);
  layout.strides[1] = bytes;
  layout.strides[2] = bytes * count;
  layout.strides[3] = bytes * count * static_cast<std::uint64_t>(sequence);
  layout.box[0] = 64;
  layout.box[2] = 64;
  return layout;
}
inline ptx::TensorLayout flash_rows_layout(int matrices, int sequence) {
  ptx::TensorLayout layout;
  layout.extents[0] = static_cast<std::uint64_t>(sequence);
  layout.extents[1] = 2 * static_cast<std::uint64_t>(matrices);
  layout.strides[1] = static_cast<std::uint64_t>(sequence) * sizeof(float);
  layout.box[0] = 64;
  layout.box[1] = 2;
  layout.swizzled = false;
  return layout;
}

// The ring of tiles by mbarriers: that of kept rows, then `full` and `empty` of each stage.
template <class Tiling>
class CopyEngineRing {
 public:
  KERNEL_DEVICE CopyEngineRing(const FlashTensors& on, const FlashBlock<Tiling>& block)
      : on_(on), block_(block) {}

  KERNEL_DEVICE void begin() const {
    if (threadIdx.x == 0) {
      ptx::mbarrier_init(block_.base, 1);
      for (int stage = 0; stage < Tiling::stages; ++stage) {
        ptx::mbarrier_init(full(stage), 1);
        ptx::mbarrier_init(empty(stage), 4 * Tiling::warpgroups);
      }
      ptx::fence_mbarrier_init();
    }
    __syncthreads();
  }

  // One thread.
  KERNEL_DEVICE void fill(const FlashMaps& maps) const {
    ptx::mbarrier_arrive_expect(block_.base, Tiling::kept * Tiling::kept_bytes);
    KERNEL_UNROLL
    for (int part = 0; part < Tiling::kept; ++part)
      load<Tiling::rows>(maps, Tiling::kept_part(part), block_.row, block_.kept(part), block_.base);
    for (int step = 0; step < block_.tiles; ++step) {
      const std::uint32_t barrier = full(step);
      // A fresh barrier has passed the round before.
      ptx::mbarrier_wait(empty(step), step / Tiling::stages % 2 ^ 1);
      ptx::mbarrier_arrive_expect(barrier, 2 * Tiling::tile_bytes + Tiling::sums_bytes);
      const int row = block_.tile_row(step);
      KERNEL_UNROLL
      for (int part = 0; part < 2; ++part)
        load<Tiling::columns>(maps, Tiling::tile_part(part), row, block_.tile(step, part), barrier);
      if constexpr (Tiling::sums_bytes > 0)
        ptx::tma_load_2d(block_.base + block_.sums_offset(step), &maps.rows, row, 2 * block_.matrix, barrier);
    }
  }

  KERNEL_DEVICE void wait_for_kept() const { ptx::mbarrier_wait(block_.base, 0); }
  KERNEL_DEVICE void wait(int step) const { ptx::mbarrier_wait(full(step), step / Tiling::stages % 2); }
  KERNEL_DEVICE void release(int step) const {
    if (flash_lane() == 0) ptx::mbarrier_arrive(empty(step));
  }

 private:
  [[nodiscard]] KERNEL_DEVICE std::uint32_t full(int step) const {
    return block_.base + 8 + step % Tiling::stages * 16;
  }
  [[nodiscard]] KERNEL_DEVICE std::uint32_t empty(int step) const { return full(step) + 8; }

  template <int Rows>
  KERNEL_DEVICE void load(const FlashMaps& maps, FlashPart part, int row, std::uint32_t to,
                          std::uint32_t barrier) const {
    const bool in_qkv = part != FlashPart::of_out;
    const ptx::TensorMap* const map = in_qkv ? &maps.qkv : &maps.of_out;
    const int head = block_.matrix % on_.heads + (in_qkv ? static_cast<int>(part) * on_.heads : 0);
    KERNEL_UNROLL
    for (int panel = 0; panel < Tiling::panels; ++panel) KERNEL_UNROLL
    for (int box = 0; box < Rows / 64; ++box)
      ptx::tma_load_4d(to + (panel * Rows + box * 64) * 128, map, panel * 64, head, row + box * 64,
                       block_.matrix / on_.heads, barrier);
  }

  const FlashTensors& on_;
  const FlashBlock<Tiling>& block_;
};

// Products of a warpgroup by wgmma. They run on after they are started, until waited for.
template <class Tiling>
struct WgmmaProducts {
  static constexpr int eight_rows = 1024;

  // scores = A B^T for 64 rows of A, which begin at `a`, and all rows of the tile at `b`.
  static KERNEL_DEVICE void start_scores(float (&scores)[Tiling::columns / 2], std::uint32_t a,
                                         std::uint32_t b) {
    ptx::wgmma_pin(scores);
    ptx::wgmma_fence();
    KERNEL_UNROLL
    for (int depth = 0; depth < Tiling::size / 16; ++depth) {
      const int panel = depth / 4, within = depth % 4 * 32;
      ptx::Wgmma<ptx::BF16, Tiling::columns>::template shared<ptx::Major::k, ptx::Major::k>(
          scores, ptx::swizzled_descriptor(a + panel * Tiling::kept_panel_bytes + within, 16, eight_rows),
          ptx::swizzled_descriptor(b + panel * Tiling::tile_panel_bytes + within, 16, eight_rows),
          depth == 0 ? 0 : 1);
    }
    ptx::wgmma_commit();
  }
  // sums += W B for 64 rows of weights and the tile at `b`.
  static KERNEL_DEVICE void start_sums(float (&sums)[Tiling::size / 2],
                                       std::uint32_t (&weights)[Tiling::columns / 16][4], std::uint32_t b) {
    ptx::wgmma_pin(sums);
    ptx::wgmma_pin(weights);
    ptx::wgmma_fence();
    KERNEL_UNROLL
    for (int depth = 0; depth < Tiling::columns / 16; ++depth)
      ptx::Wgmma<ptx::BF16, Tiling::size>::template registers<ptx::Major::mn>(
          sums, weights[depth],
          ptx::swizzled_descriptor(b + depth * 2 * eight_rows, Tiling::tile_panel_bytes, eight_rows), 1);
    ptx::wgmma_commit();
  }
  template <int Running>
  static KERNEL_DEVICE void wait() {
    ptx::wgmma_wait<Running>();
  }
  template <class Registers>
  static KERNEL_DEVICE void pin(Registers& registers) {
    ptx::wgmma_pin(registers);
  }
};

// ---- Ampere and later ----

// Two tiles by asynchronous copies of all threads.
template <class Tiling>
class CopyingRing {
 public:
  KERNEL_DEVICE CopyingRing(const FlashTensors& on, const FlashBlock<Tiling>& block)
      : on_(on), block_(block) {}

  KERNEL_DEVICE void begin() const {
    KERNEL_UNROLL
    for (int part = 0; part < Tiling::kept; ++part)
      copy<Tiling::rows>(Tiling::kept_part(part), block_.row, block_.kept(part));
    copy_tile(0);
  }
  KERNEL_DEVICE void wait_for_kept() const {}
  KERNEL_DEVICE void wait(int step) const {
    ptx::cp_async_wait<0>();
    __syncthreads();  // everyone's copies, and everyone is done with the tile before
    if (step + 1 < block_.tiles) copy_tile(step + 1);
  }
  KERNEL_DEVICE void release(int) const {}

 private:
  KERNEL_DEVICE void copy_tile(int step) const {
    const int row = block_.tile_row(step);
    KERNEL_UNROLL
    for (int part = 0; part < 2; ++part)
      copy<Tiling::columns>(Tiling::tile_part(part), row, block_.tile(step, part));
    if constexpr (Tiling::sums_bytes > 0) {
      constexpr int pieces = Tiling::columns / 4;
      for (int at = static_cast<int>(threadIdx.x); at < 2 * pieces; at += Tiling::threads) {
        const int place = row + at % pieces * 4;
        const bool inside = place < on_.sequence;
        const float* const from =
            on_.rows + (2 * static_cast<std::int64_t>(block_.matrix) + at / pieces) * on_.sequence;
        ptx::cp_async_16(block_.base + block_.sums_offset(step) + at * 16, from + (inside ? place : 0),
                         inside ? 16 : 0);
      }
    }
    ptx::cp_async_commit();
  }

  // Zeros past the sequence and past a head's columns.
  template <int Rows>
  KERNEL_DEVICE void copy(FlashPart part, int first, std::uint32_t to) const {
    constexpr int pieces = Tiling::size / 8;  // of 16 bytes, a row
    static_assert(Rows * pieces % Tiling::threads == 0);
    const FlashRows rows = rows_in_qkv(on_, block_.matrix, part);
    const std::uint16_t* const from = (part == FlashPart::of_out ? on_.of_out : on_.qkv) + rows.start;
    KERNEL_UNROLL
    for (int i = 0; i < Rows * pieces / Tiling::threads; ++i) {
      const int at = i * Tiling::threads + static_cast<int>(threadIdx.x);
      const int row = at / pieces, piece = at % pieces;
      const bool inside = first + row < on_.sequence && piece * 8 < on_.size;
      ptx::cp_async_16(to + piece / 8 * Rows * 128 + row * 128 + (piece % 8 ^ row % 8) * 16,
                       from + (inside ? static_cast<std::int64_t>(first + row) * rows.stride + piece * 8 : 0),
                       inside ? 16 : 0);
    }
  }

  const FlashTensors& on_;
  const FlashBlock<Tiling>& block_;
};

// The same products by mma.sync: 16 rows a warp. They are done when the function returns.
template <class Tiling>
struct MmaProducts {
  static KERNEL_DEVICE std::uint32_t piece_address(std::uint32_t tile, int panel_bytes, int row, int piece) {
    return tile + piece / 8 * panel_bytes + row * 128 + (piece % 8 ^ row % 8) * 16;
  }
  // Two neighbouring tiles of 8 columns, from column 8 x `tile` on.
  template <int Count>
  static KERNEL_DEVICE void multiply_pair(float (&d)[Count], int tile, const std::uint32_t (&a)[4],
                                          const std::uint32_t (&b)[4]) {
    KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      const std::uint32_t fragment[2] = {b[half * 2], b[half * 2 + 1]};
      float part[4];
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) part[i] = d[(tile + half) * 4 + i];
      ptx::mma_m16n8k16(ptx::BF16{}, part, a, fragment);
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) d[(tile + half) * 4 + i] = part[i];
    }
  }

  static KERNEL_DEVICE void start_scores(float (&scores)[Tiling::columns / 2], std::uint32_t a,
                                         std::uint32_t b) {
    const int lane = flash_lane();
    KERNEL_UNROLL
    for (float& score : scores) score = 0;
    KERNEL_UNROLL
    for (int depth = 0; depth < Tiling::size / 16; ++depth) {
      std::uint32_t rows[4];
      ptx::ldmatrix_x4(rows, piece_address(a, Tiling::kept_panel_bytes, warp_of_group() * 16 + lane % 16,
                                           depth * 2 + lane / 16));
      KERNEL_UNROLL
      for (int tile = 0; tile < Tiling::columns / 8; tile += 2) {
        // Matrices: eight rows of the tile and then the next eight, of each the two halves of the depth.
        std::uint32_t columns[4];
        ptx::ldmatrix_x4(columns,
                         piece_address(b, Tiling::tile_panel_bytes, tile * 8 + lane / 16 * 8 + lane % 8,
                                       depth * 2 + lane / 8 % 2));
        multiply_pair(scores, tile, rows, columns);
      }
    }
  }
  static KERNEL_DEVICE void start_sums(float (&sums)[Tiling::size / 2],
                                       std::uint32_t (&weights)[Tiling::columns / 16][4], std::uint32_t b) {
    const int lane = flash_lane();
    KERNEL_UNROLL
    for (int depth = 0; depth < Tiling::columns / 16; ++depth) KERNEL_UNROLL
    for (int tile = 0; tile < Tiling::size / 8; tile += 2) {
      // Matrices, transposed: two times eight rows of eight columns, then of the next eight.
      std::uint32_t columns[4];
      ptx::ldmatrix_x4_transposed(
          columns, piece_address(b, Tiling::tile_panel_bytes, depth * 16 + lane % 16, tile + lane / 16));
      multiply_pair(sums, tile, weights[depth], columns);
    }
  }
  template <int Running>
  static KERNEL_DEVICE void wait() {}
  template <class Registers>
  static KERNEL_DEVICE void pin(Registers&) {}
};

}  // namespace training
