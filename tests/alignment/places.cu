// Kernels that change in nothing but their place, others that take 1 % or 0.1 % more turns as well: the same
// kernels in two builds. CHANGED makes the second one. moved.sh measures them, README.md here tells how.
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "harness/sdk/registry.h"

namespace {

namespace sdk = harness::sdk;

#ifdef CHANGED
constexpr bool changed = true;
#else
constexpr bool changed = false;
#endif

constexpr unsigned threads = 256, blocks = 132 * 8;  // as in loops.cu: with half as many, no loop moves

template <int N>
__device__ __forceinline__ float unrolled(float value) {
  if constexpr (N == 0)
    return value;
  else
    return unrolled<N - 1>(value * 1.0000001F + static_cast<float>(N));
}

template <int Times>
__device__ __forceinline__ float often(float value) {
  if constexpr (Times == 0)
    return value;
  else
    return often<Times - 1>(unrolled<100>(unrolled<100>(value)));  // nvcc instantiates 200 levels at most
}

// Instructions in front of the loop that change no result. Nobody passes a `nothing` that is not 0.
template <int Instructions>
__device__ __forceinline__ float idle(float value, float nothing) {
#pragma unroll
  for (int i = 0; i < Instructions; ++i) value = __fmaf_rn(value, 1.0F + nothing, nothing);
  return value;
}

// A loop of `Times` times 3.1 KB. Changes before it: `Before` instructions, and a branch that is never taken
// with as many. `Slower`: it takes one turn more of so many; 0: none.
template <int Id, int Times, int Before, bool Branch, int Slower>
__global__ void turning(const float* x, float* y, unsigned n, int turns, float nothing) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
  if constexpr (changed && Before > 0 && !Branch) value = idle<Before>(value, nothing);
  if constexpr (changed && Branch)
    if (nothing > 0) y[i] = value = idle<Before>(value, nothing);
  if constexpr (changed && Slower > 0) turns += turns / Slower;
  for (int turn = 0; turn < turns; ++turn) {
    value = often<Times>(value);
    if (value > 1e30F) value = 0;
  }
  y[i] = value == 12345.0F ? 0.0F : 2 * x[i] + 1;  // the loop stays
}

class Line final : public sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "turning"; }
  [[nodiscard]] std::string_view summary() const override { return "y = 2 x + 1, after a loop"; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override {
    return {{"turns", sdk::ParamKind::integer, "of the loop", {}, {}, 1}};
  }
  [[nodiscard]] sdk::Problem problem(const sdk::Params&) const override {
    constexpr std::int64_t n = std::int64_t{threads} * blocks;
    return {{{"x", sdk::Role::input, sdk::DType::f32, {n}}, {"y", sdk::Role::output, sdk::DType::f32, {n}}},
            {2.0 * static_cast<double>(n), 8.0 * static_cast<double>(n)},
            {1e-6}};
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i) expected[i] = 2 * inputs[0].at(wanted[i]) + 1;
  }
};

template <int Id, int Times, int Before, bool Branch, int Slower>
class Turning final : public sdk::Kernel {
 public:
  Turning(const sdk::Params& params, const sdk::Problem&, const sdk::DeviceTraits&)
      : turns_(static_cast<int>(params.integer("turns"))) {}
  void bind(const sdk::Buffers& buffers) override {
    x_ = buffers.as<float>(0);
    y_ = buffers.as<float>(1);
  }
  void run(sdk::Stream stream) override {
    turning<Id, Times, Before, Branch, Slower>
        <<<blocks, threads, 0, static_cast<cudaStream_t>(stream.handle)>>>(x_, y_, threads * blocks, turns_,
                                                                           0.0F);
    if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess)
      throw std::runtime_error(cudaGetErrorString(code));
  }

 private:
  int turns_;
  const float* x_ = nullptr;
  float* y_ = nullptr;
};

}  // namespace

HARNESS_WORKLOAD(turning, Line)
#define PLACE(id, times, before, branch)                   \
  namespace {                                              \
  using Place##id = Turning<id, times, before, branch, 0>; \
  }                                                        \
  HARNESS_VARIANT(turning, place_##id, cuda, "only its place changes", Place##id)
#define SLOWER(id, times, before)                            \
  namespace {                                                \
  using Slower##id = Turning<id, times, before, false, 100>; \
  }                                                          \
  HARNESS_VARIANT(turning, slower_##id, cuda, "it takes 1 % more turns", Slower##id)
#define SLIGHT(id, before)                                \
  namespace {                                             \
  using Slight##id = Turning<id, 1, before, false, 1000>; \
  }                                                       \
  HARNESS_VARIANT(turning, slight_##id, cuda, "it takes 0.1 % more turns", Slight##id)
// Loops of 51 and 64 KB, which move most.
PLACE(1, 16, 1, false)
PLACE(2, 16, 2, false)
PLACE(3, 16, 3, false)
PLACE(4, 16, 4, false)
PLACE(5, 16, 5, false)
PLACE(6, 16, 6, false)
PLACE(7, 16, 7, false)
PLACE(8, 16, 1, true)
PLACE(9, 16, 3, true)
PLACE(10, 16, 5, true)
PLACE(11, 20, 1, false)
PLACE(12, 20, 2, false)
PLACE(13, 20, 3, false)
PLACE(14, 20, 4, false)
PLACE(15, 20, 5, false)
PLACE(16, 20, 6, false)
PLACE(17, 20, 7, false)
PLACE(18, 20, 1, true)
PLACE(19, 20, 3, true)
PLACE(20, 20, 5, true)
SLOWER(21, 16, 0)
SLOWER(22, 16, 3)
SLOWER(23, 20, 0)
SLOWER(24, 20, 3)
// A loop of 3 KB moves by 0.18 %, and its time varies by 0.001 %.
PLACE(31, 1, 1, false)
PLACE(32, 1, 2, false)
PLACE(33, 1, 3, false)
PLACE(34, 1, 4, false)
PLACE(35, 1, 5, false)
PLACE(36, 1, 6, false)
PLACE(37, 1, 7, false)
SLIGHT(41, 1)
SLIGHT(42, 2)
SLIGHT(43, 3)
SLIGHT(44, 4)
SLIGHT(45, 5)
SLIGHT(46, 6)
SLIGHT(47, 7)

namespace {

void register_all(sdk::Registry& registry) {
  register_workload_turning(registry);
#define ADD(name) register_variant_turning_##name(registry);
  ADD(place_1)
  ADD(place_2)
  ADD(place_3)
  ADD(place_4)
  ADD(place_5)
  ADD(place_6)
  ADD(place_7)
  ADD(place_8)
  ADD(place_9)
  ADD(place_10)
  ADD(place_11)
  ADD(place_12)
  ADD(place_13)
  ADD(place_14)
  ADD(place_15)
  ADD(place_16)
  ADD(place_17)
  ADD(place_18)
  ADD(place_19)
  ADD(place_20)
  ADD(slower_21)
  ADD(slower_22)
  ADD(slower_23)
  ADD(slower_24)
  ADD(place_31)
  ADD(place_32)
  ADD(place_33)
  ADD(place_34)
  ADD(place_35)
  ADD(place_36)
  ADD(place_37)
  ADD(slight_41)
  ADD(slight_42)
  ADD(slight_43)
  ADD(slight_44)
  ADD(slight_45)
  ADD(slight_46)
  ADD(slight_47)
}

}  // namespace

HARNESS_MODULE("places", register_all)
