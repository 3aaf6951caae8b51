// The CUDA kernels of attention on the CPU: the headers that nvcc compiles, in the emulator, on random shapes
// with tails, causal and not, in both element types and every order in which copies and threads may go.
#include <gmock/gmock.h>

#include <optional>
#include <random>
#include <set>

#include "kernels/attention/mma_kernel.cuh"
#include "kernels/attention/naive_kernels.cuh"
#include "kernels/attention/tiles_kernel.cuh"
#include "kernels/attention/warps_kernel.cuh"
#include "kernels/attention/wgmma_kernel.cuh"
#include "tests/emulate/memory.h"
#include "tests/kernels/attention_case.h"

namespace attention {
namespace {

using emulate::Buffer;
using emulate::Landing;
using emulate::Options;
using emulate::Order;

constexpr Options late{Landing::late, Order::forward, 1};
constexpr Options early{Landing::early, Order::last_warps, 1};
constexpr Options unfair{Landing::late, Order::first_warps, 1};
constexpr Options shuffled{Landing::late, Order::shuffled, 7};

std::span<const std::uint16_t> bits_of(const harness::sdk::HostTensor& tensor) {
  return {reinterpret_cast<const std::uint16_t*>(tensor.data.data()), tensor.data.size() / 2};
}

unsigned blocks_of(int extent, int block) {
  return static_cast<unsigned>((extent + block - 1) / block);
}

// A case with its tensors in emulated device memory.
class EmulatedCase {
 public:
  EmulatedCase(const char* dtype, const AttentionExtents& extents, bool causal, double query_factor = 1)
      : host_(attention_params(dtype, extents, causal), 3) {
    if (query_factor != 1) host_.scale_queries(query_factor);
    q_.emplace("q", bits_of(host_.tensors[q_index]));
    k_.emplace("k", bits_of(host_.tensors[k_index]));
    v_.emplace("v", bits_of(host_.tensors[v_index]));
    o_.emplace("o", bits_of(host_.output()).size());
    const Shape shape = shape_of(host_.params);
    problem = {q_->data(),
               k_->data(),
               v_->data(),
               o_->data(),
               static_cast<int>(shape.sequence),
               static_cast<int>(shape.dimension),
               causal ? 1 : 0,
               static_cast<float>(shape.scale() * 1.4426950408889634)};
    matrices = static_cast<unsigned>(shape.matrices());
    f16 = shape.dtype == harness::sdk::DType::f16;
  }

  void expect_right() {
    std::memcpy(host_.output().data.data(), o_->data(), host_.output().data.size());
    EXPECT_LE(host_.error(), host_.problem.tolerance.relative) << host_.params.text_id();
  }

  Arguments problem;
  unsigned matrices = 1;
  bool f16 = true;

