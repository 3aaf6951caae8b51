// The device's own kernels, behind plain functions so that only gpu_kernels.cu is compiled as CUDA.
// Each enqueues on `stream` and returns; read cudaGetLastError() (check_launch) afterwards.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace harness::cuda {

// Holds the stream until (int)(*flag - wanted) >= 0, as cuStreamWaitValue32 with GEQ does. `flag` is
// the device address of mapped host memory.
void launch_spinning_gate(cudaStream_t stream, const std::uint32_t* flag, std::uint32_t wanted);

// One thread that does nothing, to time the instrument itself.
void launch_nothing(cudaStream_t stream);

// About a millisecond of fused multiply-adds on every multiprocessor. `sink` (one float) is never
// written in practice; it keeps the compiler from dropping the arithmetic.
void launch_busy(cudaStream_t stream, int multiprocessors, float* sink);

// About a millisecond of sparse products of random numbers, all in registers, on all Tensor Cores: 640 W on
// an H200 at its boost clock. A GPU without sparse Tensor Cores is as busy as by launch_busy().
void launch_full_power(cudaStream_t stream, int multiprocessors, float* sink);

// One thread counts SM cycles over at least `nanoseconds` of the global timer.
struct ClockReading {
  unsigned long long cycles = 0;
  unsigned long long nanoseconds = 0;  // 0 when the global timer does not advance
};
void launch_clock(cudaStream_t stream, unsigned long long nanoseconds, ClockReading* out);

// Copies `bytes` (a multiple of 16) between 16-byte aligned buffers with 16-byte accesses.
void launch_copy(cudaStream_t stream, void* to, const void* from, std::size_t bytes);

// Adds to `sum` a number that depends on each byte, its place and `key`.
void launch_keyed_sum(cudaStream_t stream, const void* from, std::size_t bytes, std::uint64_t key,
                      std::uint64_t* sum);

// Uniform random values in [-1, 1), as bfloat16 or, where the GPU has no bfloat16 units, as half.
void launch_random_bf16(cudaStream_t stream, void* to, std::size_t elements, std::uint64_t seed);
void launch_random_f16(cudaStream_t stream, void* to, std::size_t elements, std::uint64_t seed);
// Random bytes that are finite numbers as int8 and as E4M3.
void launch_random_bytes(cudaStream_t stream, void* to, std::size_t elements, std::uint64_t seed);

// Is there machine code in this module for the current device? cudaErrorNoKernelImageForDevice if not.
cudaError_t find_machine_code();

}  // namespace harness::cuda
