// The CUDA language for kernel headers that a plain C++ compiler compiles: qualifiers, built-in variables,
// barriers, shuffles, votes, atomics and the intrinsics in use; and launch(), which runs a kernel. Included
// by kernels/ptx/device.cuh where nvcc is not the compiler. A function that is missing here is a compile
// error.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "harness/sdk/dtype.h"
#include "tests/emulate/block.h"
#include "tests/emulate/memory.h"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's
#define __global__ inline
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __grid_constant__
#define __align__(bytes) alignas(bytes)
#define threadIdx (::emulate::thread().index)
#define blockIdx (::emulate::block().index)
#define blockDim (::emulate::block().extent)
#define gridDim (::emulate::block().grid)

struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
inline float2 make_float2(float x, float y) {
  return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}
inline uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}

namespace emulate {

inline unsigned char* dynamic_shared(std::size_t alignment) {
  return reinterpret_cast<unsigned char*>(block().dynamic_shared(alignment));
}

template <class Site>
inline char site_key = 0;

// One object for each place in the source that declares it (a lambda's type tells them apart).
template <class T, class Site>
T& static_shared(Site) {
  return *reinterpret_cast<T*>(block().static_shared(&site_key<Site>, sizeof(T), alignof(T)));
}

// Runs kernel(arguments...) in every thread of every block; throws Failure on a deadlock, a bad address or a
// write outside the buffers.
template <class... Parameters, class... Arguments>
void launch(const Options& options, dim3 grid, dim3 threads, std::size_t shared_bytes,
            void (*kernel)(Parameters...), const Arguments&... arguments) {
  Block block(options);
  const unsigned count = grid.x * grid.y * grid.z;
  for (unsigned i = 0; i < count; ++i) {
    const bool from_the_last = options.order == Order::backward || options.order == Order::last_warps;
    const unsigned at = from_the_last ? count - 1 - i : i;
    block.run(grid, {at % grid.x, at / grid.x % grid.y, at / grid.x / grid.y}, threads, shared_bytes,
              [&] { kernel(arguments...); });
  }
  const std::string damage = damaged_zones();
  if (!damage.empty()) throw Failure("the kernel wrote outside its buffers: " + damage);
}

// A lane's part in a shuffle, and its result.
template <class T>
struct Shuffled {
  T value;
  int source;
  T result;
};

// Each lane gets the value of lane `source`, its own where that one is not in the mask.
template <class T>
T shuffle(const char* what, unsigned mask, T value, int source) {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
  Shuffled<T> mine{value, source, value};
  block().meet_warp(what, mask, &mine, [](Block::Operands lanes) {
    for (void* const lane : lanes) {
      if (lane == nullptr) continue;
      auto& taker = *static_cast<Shuffled<T>*>(lane);
      const auto* giver = static_cast<const Shuffled<T>*>(lanes[static_cast<std::size_t>(taker.source & 31)]);
      if (giver != nullptr) taker.result = giver->value;
    }
  });
  return mine.result;
}

inline unsigned ballot(const char* what, unsigned mask, bool vote) {
  struct Ballot {
    bool vote;
    unsigned all;
  } mine{vote, 0};
  block().meet_warp(what, mask, &mine, [](Block::Operands lanes) {
    unsigned all = 0;
    for (std::size_t i = 0; i < lanes.size(); ++i)
      if (lanes[i] != nullptr && static_cast<Ballot*>(lanes[i])->vote) all |= 1U << i;
    for (void* const lane : lanes)
      if (lane != nullptr) static_cast<Ballot*>(lane)->all = all;
  });
  return mine.all;
}

}  // namespace emulate

inline void __syncthreads() {
  emulate::block().sync(0, emulate::block().threads());
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFF) {
  emulate::block().meet_warp("__syncwarp", mask, nullptr, [](auto) {});
}
inline void __threadfence() {}
inline void __threadfence_block() {}

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const int lane = emulate::thread().lane();
  return emulate::shuffle("__shfl_sync", mask, value, lane / width * width + source % width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const int lane = emulate::thread().lane();
  const int source = lane ^ bits;
  return emulate::shuffle("__shfl_xor_sync", mask, value, source / width <= lane / width ? source : lane);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  const int lane = emulate::thread().lane();
  const int source = lane + static_cast<int>(distance);
  return emulate::shuffle("__shfl_down_sync", mask, value, source / width == lane / width ? source : lane);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  const int lane = emulate::thread().lane();
  const int source = lane - static_cast<int>(distance);
  return emulate::shuffle("__shfl_up_sync", mask, value, source >= lane / width * width ? source : lane);
}
inline unsigned __ballot_sync(unsigned mask, int vote) {
  return emulate::ballot("__ballot_sync", mask, vote != 0);
}
inline int __any_sync(unsigned mask, int vote) {
  return emulate::ballot("__any_sync", mask, vote != 0) != 0;
}
inline int __all_sync(unsigned mask, int vote) {
  return emulate::ballot("__all_sync", mask, vote == 0) == 0;
}

inline int __ffs(int value) {  // 1 for the lowest bit; 0: none is set
  return value == 0 ? 0 : std::countr_zero(static_cast<unsigned>(value)) + 1;
}

template <class T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  const T old = *at;
  *at = static_cast<T>(old + value);
  return old;
}
template <class T>
T atomicMax(T* at, std::type_identity_t<T> value) {
  const T old = *at;
  if (old < value) *at = value;
  return old;
}

template <class T>
T __ldg(const T* from) {
  return *from;
}
inline float __frcp_rn(float x) {
  return 1.0F / x;
}
inline float rsqrtf(float x) {
  return 1.0F / std::sqrt(x);
}
inline unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}
inline float __uint_as_float(unsigned x) {
  return std::bit_cast<float>(x);
}
inline int __float_as_int(float x) {
  return std::bit_cast<int>(x);
}
inline float __int_as_float(int x) {
  return std::bit_cast<float>(x);
}
using std::max;
using std::min;
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
