// ring_attention: its description, the threads, and its kernels in the emulator: ring_kernel with a launch
// for each GPU and step, gathered_kernel with one for each GPU.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <span>

#include "kernels/ring_attention/gathered_kernel.cuh"
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

// A case in the emulator's memory, and what its kernels are launched with. `gain`: of the queries, for scores
// of any size.
template <class Tiling, class Element>
class KernelCase {
 public:
  KernelCase(const char* dtype, std::int64_t gpus, std::int64_t h, std::int64_t s, double gain)
      : c_(register_workload_ring_attention, params_of(dtype, gpus, h, s, Tiling::d), gain) {
    for (const harness::sdk::HostTensor& tensor : c_.tensors)
      memory_.emplace_back("tensor", std::span(reinterpret_cast<const std::uint16_t*>(tensor.data.data()),
                                               tensor.data.size() / 2));
  }

  [[nodiscard]] Shape shape() const { return shape_of(c_.params); }
  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(shape().heads * shape().block()); }
  [[nodiscard]] std::uint16_t* tensor(std::size_t gpu, std::size_t index) const {
    return memory_[gpu * tensors_of_gpu + index].data();
  }
  [[nodiscard]] ptx::TensorMap map(const std::uint16_t* from, int rows_of_box,
                                   std::int64_t blocks = 1) const {
    return ptx::make_tensor_map<Element>(
        from, attention::wgmma_layout(Tiling::d, static_cast<int>(shape().block()),
                                      static_cast<int>(shape().heads * blocks), rows_of_box));
  }
  [[nodiscard]] ptx::TensorMap map(std::size_t gpu, std::size_t index, int rows_of_box) const {
    return map(tensor(gpu, index), rows_of_box);
  }
  template <class Problem>
  [[nodiscard]] Problem problem_of(std::size_t gpu) const {
    Problem problem;
    problem.o = tensor(gpu, o_index);
    problem.sequence = static_cast<int>(shape().block());
    problem.dimension = Tiling::d;
    problem.scale2 = static_cast<float>(shape().scale() * 1.4426950408889634);
    return problem;
  }
  template <class Kernel, class... Arguments>
  void launch(Kernel kernel, const Arguments&... arguments) const {
    const auto block = static_cast<int>(shape().block());
    emulate::launch({},
                    {static_cast<unsigned>((block + Tiling::queries - 1) / Tiling::queries),
                     static_cast<unsigned>(shape().heads), 1},
                    {Tiling::threads, 1, 1}, Tiling::shared_bytes, kernel, arguments...);
  }
  void expect_right() {
    for (std::size_t output = 0; output < c_.outputs.size(); ++output) {
      const std::size_t tensor = c_.outputs[output];
      std::memcpy(c_.addresses[tensor], memory_[tensor].data(), c_.tensors[tensor].data.size());
      EXPECT_LE(c_.error(output), c_.problem.tolerance.relative) << c_.params.text_id() << " " << output;
    }
  }

 private:
  MultiGpuCase c_;
  std::deque<emulate::Buffer<std::uint16_t>> memory_;  // of the GPUs
};

template <class Tiling, class Element>
void expect_kernel_right(const char* dtype, std::int64_t gpus, std::int64_t h, std::int64_t s,
                         double gain = 1) {
  KernelCase<Tiling, Element> c(dtype, gpus, h, s, gain);
  const Shape shape = c.shape();
  for (std::size_t gpu = 0; gpu < shape.gpus; ++gpu) {
    const emulate::Buffer<float> sums("sums", c.rows() * Tiling::d);
    const emulate::Buffer<float2> scores("scores", c.rows() * 4);
    for (std::size_t step = 0; step < shape.gpus; ++step) {
      const std::size_t owner = shape.owner(gpu, step);
      auto problem = c.template problem_of<Arguments>(gpu);
      problem.carry = {sums.data(), scores.data(), step == 0 ? 1 : 0, step + 1 == shape.gpus ? 1 : 0};
      c.launch(&ring_kernel<Tiling, Element>, problem, c.map(gpu, q_index, Tiling::queries),
               c.map(owner, k_index, Tiling::keys), c.map(owner, v_index, Tiling::keys));
    }
  }
  c.expect_right();
}

// `missing`: the block of another GPU that has not arrived; -1: all have.
template <class Tiling, class Element>
void expect_gathered_right(const char* dtype, std::int64_t gpus, std::int64_t h, std::int64_t s,
                           double gain = 1, int missing = -1) {
  KernelCase<Tiling, Element> c(dtype, gpus, h, s, gain);
  const Shape shape = c.shape();
  const std::size_t elements = c.rows() * Tiling::d, others = shape.gpus - 1;
  std::vector<unsigned> flags(others, 1);
  if (missing >= 0) flags[static_cast<std::size_t>(missing)] = 0;
  for (std::size_t gpu = 0; gpu < shape.gpus; ++gpu) {
    TwoMaps maps[2];
    const emulate::Buffer<std::uint16_t> gathered[2] = {
        {"keys", std::max<std::size_t>(1, others) * elements},
        {"values", std::max<std::size_t>(1, others) * elements}};
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t step = 1; step < shape.gpus; ++step)
        std::memcpy(gathered[i].data() + (step - 1) * elements, c.tensor(shape.owner(gpu, step), k_index + i),
                    elements * 2);
      maps[i].at[0] = c.map(gpu, k_index + i, Tiling::keys);
      if (others > 0)
        maps[i].at[1] = c.map(gathered[i].data(), Tiling::keys, static_cast<std::int64_t>(others));
    }
    auto problem = c.template problem_of<GatheredArguments>(gpu);
    problem.arrived = flags.data();
    problem.blocks = static_cast<int>(shape.gpus);
    problem.heads = static_cast<int>(shape.heads);
    c.launch(&gathered_kernel<Tiling, Element>, problem, c.map(gpu, q_index, Tiling::queries), maps[0],
             maps[1]);
  }
  c.expect_right();
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

// Blocks that are whole tiles, and blocks whose last tile is not, of one head and of several.
TEST(GatheredKernel, BlocksOfKeysAddUp) {
  expect_gathered_right<attention::Wgmma64, ptx::BF16>("bf16", 1, 1, 100);
  expect_gathered_right<attention::Wgmma64, ptx::F16>("f16", 2, 2, 280);
  expect_gathered_right<attention::Wgmma128, ptx::F16>("f16", 3, 1, 3 * 128);
  expect_gathered_right<attention::Wgmma128, ptx::BF16>("bf16", 2, 2, 2 * 256);
  expect_gathered_right<attention::Wgmma64, ptx::F16>("f16", 3, 1, 390, 300);
}

TEST(GatheredKernel, KeysThatHaveNotArrivedAreWaitedFor) {
  for (const int missing : {0, 1})
    EXPECT_THROW((expect_gathered_right<attention::Wgmma64, ptx::BF16>("bf16", 3, 1, 384, 1, missing)),
                 emulate::Failure)
        << missing;
}

}  // namespace
}  // namespace ring_attention
