#include "harness/device/cuda/gpu_kernels.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstring>

namespace harness::cuda {
namespace {

constexpr int block_size = 256;
constexpr int busy_block_size = 1024;
constexpr int busy_rounds = 16384;
constexpr int product_block_size = 512;
constexpr int product_rounds = 2048;
constexpr unsigned long long clock_cycle_limit = 2'000'000'000ULL;  // about a second: give up

__device__ unsigned long long global_nanoseconds() {
  unsigned long long value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
  return value;
}

__global__ void spinning_gate(const volatile std::uint32_t* flag, std::uint32_t wanted) {
  while (static_cast<std::int32_t>(*flag - wanted) < 0) {
  }
}

__global__ void nothing() {}

__global__ void __launch_bounds__(busy_block_size) busy(float* sink) {
  // Eight independent chains cover the latency of one multiply-add; they converge to a fixed point,
  // so the values stay ordinary numbers.
  float chain[8];
  for (int i = 0; i < 8; ++i) chain[i] = static_cast<float>(threadIdx.x + i) * 1e-3F;
  for (int round = 0; round < busy_rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 8; ++i) chain[i] = fmaf(chain[i], 0.999F, 0.001F);
  }
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += chain[i];
  if (sum == -1.0F) *sink = sum;
}

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;

// The finaliser of splitmix64.
__device__ std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

// Any element by itself, no state.
__device__ float uniform(std::uint64_t seed, std::size_t index) {
  return static_cast<float>(mixed(seed + (index + 1) * golden) >> 40) * 0x1p-23F - 1.0F;
}

// Two random halves in [-1, 1).
__device__ unsigned random_halves(unsigned index) {
  const __half2 pair = __floats2half2_rn(uniform(index, 0), uniform(index, 1));
  unsigned bits;
  memcpy(&bits, &pair, sizeof bits);
  return bits;
}

// mma.m16n8k32 with a sparse A: of four neighbours the first and the second are stored (0x44444444). Eight
// independent sums cover the latency of one product.
__global__ void __launch_bounds__(product_block_size) full_power(float* sink) {
#if __CUDA_ARCH__ >= 800
  constexpr int sums = 8;
  constexpr unsigned places = 0x44444444;
  unsigned a[4], b[4];
  for (int i = 0; i < 4; ++i) {
    a[i] = random_halves(8 * threadIdx.x + i);
    b[i] = random_halves(8 * threadIdx.x + 4 + i);
  }
  float d[sums][4] = {};
  for (int round = 0; round < product_rounds; ++round) {
#pragma unroll
    for (int i = 0; i < sums; ++i)
      asm volatile(
          "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
          "{%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0;"
          : "+f"(d[i][0]), "+f"(d[i][1]), "+f"(d[i][2]), "+f"(d[i][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[i % 4]), "r"(b[(i + 1) % 4]),
            "r"(b[(i + 2) % 4]), "r"(b[(i + 3) % 4]), "r"(places));
  }
  float sum = 0;
  for (const auto& one : d) sum += one[0] + one[1] + one[2] + one[3];
  if (sum == -1.0F) *sink = sum;
#endif
}

__global__ void read_clock(unsigned long long nanoseconds, ClockReading* out) {
  const long long started = clock64();
  const auto cycles_so_far = [started] { return static_cast<unsigned long long>(clock64() - started); };
  // Both ends of the interval are the moments at which the timer is seen to tick, so its coarse
  // resolution (32 ns to 1 us) does not enter.
  const unsigned long long before = global_nanoseconds();
  unsigned long long begin = before;
  while (begin == before && cycles_so_far() < clock_cycle_limit) begin = global_nanoseconds();
  const long long begin_cycles = clock64();
  unsigned long long end = begin;
  while (end - begin < nanoseconds && cycles_so_far() < clock_cycle_limit) end = global_nanoseconds();
  const long long end_cycles = clock64();
  out->cycles = static_cast<unsigned long long>(end_cycles - begin_cycles);
  __threadfence_system();  // a host that waits for the time finds the cycles
  out->nanoseconds = end - begin;
}

// Four independent 16-byte loads in flight a thread before the first store.
__global__ void __launch_bounds__(block_size)
    copy(uint4* __restrict__ to, const uint4* __restrict__ from, std::size_t count) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * (4 * block_size) + threadIdx.x;
  uint4 held[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + i * block_size < count) held[i] = from[first + i * block_size];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + i * block_size < count) to[first + i * block_size] = held[i];
}

__device__ std::uint64_t keyed(std::uint64_t word, std::size_t index, std::uint64_t key) {
  return mixed(word ^ mixed(key + (index + 1) * golden));
}

