#include "harness/device/cuda/sides/shared_kernels.h"

#include <algorithm>

namespace harness::cuda {
namespace {

constexpr int block_size = 256;
constexpr unsigned blocks_a_write = 32;
constexpr std::size_t most_rows = 65535;  // of a grid

// A row of blocks makes one write, 16 bytes at a time.
__global__ void __launch_bounds__(block_size) write_all(const SharedWrite* writes) {
  const SharedWrite one = writes[blockIdx.y];
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * block_size + threadIdx.x;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * block_size;
  const std::size_t words = one.bytes / sizeof(uint4);
  auto* const to = static_cast<uint4*>(one.to);
  auto* const last = static_cast<unsigned char*>(one.to);
  if (one.from == nullptr) {
    const unsigned word = one.fill * 0x01010101U;
    for (std::size_t i = first; i < words; i += step) to[i] = uint4{word, word, word, word};
    for (std::size_t i = words * sizeof(uint4) + first; i < one.bytes; i += step) last[i] = one.fill;
  } else {
    const auto* const from = static_cast<const uint4*>(one.from);
    const auto* const last_from = static_cast<const unsigned char*>(one.from);
    for (std::size_t i = first; i < words; i += step) to[i] = from[i];
    for (std::size_t i = words * sizeof(uint4) + first; i < one.bytes; i += step) last[i] = last_from[i];
  }
}

__global__ void __launch_bounds__(block_size)
    read_all(const SharedRead* reads, std::size_t count, std::uint64_t* to) {
  const std::size_t index = static_cast<std::size_t>(blockIdx.x) * block_size + threadIdx.x;
  if (index >= count) return;
  const SharedRead one = reads[index];
  const auto* const from = static_cast<const volatile unsigned char*>(one.from);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < one.bytes; ++i) value |= static_cast<std::uint64_t>(from[i]) << (8 * i);
  to[index] = value;
}

}  // namespace

void launch_writes(cudaStream_t stream, const SharedWrite* writes, std::size_t count) {
  for (std::size_t i = 0; i < count; i += most_rows) {
    const auto rows = static_cast<unsigned>(std::min(count - i, most_rows));
    write_all<<<dim3(blocks_a_write, rows), block_size, 0, stream>>>(writes + i);
  }
}

void launch_reads(cudaStream_t stream, const SharedRead* reads, std::size_t count, std::uint64_t* to) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>((count + block_size - 1) / block_size);
  read_all<<<blocks, block_size, 0, stream>>>(reads, count, to);
}

}  // namespace harness::cuda
