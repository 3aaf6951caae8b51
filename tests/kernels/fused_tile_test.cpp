// The fused Tensor-Core kernel of linear_gelu, run on the CPU: the code of fused_tile.h over a Lane that
// does what PTX says the instructions do, one CPU thread for each thread of a block.
#include "kernels/linear_gelu/fused_tile.h"

#include <gmock/gmock.h>

#include <barrier>
#include <cstring>
#include <deque>
#include <set>
#include <thread>

#include "kernels/linear_gelu/linear_gelu.h"
#include "tests/kernels/linear_gelu_case.h"

namespace {

using namespace linear_gelu;
using harness::sdk::DType;

// When an asynchronous copy lands: as early as the hardware may do it, or as late.
enum class Landing { early, late };

struct WarpState {
  WarpState() : barrier(32) {}
  std::barrier<> barrier;
  int offsets[32] = {};
  std::uint32_t x[32][4] = {};
  std::uint32_t w[32][2] = {};
};

struct BlockState {
  BlockState(int threads, int bytes) : barrier(threads), warps(static_cast<std::size_t>(threads / 32)) {
    memory.resize(static_cast<std::size_t>(bytes / 16));
    std::memset(memory.data(), 0xFF, memory.size() * sizeof(Piece));  // NaN in both element types
  }
  std::barrier<> barrier;
  std::vector<WarpState> warps;
  std::vector<Piece> memory;
};

class HostLane {
 public:
  HostLane(BlockState& block, int thread, DType dtype, Gelu form, Landing landing)
      : block_(block), thread_(thread), dtype_(dtype), form_(form), landing_(landing) {}

  [[nodiscard]] int thread() const { return thread_; }
  [[nodiscard]] void* shared(int offset) const {
    if (offset < 0 || offset >= static_cast<int>(block_.memory.size() * 16)) std::abort();
    return reinterpret_cast<std::byte*>(block_.memory.data()) + offset;
  }

  void copy_piece(int offset, const std::uint16_t* from, int bytes) {
    if (offset % 16 != 0 || (bytes != 0 && reinterpret_cast<std::uintptr_t>(from) % 16 != 0)) std::abort();
    open_.push_back({offset, from, bytes});
    if (landing_ == Landing::early) land(open_.back());
  }
  void end_copy_group() {
    groups_.push_back(std::move(open_));
    open_.clear();
  }
  template <int Pending>
  void wait_for_copies() {
    for (; groups_.size() > Pending; groups_.pop_front())
      if (landing_ == Landing::late)
        for (const Copy& copy : groups_.front()) land(copy);
  }
  void sync_block() { block_.barrier.arrive_and_wait(); }
  void sync_warp() { warp().barrier.arrive_and_wait(); }

  // ldmatrix: matrix i's row r is where thread 8i + r points; this thread gets columns 2q, 2q+1 of row g.
  void load_matrices(int offset, std::uint32_t (&to)[4]) {
    publish(offset);
    for (int i = 0; i < 4; ++i) std::memcpy(&to[i], shared(warp().offsets[i * 8 + group()] + quad() * 4), 4);
    sync_warp();
  }
  // ldmatrix.trans: rows 2q, 2q+1 of column g.
  void load_matrices_transposed(int offset, std::uint32_t (&to)[4]) {
    publish(offset);
    for (int i = 0; i < 4; ++i) {
      std::uint16_t halves[2];
      for (int h = 0; h < 2; ++h)
        std::memcpy(&halves[h], shared(warp().offsets[i * 8 + quad() * 2 + h] + group() * 2), 2);
      to[i] = halves[0] | static_cast<std::uint32_t>(halves[1]) << 16;
    }
    sync_warp();
  }

  // mma.m16n8k16, fragments as in the PTX ISA.
  void multiply(float (&sums)[4], const std::uint32_t (&x)[4], const std::uint32_t (&w)[2]) {
    std::copy(x, x + 4, warp().x[thread_ % 32]);
    std::copy(w, w + 2, warp().w[thread_ % 32]);
    sync_warp();
    for (int i = 0; i < 4; ++i) {
      const int row = group() + i / 2 * 8;
      const int column = quad() * 2 + i % 2;
      double sum = static_cast<double>(sums[i]);
      for (int p = 0; p < 16; ++p) sum += x_element(row, p) * w_element(p, column);
      sums[i] = static_cast<float>(sum);
    }
    sync_warp();
  }

