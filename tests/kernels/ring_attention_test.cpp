// ring_attention: its description, the threads, and its kernel in the emulator, a launch for each GPU and
// step.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <span>

#include "kernels/ring_attention/ring_attention.h"
#include "kernels/ring_attention/ring_kernel.cuh"
#include "tests/emulate/memory.h"
#include "tests/kernels/multi_gpu_case.h"

void register_workload_ring_attention(harness::sdk::Registry&);
void register_variant_ring_attention_threads(harness::sdk::Registry&);

namespace ring_attention {
namespace {

using harness::sdk::Params;
using harness::sdk::Value;

Params params_of(const std::string& dtype, std::int64_t gpus, std::int64_t h, std::int64_t s,
                 std::int64_t d) {
  return Params(
      {{"dtype", Value{dtype}}, {"gpus", Value{gpus}}, {"h", Value{h}}, {"s", Value{s}}, {"d", Value{d}}});
}

TEST(RingAttention, EachGpuSendsItsKeysAndValuesToAllOthers) {
  const MultiGpuCase c(register_workload_ring_attention, params_of("bf16", 4, 2, 64, 8));
  EXPECT_EQ(c.problem.gpus, 4);
  ASSERT_EQ(c.problem.tensors.size(), 16U);
  EXPECT_EQ(c.problem.tensors[13].name, "k3");
  EXPECT_EQ(c.problem.tensors[13].gpu, 3);
  EXPECT_EQ(c.problem.tensors[13].elements(), 2 * 16 * 8);
  EXPECT_EQ(c.problem.work.link_bytes, 3 * 2 * 2 * (2 * 16 * 8));
  EXPECT_EQ(c.problem.work.flops, 4.0 * 2 * 64 * 64 * 8);
  EXPECT_EQ(c.problem.work.items, 64);
}

TEST(RingAttention, OneSequenceHasOneAnswerOnAnyNumberOfGpus) {
  const MultiGpuCase one(register_workload_ring_attention, params_of("f16", 1, 1, 24, 8));
  MultiGpuCase three(register_workload_ring_attention, params_of("f16", 3, 1, 24, 8));
  std::vector<harness::sdk::HostTensor> parts, whole;
  for (const std::size_t input : {q_index, k_index, v_index}) whole.push_back(one.tensors[input]);
  for (std::size_t gpu = 0; gpu < 3; ++gpu)
    for (const std::size_t input : {q_index, k_index, v_index}) {
      parts.push_back(three.tensors[gpu * tensors_of_gpu + input]);
      for (std::int64_t i = 0; i < 64; ++i)
        parts.back().set(i, whole[input].at(static_cast<std::int64_t>(gpu) * 64 + i));
    }
  const std::vector<std::int64_t> in_part{5, 63}, in_whole{2 * 64 + 5, 2 * 64 + 63};
  std::vector<double> from_part(2), from_whole(2);
  three.workload().reference(three.params, parts, 2, in_part, from_part);
  one.workload().reference(one.params, whole, 0, in_whole, from_whole);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(from_part[i], from_whole[i], 1e-14);
}

// Stretches of keys end within a block, elements are in no order, and two are of one query.
TEST(RingAttention, AnswersAreThoseOfAPlainSoftmax) {
  const MultiGpuCase c(register_workload_ring_attention, params_of("bf16", 2, 2, 2 * 700, 4), 8);
  const Shape shape = shape_of(c.params);
  const std::int64_t d = shape.dimension, block = shape.block();
  std::vector<harness::sdk::HostTensor> inputs;
  for (const harness::sdk::HostTensor& tensor : c.tensors)
    if (tensor.spec.role == harness::sdk::Role::input) inputs.push_back(tensor);
  const std::vector<std::int64_t> wanted{2 * block * d - 1, 5, 0, 3, block * d, 699 * d + 2};
  for (std::size_t output = 0; output < 2; ++output) {
    std::vector<double> expected(wanted.size());
    c.workload().reference(c.params, inputs, output, wanted, expected);
    for (std::size_t e = 0; e < wanted.size(); ++e) {
      const std::int64_t query = wanted[e] / d, head = query / block;
      double weights = 0, values = 0;
      for (std::size_t gpu = 0; gpu < 2; ++gpu)
        for (std::int64_t key = head * block; key < (head + 1) * block; ++key) {
          double score = 0;
          for (std::int64_t i = 0; i < d; ++i)
            score += inputs[output * o_index + q_index].at(query * d + i) *
                     inputs[gpu * o_index + k_index].at(key * d + i);
          const double weight = std::exp(score * shape.scale());
          weights += weight;
          values += weight * inputs[gpu * o_index + v_index].at(key * d + wanted[e] % d);
        }
      EXPECT_NEAR(expected[e], values / weights, 1e-12) << output << " " << wanted[e];
    }
  }
}

TEST(RingAttention, LongSequencesAreCheckedInFewElements) {
  const MultiGpuCase small(register_workload_ring_attention, params_of("bf16", 1, 1, 64, 64));
  EXPECT_GT(small.problem.most_checked, 64 * 64);
  harness::sdk::Registry registry;
  register_workload_ring_attention(registry);
  const auto million = registry.workloads.front()->problem(params_of("bf16", 4, 1, 1 << 20, 128));
  EXPECT_EQ(million.most_checked, 16);
  EXPECT_GT(million.tolerance.relative, small.problem.tolerance.relative);
}

TEST(RingAttention, ThreadsAreRight) {
  for (const std::int64_t gpus : {1, 2, 3}) {
    MultiGpuCase c(register_workload_ring_attention, params_of("bf16", gpus, 2, 30, 16));
    c.run(register_variant_ring_attention_threads);
    for (std::size_t output = 0; output < c.outputs.size(); ++output)
      EXPECT_LE(c.error(output), c.problem.tolerance.relative) << gpus << " " << output;
  }
}

TEST(RingAttention, ASequenceThatCannotBeDividedIsSkipped) {
  harness::sdk::Registry registry;
  register_workload_ring_attention(registry);
  EXPECT_THROW((void)registry.workloads.front()->problem(params_of("bf16", 2, 1, 33, 64)),
               harness::sdk::Unsupported);
}

// `gain`: of the queries, for scores of any size.
template <class Tiling, class Element>
void expect_kernel_right(const char* dtype, std::int64_t gpus, std::int64_t h, std::int64_t s,
                         double gain = 1) {
  MultiGpuCase c(register_workload_ring_attention, params_of(dtype, gpus, h, s, Tiling::d), gain);
  const Shape shape = shape_of(c.params);
  const auto block = static_cast<int>(shape.block()), heads = static_cast<int>(h);
  std::deque<emulate::Buffer<std::uint16_t>> memory;  // of the GPUs
  for (const harness::sdk::HostTensor& tensor : c.tensors)
    memory.emplace_back("tensor", std::span(reinterpret_cast<const std::uint16_t*>(tensor.data.data()),
                                            tensor.data.size() / 2));
  const auto map = [&](std::size_t tensor, int rows) {
    return ptx::make_tensor_map<Element>(memory[tensor].data(),
                                         attention::wgmma_layout(Tiling::d, block, heads, rows));
  };
  const auto rows = static_cast<std::size_t>(h * shape.block());
  for (std::size_t gpu = 0; gpu < shape.gpus; ++gpu) {
    const emulate::Buffer<float> sums("sums", rows * Tiling::d);
    const emulate::Buffer<float2> scores("scores", rows * 4);
    const std::size_t first = gpu * tensors_of_gpu;
    for (std::size_t step = 0; step < shape.gpus; ++step) {
      const std::size_t owner = shape.owner(gpu, step) * tensors_of_gpu;
      Arguments problem;
      problem.o = memory[first + o_index].data();
      problem.sequence = block;
      problem.dimension = Tiling::d;
      problem.scale2 = static_cast<float>(shape.scale() * 1.4426950408889634);
      problem.carry = {sums.data(), scores.data(), step == 0 ? 1 : 0, step + 1 == shape.gpus ? 1 : 0};
      emulate::launch({},
                      {static_cast<unsigned>((block + Tiling::queries - 1) / Tiling::queries),
                       static_cast<unsigned>(heads), 1},
                      {Tiling::threads, 1, 1}, Tiling::shared_bytes, &ring_kernel<Tiling, Element>, problem,
                      map(first + q_index, Tiling::queries), map(owner + k_index, Tiling::keys),
                      map(owner + v_index, Tiling::keys));
    }
  }
  for (std::size_t output = 0; output < c.outputs.size(); ++output) {
    const std::size_t tensor = c.outputs[output];
    std::memcpy(c.addresses[tensor], memory[tensor].data(), c.tensors[tensor].data.size());
    EXPECT_LE(c.error(output), c.problem.tolerance.relative) << gpus << " " << s << " " << output;
  }
}

TEST(RingKernel, BlocksOfKeysAddUp) {
  expect_kernel_right<attention::Wgmma64, ptx::BF16>("bf16", 1, 1, 100);
  expect_kernel_right<attention::Wgmma64, ptx::F16>("f16", 2, 2, 280);
  expect_kernel_right<attention::Wgmma128, ptx::F16>("f16", 2, 1, 270);
}

// Scores of some hundreds: without the largest score of all blocks the weights are infinite, or all 0.
TEST(RingKernel, LargeScoresAreRight) {
  expect_kernel_right<attention::Wgmma64, ptx::F16>("f16", 3, 1, 390, 300);
}

}  // namespace
}  // namespace ring_attention
