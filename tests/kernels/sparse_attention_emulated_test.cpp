// The CUDA kernels of sparse_attention in the emulator: blocks chosen bit by bit as on the host, and
// attention over lists of blocks against the workload's oracle.
#include <gmock/gmock.h>

#include <cstring>

#include "kernels/sparse_attention/blocks_kernel.cuh"
#include "kernels/sparse_attention/choose_kernels.cuh"
#include "tests/emulate/memory.h"
#include "tests/kernels/sparse_attention_case.h"

namespace sparse_attention {
namespace {

using emulate::Buffer;
using emulate::Landing;
using emulate::Options;
using emulate::Order;

constexpr Options late{Landing::late, Order::forward, 1};
constexpr Options shuffled{Landing::late, Order::shuffled, 7};

Buffer<std::uint16_t> halves(const char* name, const harness::sdk::HostTensor& tensor) {
  return Buffer<std::uint16_t>(
      name, std::span(reinterpret_cast<const std::uint16_t*>(tensor.data.data()), tensor.data.size() / 2));
}

template <class Tiling>
void expect_right(const SparseAttentionCase& one, const Options& options) {
  FilledSparseAttention filled(one);
  SCOPED_TRACE(filled.params.text_id());
  const Shape& shape = filled.shape;
  const Buffer<std::uint16_t> q = halves("q", filled.inputs[0]), k = halves("k", filled.inputs[1]),
                              v = halves("v", filled.inputs[2]);
  const Buffer<std::uint16_t> o("o", filled.output().data.size() / 2);
  const std::vector<std::int32_t> lists = filled.kept();
  const Buffer<int> kept("kept", std::span(lists.data(), lists.size()));
  Arguments problem;
  problem.o = o.data();
  problem.kept = kept.data();
  problem.sequence = static_cast<int>(shape.sequence);
  problem.dimension = static_cast<int>(shape.dimension);
  problem.lists = static_cast<int>(shape.lists());
  problem.count = static_cast<int>(shape.kept());
  problem.scale2 = static_cast<float>(1.4426950408889634 * shape.scale());
  const auto map_of = [&](const Buffer<std::uint16_t>& tensor, int rows) {
    return ptx::make_tensor_map<ptx::F16>(tensor.data(),
                                          attention::wgmma_layout(problem.dimension, problem.sequence,
                                                                  static_cast<int>(shape.matrices()), rows));
  };
  emulate::launch(options,
                  {static_cast<unsigned>(shape.blocks()), static_cast<unsigned>(shape.matrices()), 1},
                  {Tiling::threads, 1, 1}, Tiling::shared_bytes, blocks_kernel<Tiling>, problem,
                  map_of(q, Tiling::queries), map_of(k, Tiling::keys), map_of(v, Tiling::keys));
  std::memcpy(filled.output().data.data(), o.data(), filled.output().data.size());
  EXPECT_LE(filled.error(), filled.problem.tolerance.relative);
}

using attention::Wgmma128;
using attention::Wgmma64;

TEST(BlocksKernel, IsRightOnTails) {
  expect_right<Wgmma64>({.s = 1}, late);
  expect_right<Wgmma64>({.s = 300, .h = 2}, shuffled);
  expect_right<Wgmma64>({.pattern = "banded", .sparsity = 50, .s = 600, .h = 2}, late);
  expect_right<Wgmma128>({.pattern = "strided", .sparsity = 50, .s = 520, .d = 128}, shuffled);
  expect_right<Wgmma64>({.pattern = "learned", .sparsity = 75, .s = 530, .b = 2}, late);
  expect_right<Wgmma128>({.pattern = "threshold", .sparsity = 60, .s = 700, .d = 128}, late);
}

template <int Dimension>
void expect_chosen(std::int64_t s, std::int64_t h, std::int64_t sparsity) {
  FilledSparseAttention one({.pattern = "threshold", .sparsity = sparsity, .s = s, .d = Dimension, .h = h});
  SCOPED_TRACE(one.params.text_id());
  const Shape& shape = one.shape;
  const Buffer<std::uint16_t> q = halves("q", one.inputs[0]), k = halves("k", one.inputs[1]);
  const Buffer<std::int8_t> codes(
      "codes", static_cast<std::size_t>(2 * shape.matrices() * shape.blocks() * Dimension));
  const std::vector<std::int32_t> expected = one.kept();
  const Buffer<int> kept("kept", expected.size());
  const auto blocks = static_cast<unsigned>(shape.blocks());
  const auto matrices = static_cast<unsigned>(shape.matrices());
  const float last = code_scale / static_cast<float>(s - (shape.blocks() - 1) * block);
  const PoolArguments pool{q.data(), k.data(), codes.data(), static_cast<int>(s), code_scale / 128, last, 0};
  emulate::launch(shuffled, {blocks, matrices, 2}, {Dimension}, 0, pool_kernel<Dimension>, pool);
  emulate::launch(shuffled, {blocks, matrices}, {choosing_threads}, 0, choose_kernel<Dimension>, codes.data(),
                  kept.data(), static_cast<int>(blocks), static_cast<int>(shape.kept()));
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(kept[i], expected[i]) << i;
}

TEST(ChooseKernels, ChooseWhatTheHostChooses) {
  expect_chosen<64>(900, 2, 50);
  expect_chosen<128>(129, 1, 50);
  expect_chosen<64>(140 * 128 - 5, 1, 90);
}

}  // namespace
}  // namespace sparse_attention
