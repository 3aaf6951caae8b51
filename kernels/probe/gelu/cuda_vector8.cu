// probe_gelu/vector8: a thread takes eight halves in one 16-byte access; whoever comes after the last whole
// eight takes the rest one by one. A build with HARNESS_SLOWER gives the grid that many percent more
// chunks, in scratch memory: the same code, more of the same work.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "harness/sdk/registry.h"
#include "kernels/cuda_check.cuh"
#include "kernels/probe/gelu/gelu.h"
#include "kernels/slower.h"

namespace probe {
namespace {

constexpr int threads = 256;

// Eight halves. The compiler makes one access of this type; it would make four of an array of pairs.
using Chunk = uint4;

// The tanh form as x / (1 + e^-2u), because the hardware has an exponential.
__device__ __forceinline__ float gelu(float x) {
  const float u = 0.797884561F * (x + 0.044715F * x * x * x);
  return __fdividef(x, 1.0F + __expf(-2.0F * u));
}

__device__ __forceinline__ unsigned gelu_of_pair(unsigned bits) {
  const float2 values = __half22float2(*reinterpret_cast<const __half2*>(&bits));
  const __half2 pair = __floats2half2_rn(gelu(values.x), gelu(values.y));
  return *reinterpret_cast<const unsigned*>(&pair);
}

__device__ __forceinline__ Chunk gelu(Chunk chunk) {
  return {gelu_of_pair(chunk.x), gelu_of_pair(chunk.y), gelu_of_pair(chunk.z), gelu_of_pair(chunk.w)};
}

// Chunks [0, elements / 8) are x's, the next one is the rest of x, and `extra` more are those of `scratch`,
// whose second half takes what comes out.
__global__ void __launch_bounds__(threads)
    gelu_kernel(const __half* x, __half* y, std::int64_t elements, Chunk* scratch, std::int64_t extra) {
  const std::int64_t whole = elements / 8;
  const std::int64_t mine = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (mine < whole) {
    reinterpret_cast<Chunk*>(y)[mine] = gelu(reinterpret_cast<const Chunk*>(x)[mine]);
  } else if (mine == whole) {
    for (std::int64_t i = whole * 8; i < elements; ++i) y[i] = __float2half_rn(gelu(__half2float(x[i])));
  } else if (mine - whole - 1 < extra) {
    scratch[extra + mine - whole - 1] = gelu(scratch[mine - whole - 1]);
  }
}

class Vector8 final : public harness::sdk::Kernel {
 public:
  Vector8(const harness::sdk::Params& params, const harness::sdk::Problem&, const harness::sdk::DeviceTraits&)
      : shape_(gelu_shape(params)), extra_(extra_elements(shape_.elements, kernels::slower_percent) / 8) {
    if (shape_.dtype != harness::sdk::DType::f16) throw harness::sdk::Unsupported("runs on f16 only");
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return 2 * sizeof(Chunk) * static_cast<std::size_t>(extra_);
  }
  void bind(const harness::sdk::Buffers& buffers) override {
    x_ = buffers.as<__half>(0);
    y_ = buffers.as<__half>(1);
    scratch_ = static_cast<Chunk*>(buffers.workspace);
  }
  void run(harness::sdk::Stream stream) override {
    const std::int64_t chunks = shape_.elements / 8 + 1 + extra_;
    const auto blocks = static_cast<unsigned>((chunks + threads - 1) / threads);
    gelu_kernel<<<blocks, threads, 0, static_cast<cudaStream_t>(stream.handle)>>>(x_, y_, shape_.elements,
                                                                                  scratch_, extra_);
    kernels::check(cudaGetLastError(), "launch of gelu_kernel");
  }

 private:
  GeluShape shape_;
  std::int64_t extra_;  // chunks
  const __half* x_ = nullptr;
  __half* y_ = nullptr;
  Chunk* scratch_ = nullptr;
};

}  // namespace
}  // namespace probe

HARNESS_VARIANT(probe_gelu, vector8, cuda,
                HARNESS_IS_SLOWER ? "eight halves a thread, made slower on purpose" : "eight halves a thread",
                probe::Vector8)