  [[nodiscard]] float widen(std::uint16_t bits) const {
    return dtype_ == DType::f16 ? harness::sdk::float_from_f16(bits) : harness::sdk::float_from_bf16(bits);
  }
  [[nodiscard]] std::uint32_t narrow(float low, float high) const {
    return narrow(low) | static_cast<std::uint32_t>(narrow(high)) << 16;
  }
  [[nodiscard]] float gelu(float value) const {
    return static_cast<float>(linear_gelu::gelu(static_cast<double>(value), form_));
  }

 private:
  struct Copy {
    int offset;
    const std::uint16_t* from;
    int bytes;
  };

  [[nodiscard]] WarpState& warp() const { return block_.warps[static_cast<std::size_t>(thread_ / 32)]; }
  [[nodiscard]] int group() const { return thread_ % 32 / 4; }
  [[nodiscard]] int quad() const { return thread_ % 4; }
  void publish(int offset) {
    warp().offsets[thread_ % 32] = offset;
    sync_warp();
  }
  void land(const Copy& copy) const {
    Piece piece = {};
    std::memcpy(&piece, copy.from, static_cast<std::size_t>(copy.bytes));
    std::memcpy(shared(copy.offset), &piece, sizeof piece);
  }
  [[nodiscard]] std::uint16_t narrow(float value) const {
    return dtype_ == DType::f16 ? harness::sdk::f16_from_float(value) : harness::sdk::bf16_from_float(value);
  }
  [[nodiscard]] double half_of(std::uint32_t pair, int which) const {
    return static_cast<double>(widen(static_cast<std::uint16_t>(pair >> (16 * which))));
  }
  [[nodiscard]] double x_element(int row, int p) const {
    return half_of(warp().x[row % 8 * 4 + p % 8 / 2][row / 8 + p / 8 * 2], p % 2);
  }
  [[nodiscard]] double w_element(int p, int column) const {
    return half_of(warp().w[column * 4 + p % 8 / 2][p / 8], p % 2);
  }

  BlockState& block_;
  int thread_;
  DType dtype_;
  Gelu form_;
  Landing landing_;
  std::vector<Copy> open_;
  std::deque<std::vector<Copy>> groups_;
};

// A copy of a tensor that goes on with NaNs: whatever is read past its end shows in the result.
class Guarded {
 public:
  explicit Guarded(const harness::sdk::HostTensor& tensor)
      : pieces_(tensor.data.size() / sizeof(Piece) + 17) {
    std::memset(pieces_.data(), 0xFF, pieces_.size() * sizeof(Piece));
    std::memcpy(pieces_.data(), tensor.data.data(), tensor.data.size());
  }
  [[nodiscard]] const std::uint16_t* data() const {
    return reinterpret_cast<const std::uint16_t*>(pieces_.data());
  }

 private:
  std::vector<Piece> pieces_;
};

template <class Tile, bool Aligned>
void run_grid(LinearGeluCase& c, Landing landing) {
  const Shape shape = shape_of(c.params);
  const Guarded x(c.tensors[x_index]);
  const Guarded w(c.tensors[w_index]);
  const Guarded bias(c.tensors[bias_index]);
  FusedArguments problem;
  problem.x = x.data();
  problem.w = w.data();
  problem.bias = bias.data();
  problem.y = reinterpret_cast<std::uint16_t*>(c.tensors[y_index].data.data());
  problem.m = static_cast<int>(shape.m);
  problem.n = static_cast<int>(shape.n);
  problem.k = static_cast<int>(shape.k);
  const int tiles_down = static_cast<int>(tiles_of(shape.m, Tile::block_rows));
  const int tiles_across = static_cast<int>(tiles_of(shape.n, Tile::block_columns));
  for (int block = 0; block < tiles_down * tiles_across; ++block) {
    BlockState state(Tile::threads, Tile::shared_bytes);
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < Tile::threads; ++thread)
      threads.emplace_back([&, thread] {
        HostLane lane(state, thread, shape.dtype, shape.gelu, landing);
        FusedTile<Tile, Aligned, HostLane>::run(lane, problem,
                                                tile_position(block, tiles_down, tiles_across));
      });
  }
}

template <class Tile, bool Aligned>
void expect_right(const char* dtype, std::int64_t m, std::int64_t n, std::int64_t k, Landing landing,
                  const char* gelu = "tanh") {
  LinearGeluCase c(linear_gelu_params(dtype, m, n, k, gelu), 3);
  run_grid<Tile, Aligned>(c, landing);
  // One rounding, to the element type, is all that may separate the two: half the tolerance.
  EXPECT_LE(c.error(), c.problem.tolerance.relative / 2) << c.params.text_id();
}

