// all_reduce: its description, the threads, and the kernels of `direct` and `pushed` in the emulator, a
// launch for each GPU.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <numeric>

#include "kernels/all_reduce/all_reduce.h"
#include "kernels/all_reduce/direct_kernel.cuh"
#include "kernels/all_reduce/nccl_library.h"
#include "kernels/all_reduce/pushed_kernel.cuh"
#include "tests/emulate/memory.h"
#include "tests/kernels/multi_gpu_case.h"

void register_workload_all_reduce(harness::sdk::Registry&);
void register_variant_all_reduce_threads(harness::sdk::Registry&);

namespace all_reduce {
namespace {

using harness::sdk::Params;
using harness::sdk::Value;

Params params_of(std::int64_t gpus, std::int64_t n) {
  return Params({{"gpus", Value{gpus}}, {"n", Value{n}}});
}

TEST(AllReduce, TensorsLieOnTheirGpuAndEachSendsTheLeastThatItCan) {
  const MultiGpuCase c(register_workload_all_reduce, params_of(4, 100));
  EXPECT_EQ(c.problem.gpus, 4);
  ASSERT_EQ(c.problem.tensors.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(c.problem.tensors[i].gpu, static_cast<int>(i % 4));
  EXPECT_EQ(c.problem.work.link_bytes, 600);
  EXPECT_EQ(c.problem.work.bytes, 3200);
  EXPECT_EQ(MultiGpuCase(register_workload_all_reduce, params_of(1, 100)).problem.work.link_bytes, 0);
}

TEST(AllReduce, PartsCoverAllValues) {
  const Shape shape{3, 10};
  EXPECT_EQ(shape.part(0), 0);
  EXPECT_EQ(shape.part(1), 3);
  EXPECT_EQ(shape.part(3), 10);
}

TEST(AllReduce, ThreadsAreRight) {
  for (const auto& [gpus, n] : {std::pair{1, 5}, {2, 7}, {3, 100}, {4, 1}}) {
    MultiGpuCase c(register_workload_all_reduce, params_of(gpus, n));
    c.run(register_variant_all_reduce_threads);
    for (std::size_t output = 0; output < c.outputs.size(); ++output)
      EXPECT_LE(c.error(output), c.problem.tolerance.relative) << gpus << " " << n << " " << output;
  }
}

template <int Gpus>
void expect_direct_right(std::int64_t n) {
  MultiGpuCase c(register_workload_all_reduce, params_of(Gpus, n));
  const Shape shape = shape_of(c.params);
  for (std::size_t gpu = 0; gpu < Gpus; ++gpu) {
    DirectArguments<Gpus> problem;
    for (std::size_t i = 0; i < Gpus; ++i) {
      const std::size_t other = (gpu + i) % Gpus;
      problem.from[i] = static_cast<const float*>(c.addresses[other]);
      problem.to[i] = static_cast<float*>(c.addresses[shape.result_index(other)]);
    }
    problem.begin = shape.part(gpu) / 4;
    problem.end = shape.part(gpu + 1) / 4;
    emulate::launch({}, {2, 1, 1}, {direct_threads, 1, 1}, 0, &direct_kernel<Gpus>, problem);
  }
  for (std::size_t output = 0; output < c.outputs.size(); ++output)
    EXPECT_LE(c.error(output), c.problem.tolerance.relative) << Gpus << " " << n << " " << output;
}

// More vectors than a step of all threads, and fewer.
TEST(AllReduce, DirectIsRight) {
  expect_direct_right<1>(4);
  expect_direct_right<2>(8 * 5000);
  expect_direct_right<4>(16 * 37);
}

// GPUs take turns in the emulator, so all of them send before one sums.
template <int Gpus>
__global__ void send_all(const PushedArguments<Gpus> problem) {
  for (std::int64_t chunk = blockIdx.x; chunk < problem.chunks; chunk += gridDim.x)
    send_chunk(problem, chunk);
}
template <int Gpus>
__global__ void sum_all(const PushedArguments<Gpus> problem) {
  for (std::int64_t chunk = blockIdx.x; chunk < problem.chunks; chunk += gridDim.x) sum_chunk(problem, chunk);
}

template <int Gpus>
class PushedCase {
 public:
  explicit PushedCase(std::int64_t n)
      : c_(register_workload_all_reduce, params_of(Gpus, n)), part_(n / 4 / Gpus) {
    chunks_ = (part_ + pushed_chunk<Gpus> - 1) / pushed_chunk<Gpus>;
    for (int gpu = 0; gpu < Gpus; ++gpu) {
      places_.emplace_back("places", static_cast<std::size_t>((Gpus - 1) * part_));
      flags_.emplace_back("flags", static_cast<std::size_t>((Gpus - 1) * chunks_));
      results_.emplace_back("results", static_cast<std::size_t>(n / 4));
      std::memset(flags_.back().data(), 0, flags_.back().size() * sizeof(unsigned));
    }
  }
  void poison() {
    for (const auto* all : {&places_, &results_})
      for (const emulate::Buffer<float4>& buffer : *all)
        std::memset(static_cast<void*>(buffer.data()), 0xFF, buffer.size() * sizeof(float4));
  }
  void launch(void (*kernel)(PushedArguments<Gpus>), unsigned blocks, unsigned threads) {
    for (std::size_t gpu = 0; gpu < Gpus; ++gpu) {
      PushedArguments<Gpus> problem;
      problem.values = static_cast<const float4*>(c_.addresses[gpu]);
      for (std::size_t i = 0; i < Gpus; ++i) {
        const std::size_t other = (gpu + i) % Gpus;
        problem.results[i] = results_[other].data();
        problem.places[i] = places_[other].data();
        problem.flags[i] = flags_[other].data();
      }
      problem.part = part_;
      problem.chunks = chunks_;
      problem.gpu = static_cast<int>(gpu);
      emulate::launch({}, {blocks, 1, 1}, {threads, 1, 1}, 0, kernel, problem);
    }
  }
  [[nodiscard]] std::size_t raised() const {
    std::size_t all = 0;
    for (const emulate::Buffer<unsigned>& of_gpu : flags_)
      all += std::accumulate(of_gpu.data(), of_gpu.data() + of_gpu.size(), 0U);
    return all;
  }
  [[nodiscard]] std::size_t sent() const { return static_cast<std::size_t>(Gpus * (Gpus - 1) * chunks_); }
  void expect_right() {
    for (std::size_t output = 0; output < c_.outputs.size(); ++output) {
      std::memcpy(c_.addresses[c_.outputs[output]], results_[output].data(),
                  results_[output].size() * sizeof(float4));
      EXPECT_LE(c_.error(output), c_.problem.tolerance.relative) << Gpus << " " << part_ << " " << output;
    }
  }

 private:
  MultiGpuCase c_;
  std::int64_t part_, chunks_ = 0;
  std::deque<emulate::Buffer<float4>> places_, results_;
  std::deque<emulate::Buffer<unsigned>> flags_;
};

template <int Gpus>
void expect_pushed_right(std::int64_t n) {
  PushedCase<Gpus> c(n);
  for (int call = 0; call < 2; ++call) {
    c.poison();
    c.launch(&send_all<Gpus>, 2, 32);
    EXPECT_EQ(c.raised(), c.sent());
    c.launch(&sum_all<Gpus>, 2, 32);
    EXPECT_EQ(c.raised(), 0U) << "the next call waits for nothing";
    c.expect_right();
  }
}

// Whole chunks, a last one that is not whole, and less than one.
TEST(AllReduce, PushedIsRight) {
  expect_pushed_right<2>(static_cast<std::int64_t>(8) * 256 * 3);
  expect_pushed_right<4>(16 * 300);
  expect_pushed_right<8>(32 * 5);
}

// Five rounds and a part of one: it begins by sending alone, and ends by summing alone. All was sent before.
TEST(AllReduce, EveryRoundOfPushedIsRight) {
  constexpr std::int64_t round = pushed_chunk<2> * (pushed_threads / 32);
  PushedCase<2> c(8 * (round * 5 + 700));
  c.poison();
  c.launch(&send_all<2>, 8, 32);
  c.launch(&pushed_kernel<2>, 1, pushed_threads);
  c.expect_right();
}

TEST(AllReduce, NobodySumsWhatWasNotSent) {
  PushedCase<2> c(8 * 300);
  EXPECT_THROW(c.launch(&sum_all<2>, 2, 32), emulate::Failure);
}

TEST(AllReduce, WithoutNcclThereIsAReason) {
  try {
    const Nccl library({"/no/such/libnccl.so.2"});
    FAIL();
  } catch (const harness::sdk::Unsupported& reason) {
    EXPECT_NE(std::string(reason.what()).find("HARNESS_NCCL_PATH"), std::string::npos) << reason.what();
  }
}

}  // namespace
}  // namespace all_reduce