 private:
  AttentionCase host_;
  std::optional<Buffer<std::uint16_t>> q_, k_, v_, o_;
};

template <class Element>
void run_naive(EmulatedCase& c, const Options& options) {
  const int s = c.problem.sequence;
  const Buffer<float> scores("scores", static_cast<std::size_t>(c.matrices) * static_cast<std::size_t>(s) *
                                           static_cast<std::size_t>(s));
  emulate::launch(options, {blocks_of(s, naive_side), blocks_of(s, naive_side), c.matrices},
                  {naive_side, naive_side, 1}, 0, &naive_scores<Element>, c.problem, scores.data());
  emulate::launch(options, {blocks_of(s, naive_softmax_rows), c.matrices, 1}, {32, naive_softmax_rows, 1}, 0,
                  &naive_softmax<Element>, c.problem, scores.data());
  emulate::launch(options, {blocks_of(c.problem.dimension, naive_side), blocks_of(s, naive_side), c.matrices},
                  {naive_side, naive_side, 1}, 0, &naive_output<Element>, c.problem, scores.data());
}

template <class Element, int D>
void run_online(EmulatedCase& c, const Options& options) {
  emulate::launch(options, {blocks_of(c.problem.sequence, online_threads), c.matrices, 1},
                  {online_threads, 1, 1}, 0, &online_kernel<Element, D>, c.problem);
}

template <class Element, int D>
void run_tiles(EmulatedCase& c, const Options& options) {
  emulate::launch(options, {blocks_of(c.problem.sequence, tiles_threads), c.matrices, 1},
                  {tiles_threads, 1, 1}, 0, &tiles_kernel<Element, D>, c.problem);
}

template <class Element, int D>
void run_warps(EmulatedCase& c, const Options& options) {
  emulate::launch(options, {blocks_of(c.problem.sequence, warps_block_queries), c.matrices, 1},
                  {32 * warps_of_block, 1, 1}, sizeof(WarpsMemory<D>), &warps_kernel<Element, D>, c.problem);
}

template <class Tiling, class Element>
void run_mma(EmulatedCase& c, const Options& options) {
  emulate::launch(options, {blocks_of(c.problem.sequence, Tiling::queries), c.matrices, 1},
                  {Tiling::threads, 1, 1}, Tiling::shared_bytes, &mma_kernel<Tiling, Element>, c.problem);
}

using Run = void (*)(EmulatedCase&, const Options&);

// Both element types, causal and not, in an order of threads and copies each.
void expect_right(Run f16, Run bf16, const AttentionExtents& extents) {
  const std::pair<bool, const char*> kinds[] = {
      {false, "f16"}, {true, "f16"}, {false, "bf16"}, {true, "bf16"}};
  const Options orders[] = {late, early, shuffled, unfair};
  for (std::size_t i = 0; i < 4; ++i) {
    EmulatedCase c(kinds[i].second, extents, kinds[i].first);
    (c.f16 ? f16 : bf16)(c, orders[i]);
    c.expect_right();
  }
}

TEST(AttentionNaive, IsRight) {
  for (const AttentionExtents& extents : {AttentionExtents{1, 1, 1, 1}, {2, 1, 17, 9}, {1, 2, 40, 24}})
    expect_right(&run_naive<ptx::F16>, &run_naive<ptx::BF16>, extents);
}

TEST(AttentionOnline, IsRight) {
  for (const AttentionExtents& extents : {AttentionExtents{1, 1, 1, 1}, {2, 1, 67, 9}, {1, 2, 40, 64}})
    expect_right(&run_online<ptx::F16, 64>, &run_online<ptx::BF16, 64>, extents);
  expect_right(&run_online<ptx::F16, 128>, &run_online<ptx::BF16, 128>, {1, 1, 33, 128});
}

TEST(AttentionTiles, IsRight) {
  for (const AttentionExtents& extents : {AttentionExtents{1, 1, 1, 1}, {2, 1, 67, 9}, {1, 2, 100, 64}})
    expect_right(&run_tiles<ptx::F16, 64>, &run_tiles<ptx::BF16, 64>, extents);
  expect_right(&run_tiles<ptx::F16, 128>, &run_tiles<ptx::BF16, 128>, {1, 1, 33, 100});
}

TEST(AttentionWarps, IsRight) {
  for (const AttentionExtents& extents : {AttentionExtents{1, 1, 1, 1}, {1, 1, 35, 9}, {1, 2, 40, 64}})
    expect_right(&run_warps<ptx::F16, 64>, &run_warps<ptx::BF16, 64>, extents);
  expect_right(&run_warps<ptx::F16, 128>, &run_warps<ptx::BF16, 128>, {1, 1, 18, 128});
}

template <class Tiling>
void expect_mma_right(const AttentionExtents& extents) {
  expect_right(&run_mma<Tiling, ptx::F16>, &run_mma<Tiling, ptx::BF16>, extents);
}

TEST(AttentionMma, TheLargeTilingIsRight) {
  expect_mma_right<MmaLarge<64>>({1, 1, 1, 64});
  expect_mma_right<MmaLarge<64>>({1, 2, 150, 64});
  expect_mma_right<MmaLarge<128>>({1, 1, 131, 128});
  expect_mma_right<MmaLarge<128>>({1, 1, 64, 128});
  expect_mma_right<MmaLarge<32>>({1, 2, 150, 32});
}

TEST(AttentionMma, WarpsThatDivideTheKeysAreRight) {
  expect_mma_right<MmaSmall<64>>({1, 1, 1, 64});
  expect_mma_right<MmaSmall<64>>({1, 1, 32, 64});
  expect_mma_right<MmaSmall<64>>({2, 1, 140, 64});
  expect_mma_right<MmaSmall<128>>({1, 1, 70, 128});
  expect_mma_right<MmaSmall<32>>({2, 1, 140, 32});
  expect_mma_right<MmaWide<32>>({1, 1, 270, 32});
  expect_mma_right<MmaWide<64>>({1, 1, 270, 64});
  expect_mma_right<MmaWide<128>>({1, 1, 140, 128});
}

// `multiprocessors`: of the device where a block takes several blocks of queries.
template <class Tiling, class Element, unsigned multiprocessors = 1>
void run_wgmma(EmulatedCase& c, const Options& options) {
  const Arguments& p = c.problem;
  const auto map = [&](const std::uint16_t* tensor, int rows) {
    return ptx::make_tensor_map<Element>(
        tensor, wgmma_layout(p.dimension, p.sequence, static_cast<int>(c.matrices), rows));
  };
  const ptx::TensorMap q = map(p.q, Tiling::queries), k = map(p.k, Tiling::keys), v = map(p.v, Tiling::keys);
  const auto launch = [&](dim3 grid, auto kernel, const auto&... arguments) {
    emulate::launch(options, grid, {Tiling::threads, 1, 1}, Tiling::shared_bytes, kernel, arguments...);
  };
  if constexpr (Tiling::is_queue)
    launch({multiprocessors, 1, 1}, &wgmma_queue_kernel<Tiling, Element>,
           QueuedArguments{p, static_cast<int>(c.matrices)}, q, k, v, map(p.o, Tiling::result_rows));
  else
    launch({blocks_of(p.sequence, Tiling::queries), c.matrices, 1}, &wgmma_kernel<Tiling, Element>, p, q, k,
           v);
}

template <class Tiling, unsigned multiprocessors = 1>
void expect_wgmma_right(const AttentionExtents& extents) {
  expect_right(&run_wgmma<Tiling, ptx::F16, multiprocessors>, &run_wgmma<Tiling, ptx::BF16, multiprocessors>,
               extents);
}

TEST(AttentionRungs, AreRightOnRandomShapes) {
  std::mt19937 random(20);
  for (int i = 0; i < 3; ++i) {
    const auto draw = [&](std::int64_t most) {
      return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    const AttentionExtents any{draw(2), draw(2), draw(50), draw(64)};
    expect_right(&run_naive<ptx::F16>, &run_naive<ptx::BF16>, any);
    expect_right(&run_online<ptx::F16, 64>, &run_online<ptx::BF16, 64>, any);
    expect_right(&run_tiles<ptx::F16, 64>, &run_tiles<ptx::BF16, 64>, any);
    expect_right(&run_warps<ptx::F16, 64>, &run_warps<ptx::BF16, 64>, {1, 1, draw(40), draw(64)});
    expect_mma_right<MmaLarge<64>>({1, 1, draw(160), 64});
    expect_mma_right<MmaSmall<64>>({1, 1, draw(160), 64});
    expect_wgmma_right<Wgmma64>({1, 1, draw(300), 64});
  }
}

// Scores of some hundreds: without the running maximum the weights are infinite.
TEST(AttentionMma, LargeScoresAreRight) {
  for (const bool causal : {false, true}) {
    EmulatedCase c("f16", {1, 1, 150, 64}, causal, 300);
    run_mma<MmaLarge<64>, ptx::F16>(c, late);
    c.expect_right();
    EmulatedCase divided("f16", {1, 1, 150, 64}, causal, 300);
    run_mma<MmaSmall<64>, ptx::F16>(divided, late);
    divided.expect_right();
  }
}

TEST(AttentionMma, TheTilingFillsTheDevice) {
  EXPECT_EQ(choose_mma(32, 512, 132), MmaChoice::large);
  EXPECT_EQ(choose_mma(1, 32, 132), MmaChoice::small);
  EXPECT_EQ(choose_mma(8, 128, 132), MmaChoice::small);
  EXPECT_EQ(choose_mma(1, 256, 132), MmaChoice::wide);
  EXPECT_EQ(choose_mma(1, 512, 132), MmaChoice::wide);
  EXPECT_EQ(choose_mma(1, 8448, 132), MmaChoice::large);
  EXPECT_EQ(choose_mma(1, 8320, 132), MmaChoice::wide);
}

TEST(AttentionWgmma, ThreeWarpgroupsAreRight) {
  expect_wgmma_right<WgmmaTiling<64, 3, 2>>({2, 1, 300, 64});
}

// More tiles of keys than the ring has stages, so that it wraps.
TEST(AttentionWgmma, TwoWarpgroupsAreRight) {
  expect_wgmma_right<Wgmma64>({1, 1, 1, 64});
  expect_wgmma_right<Wgmma64>({2, 1, 300, 64});
  expect_wgmma_right<Wgmma32>({1, 1, 1, 32});
  expect_wgmma_right<Wgmma32>({2, 1, 300, 32});
  expect_wgmma_right<Wgmma128>({1, 1, 64, 128});
  expect_wgmma_right<Wgmma128>({1, 1, 520, 128});
}

// Few blocks take many blocks of queries, of one tile and of several. The last round has fewer than blocks.
TEST(AttentionWgmma, BlocksThatTakeSeveralBlocksOfQueriesAreRight) {
  expect_wgmma_right<Queue64, 1>({2, 1, 300, 64});
  expect_wgmma_right<Queue64, 3>({5, 1, 140, 64});
  expect_wgmma_right<Queue64, 4>({5, 1, 70, 64});
  expect_wgmma_right<Queue64, 2>({1, 1, 600, 64});
  expect_wgmma_right<Queue128, 2>({2, 1, 390, 128});
}

// Each block of queries exactly once, whatever the grid.
TEST(AttentionWgmma, AQueueLeavesNothingOut) {
  for (const int matrices : {1, 3, 8})
    for (const int sequence : {1, 128, 500, 512})
      for (const unsigned grid : {1U, 2U, 4U, 7U}) {
        const QueuedArguments problem{{.sequence = sequence, .causal = 1}, matrices};
        const int of_matrix = (sequence + Queue64::queries - 1) / Queue64::queries;
        if (static_cast<int>(grid) > of_matrix * matrices) continue;
        std::multiset<std::pair<int, int>> taken;
        emulate::launch(
            late, {grid, 1, 1}, {1, 1, 1}, 0,
            +[](const QueuedArguments& arguments, std::multiset<std::pair<int, int>>* to) {
              for (WgmmaQueue<Queue64> tiles(arguments);; tiles.next(arguments)) {
                to->emplace(tiles.matrix, tiles.query);
                EXPECT_EQ(tiles.count, tiles.query / Queue64::keys + 1);
                if (tiles.is_last()) return;
              }
            },
            problem, &taken);
        EXPECT_EQ(taken.size(), static_cast<std::size_t>(of_matrix * matrices));
        EXPECT_EQ(std::set(taken.begin(), taken.end()).size(), taken.size());
      }
}

TEST(AttentionWgmma, AQueueIsForManyBlocksWithFewKeys) {
  EXPECT_TRUE(takes_queue(512, 64, true, 1024, 132));
  EXPECT_TRUE(takes_queue(2048, 128, true, 1024, 132));
  EXPECT_TRUE(takes_queue(16384, 64, false, 1024, 132));
  EXPECT_FALSE(takes_queue(4096, 64, true, 1024, 132));
  EXPECT_FALSE(takes_queue(4096, 128, false, 1024, 132));
  EXPECT_FALSE(takes_queue(512, 64, true, 132, 132));
  EXPECT_FALSE(takes_queue(512, 32, true, 1024, 132)) << "never measured";
}

TEST(AttentionWgmma, LargeScoresAreRight) {
  EmulatedCase c("f16", {1, 1, 260, 64}, true, 300);
  run_wgmma<Wgmma64, ptx::F16>(c, late);
  c.expect_right();
  EmulatedCase queued("f16", {1, 2, 260, 64}, true, 300);
  run_wgmma<Queue64, ptx::F16>(queued, late);
  queued.expect_right();
}

}  // namespace
}  // namespace attention