// More slots of k than the ring has and a tail, so that it wraps; a tile and a tail across.
TEST(FusedTile, SmallTilesAreRightWhenCopiesLandLate) {
  expect_right<SmallTiling, true>("f16", 72, 72, 328, Landing::late);
}
TEST(FusedTile, SmallTilesAreRightWhenCopiesLandEarly) {
  expect_right<SmallTiling, true>("bf16", 40, 72, 328, Landing::early);
}
TEST(FusedTile, SquareTilesAreRight) {
  expect_right<SquareTiling, true>("f16", 137, 72, 168, Landing::late);
}
TEST(FusedTile, SquareTilesAreRightWhenCopiesLandEarly) {
  expect_right<SquareTiling, true>("bf16", 120, 136, 168, Landing::early, "erf");
}
TEST(FusedTile, WideTilesAreRight) {
  expect_right<WideTiling, true>("bf16", 65, 264, 72, Landing::late);
}
TEST(FusedTile, WideTilesAreRightWhenCopiesLandEarly) {
  expect_right<WideTiling, true>("f16", 128, 256, 160, Landing::early);
}
TEST(FusedTile, OddExtentsAreRight) {
  expect_right<SmallTiling, false>("f16", 1, 1, 1, Landing::late);
  expect_right<SmallTiling, false>("bf16", 3, 5, 7, Landing::late);
  expect_right<SmallTiling, false>("f16", 17, 33, 65, Landing::early, "erf");
  expect_right<SmallTiling, false>("bf16", 33, 67, 331, Landing::late);
}
TEST(FusedTile, ExtentsShorterThanAnyTileAreRight) {
  expect_right<SmallTiling, true>("f16", 1, 8, 8, Landing::late);
  expect_right<WideTiling, true>("f16", 2, 8, 8, Landing::late);
}

template <int Pieces>
void expect_no_bank_conflicts() {
  std::set<int> all;
  for (int row = 0; row < 64; ++row)
    for (int piece = 0; piece < Pieces; ++piece) {
      const int offset = piece_offset<Pieces>(row, piece);
      EXPECT_TRUE(offset >= 0 && offset < 64 * Pieces * 16 && offset % 16 == 0);
      all.insert(offset);
    }
  EXPECT_EQ(all.size(), 64U * Pieces) << "two pieces share a place";
  for (int row = 0; row < 64; row += 8)
    for (int piece = 0; piece < Pieces; ++piece) {
      std::set<int> banks;
      for (int r = 0; r < 8; ++r) banks.insert(piece_offset<Pieces>(row + r, piece) / 16 % 8);
      EXPECT_EQ(banks.size(), 8U) << Pieces << " pieces, rows from " << row << ", piece " << piece;
    }
}

TEST(PieceOffset, EightRowsOfAColumnLieInEightGroupsOfBanks) {
  expect_no_bank_conflicts<4>();
  expect_no_bank_conflicts<8>();
  expect_no_bank_conflicts<16>();
  expect_no_bank_conflicts<32>();
}

TEST(TilePosition, EveryTileHasExactlyOneBlock) {
  for (const int down : {1, 7, 8, 9, 23})
    for (const int across : {1, 2, 13}) {
      std::set<std::pair<int, int>> seen;
      for (int block = 0; block < down * across; ++block) {
        const TilePosition at = tile_position(block, down, across);
        EXPECT_TRUE(at.down >= 0 && at.down < down && at.across >= 0 && at.across < across);
        seen.emplace(at.down, at.across);
      }
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(down * across)) << down << " x " << across;
    }
}

TEST(TilePosition, NeighbouringBlocksShareAGroupOfEightRows) {
  for (int block = 0; block < 8 * 5; ++block) EXPECT_LT(tile_position(block, 16, 5).down, 8);
  EXPECT_EQ(tile_position(40, 16, 5).down, 8);
}

TEST(ChooseTiling, TakesTheLargestTilesThatFillTheDevice) {
  EXPECT_EQ(choose_tiling(8192, 4096, 4096, 132), TilingChoice::wide);
  EXPECT_EQ(choose_tiling(2048, 1152, 1024, 132), TilingChoice::square);
  EXPECT_EQ(choose_tiling(512, 1024, 1024, 132), TilingChoice::small);
  EXPECT_EQ(choose_tiling(8192, 4095, 4096, 132), TilingChoice::small_unaligned);
  EXPECT_EQ(choose_tiling(8192, 4096, 4100, 132), TilingChoice::small_unaligned);
}

}  // namespace