// Words of eight bytes, then the bytes that are left. Sums do not depend on the order.
__global__ void __launch_bounds__(block_size)
    keyed_sum(const unsigned char* __restrict__ from, std::size_t bytes, std::uint64_t key,
              unsigned long long* sum) {
  const auto* words = reinterpret_cast<const ulonglong2*>(from);
  const std::size_t pairs = bytes / sizeof(ulonglong2);
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * block_size;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * block_size + threadIdx.x;
  unsigned long long own = 0;
  for (std::size_t i = first; i < pairs; i += stride) {
    const ulonglong2 pair = words[i];
    own += keyed(pair.x, 2 * i, key) + keyed(pair.y, 2 * i + 1, key);
  }
  for (std::size_t i = pairs * sizeof(ulonglong2) + first; i < bytes; i += stride)
    own += keyed(from[i], ~i, key);
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) own += __shfl_down_sync(0xFFFFFFFFU, own, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}

__device__ void store(__nv_bfloat16& to, float value) {
  to = __float2bfloat16(value);
}
__device__ void store(__half& to, float value) {
  to = __float2half(value);
}
// Without bit 6 every byte is a number, also as E4M3: of less than 2.
__device__ void store(unsigned char& to, float value) {
  to = static_cast<unsigned char>(static_cast<int>((value + 1) * 128)) & 0xBF;
}

template <class T>
__global__ void fill_random(T* to, std::size_t elements, std::uint64_t seed) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += stride)
    store(to[i], uniform(seed, i));
}

unsigned blocks_for(std::size_t threads, std::size_t per_block) {
  return static_cast<unsigned>(std::min<std::size_t>((threads + per_block - 1) / per_block, 1U << 30));
}

template <class T>
void launch_random(cudaStream_t stream, void* to, std::size_t elements, std::uint64_t seed) {
  if (elements == 0) return;
  const unsigned blocks = std::min(blocks_for(elements, block_size), 8192U);
  fill_random<<<blocks, block_size, 0, stream>>>(static_cast<T*>(to), elements, seed);
}

}  // namespace

void launch_spinning_gate(cudaStream_t stream, const std::uint32_t* flag, std::uint32_t wanted) {
  spinning_gate<<<1, 1, 0, stream>>>(flag, wanted);
}

void launch_nothing(cudaStream_t stream) {
  nothing<<<1, 1, 0, stream>>>();
}

void launch_busy(cudaStream_t stream, int multiprocessors, float* sink) {
  busy<<<static_cast<unsigned>(std::max(1, multiprocessors)), busy_block_size, 0, stream>>>(sink);
}

void launch_full_power(cudaStream_t stream, int multiprocessors, float* sink) {
  constexpr int sparse_products = 80;  // the first architecture that has them
  cudaFuncAttributes code{};
  if (cudaFuncGetAttributes(&code, full_power) != cudaSuccess ||
      std::min(code.ptxVersion, code.binaryVersion) < sparse_products)
    return launch_busy(stream, multiprocessors, sink);
  full_power<<<2 * static_cast<unsigned>(std::max(1, multiprocessors)), product_block_size, 0, stream>>>(
      sink);
}

void launch_clock(cudaStream_t stream, unsigned long long nanoseconds, ClockReading* out) {
  read_clock<<<1, 1, 0, stream>>>(nanoseconds, out);
}

void launch_copy(cudaStream_t stream, void* to, const void* from, std::size_t bytes) {
  const std::size_t count = bytes / sizeof(uint4);
  if (count == 0) return;
  copy<<<blocks_for(count, 4 * block_size), block_size, 0, stream>>>(static_cast<uint4*>(to),
                                                                     static_cast<const uint4*>(from), count);
}

void launch_keyed_sum(cudaStream_t stream, const void* from, std::size_t bytes, std::uint64_t key,
                      std::uint64_t* sum) {
  if (bytes == 0) return;
  const unsigned blocks = std::min(blocks_for(bytes, 16 * block_size), 4096U);
  keyed_sum<<<blocks, block_size, 0, stream>>>(static_cast<const unsigned char*>(from), bytes, key,
                                               reinterpret_cast<unsigned long long*>(sum));
}

void launch_random_bf16(cudaStream_t stream, void* to, std::size_t elements, std::uint64_t seed) {
  launch_random<__nv_bfloat16>(stream, to, elements, seed);
}

void launch_random_f16(cudaStream_t stream, void* to, std::size_t elements, std::uint64_t seed) {
  launch_random<__half>(stream, to, elements, seed);
}

void launch_random_bytes(cudaStream_t stream, void* to, std::size_t elements, std::uint64_t seed) {
  launch_random<unsigned char>(stream, to, elements, seed);
}

cudaError_t find_machine_code() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, read_clock);
}

}  // namespace harness::cuda
