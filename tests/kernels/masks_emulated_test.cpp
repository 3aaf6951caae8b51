// The CUDA kernel of masks in the emulator: the header that NVRTC compiles, with a rule that evaluates the
// case's expressions, on lists of tiles as the variants make them.
#include <gmock/gmock.h>

#include <cstring>
#include <optional>

#include "kernels/masks/tile_lists.cuh"
#include "tests/emulate/memory.h"
#include "tests/kernels/masks_case.h"

namespace masks {
namespace {

using emulate::Buffer;
using emulate::Landing;
using emulate::Options;
using emulate::Order;

// It stands in for the text that NVRTC compiles.
template <bool dense, bool changes>
struct EvaluatedRule {
  static constexpr bool is_dense = dense;
  static constexpr bool changes_scores = changes;
  static constexpr bool score_reads_documents = true;
  static inline ExpressionRows<float>* mask = nullptr;
  static inline ExpressionRows<float>* score_rows = nullptr;
  static bool seen(int q, int k, int head, int, int, const int*) {
    std::uint8_t seen = 0;
    mask->seen(head, q, k, 1, &seen);
    return seen != 0;
  }
  static float score(float score, int q, int k, int head, int, int, const int*) {
    score_rows->change(head, q, k, 1, &score);
    return score;
  }
};

template <class Element>
std::span<const Element> span_of(const std::vector<Element>& list) {
  return {list.data(), list.size()};
}

// The kernel's name has to be that of a function with these parameters.
template <class Tiles, class Element>
void emulated_kernel(const Arguments problem, const ptx::TensorMap q, const ptx::TensorMap k,
                     const ptx::TensorMap v) {
  attention::wgmma_attention<Tiles, Element>(problem, &q, &k, &v);
}

template <class Tiling, class Element, class Rule>
double emulated_error(const MaskCase& one, const Options& options) {
  FilledMasks filled(one);
  const Shape shape = shape_of(filled.params);
  const Rules rules(shape);
  ExpressionRows<float> mask(rules.mask(), rules.domain());
  ExpressionRows<float> score(rules.score(), rules.domain());
  Rule::mask = &mask;
  Rule::score_rows = &score;
  const BlockMap map(rules, Tiling::queries, Tiling::keys);
  const TileLists lists = Rule::is_dense ? all_tiles(map) : tile_lists(map, shape.sequence, Tiling::keys);
  const std::int64_t words = map.key_blocks * Tiling::keys / 32;
  const auto bits_of = [](const harness::sdk::HostTensor& tensor) {
    return std::span(reinterpret_cast<const std::uint16_t*>(tensor.data.data()), tensor.data.size() / 2);
  };
  const Buffer<std::uint16_t> q("q", bits_of(filled.tensors[q_index]));
  const Buffer<std::uint16_t> k("k", bits_of(filled.tensors[k_index]));
  const Buffer<std::uint16_t> v("v", bits_of(filled.tensors[v_index]));
  const Buffer<std::uint16_t> o("o", bits_of(filled.output()).size());
  const Buffer<Row> rows("rows", span_of(lists.rows));
  const Buffer<int> tiles("tiles", span_of(lists.tiles));
  const Buffer<int> documents("documents", span_of(rules.documents()));
  const Buffer<std::uint32_t> dense("dense", span_of(mask_bits(rules, map.heads, words)));
  Arguments problem;
  problem.o = o.data();
  problem.rows = rows.data();
  problem.tiles = tiles.data();
  problem.documents = documents.data();
  problem.dense = dense.data();
  problem.sequence = static_cast<int>(shape.sequence);
  problem.dimension = static_cast<int>(shape.dimension);
  problem.heads = static_cast<int>(shape.heads);
  problem.map_heads = static_cast<int>(map.heads);
  problem.dense_words = static_cast<int>(words);
  problem.scale = static_cast<float>(shape.scale());
  problem.scale2 = static_cast<float>(1.4426950408889634 * (Rule::changes_scores ? 1.0 : shape.scale()));
  const auto tensor_map = [&](const Buffer<std::uint16_t>& tensor, int box) {
    return ptx::make_tensor_map<Element>(tensor.data(),
                                         attention::wgmma_layout(problem.dimension, problem.sequence,
                                                                 static_cast<int>(shape.matrices()), box));
  };
  emulate::launch(
      options, {static_cast<unsigned>(map.query_blocks), static_cast<unsigned>(shape.matrices()), 1},
      {Tiling::threads, 1, 1}, Tiling::shared_bytes, &emulated_kernel<MaskedTiles<Tiling, Rule>, Element>,
      problem, tensor_map(q, Tiling::queries), tensor_map(k, Tiling::keys), tensor_map(v, Tiling::keys));
  std::memcpy(filled.output().data.data(), o.data(), filled.output().data.size());
  const double error = filled.error();
  EXPECT_LE(error, filled.problem.tolerance.relative) << filled.params.text_id();
  return error;
}

constexpr Options late{Landing::late, Order::forward, 1};
constexpr Options shuffled{Landing::late, Order::shuffled, 7};

template <class Tiling, class Element>
void expect_right_masks(const MaskCase& one, const Options& options) {
  const bool changes = one.score != "score";
  if (changes) {
    emulated_error<Tiling, Element, EvaluatedRule<false, true>>(one, options);
    emulated_error<Tiling, Element, EvaluatedRule<true, true>>(one, options);
  } else {
    emulated_error<Tiling, Element, EvaluatedRule<false, false>>(one, options);
    emulated_error<Tiling, Element, EvaluatedRule<true, false>>(one, options);
  }
}

using attention::Wgmma128;
using attention::Wgmma64;

TEST(MaskedAttention, IsRightOnTails) {
  expect_right_masks<Wgmma64, ptx::F16>({.mask = "k <= q", .s = 1}, late);
  expect_right_masks<Wgmma64, ptx::F16>({.mask = "k <= q && q - k < 140", .s = 300, .h = 2}, shuffled);
  expect_right_masks<Wgmma128, ptx::BF16>(
      {.mask = "document(q) == document(k)", .s = 400, .d = 128, .documents = 3, .dtype = "bf16"}, late);
  expect_right_masks<Wgmma64, ptx::BF16>({.mask = "k < 70 || k <= q", .s = 257, .b = 2, .dtype = "bf16"},
                                         late);
}

// Lists differ by head; some queries, and a whole block of them, see nothing and get zeros.
TEST(MaskedAttention, IsRightWhereHeadsDifferAndQueriesSeeNothing) {
  expect_right_masks<Wgmma64, ptx::F16>({.mask = "q - k < 60 * head && k <= q", .s = 200, .h = 2}, shuffled);
  expect_right_masks<Wgmma64, ptx::F16>({.mask = "k < q && q < 100", .s = 300}, late);
}

TEST(MaskedAttention, IsRightWithScoresThatChange) {
  expect_right_masks<Wgmma64, ptx::F16>(
      {.mask = "k <= q", .score = "score - exp2(-8.0 * (head + 1) / heads) * (q - k)", .s = 270, .h = 2},
      late);
  expect_right_masks<Wgmma128, ptx::F16>({.score = "2 * tanh(score / 2)", .s = 140, .d = 128}, late);
}

TEST(MaskedAttention, LeavesOutTilesWithoutASeenKey) {
  const Rules rules(shape_of(masks_params({.mask = "k <= q && q - k < 128", .s = 1000})));
  const TileLists lists = tile_lists(BlockMap(rules, 128, 128), 1000, 128);
  ASSERT_EQ(lists.rows.size(), 8U);
  EXPECT_EQ(lists.tiles.size(), 15U);
  EXPECT_EQ(lists.rows.front().queries, 7);  // as many as the others but the first, and the last one
  EXPECT_EQ(lists.rows.front().first, entry_of(7, true));
  EXPECT_EQ(lists.rows.back().queries, 0);
  EXPECT_EQ(lists.rows.back().count, 1);
  const Rules all(shape_of(masks_params({.mask = "true", .s = 200})));
  EXPECT_THAT(
      tile_lists(BlockMap(all, 128, 128), 200, 128).tiles,
      testing::ElementsAre(entry_of(1, true), entry_of(0, false), entry_of(1, true), entry_of(0, false)));
}

}  // namespace
}  // namespace masks
