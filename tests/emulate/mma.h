// The emulator's counterparts of kernels/ptx/mma.cuh, after the PTX ISA: "cp.async", "ldmatrix", "mma" with
// its fragment layouts, "barrier". Products are summed in double precision and rounded to float32 once.
#pragma once

#include "kernels/ptx/device.cuh"

namespace emulate {

void copy_async(std::uint32_t to, const void* from, int bytes, std::size_t size);
void load_matrices(const char* what, std::uint32_t (&to)[4], std::uint32_t from, bool transposed);
void store_matrices(std::uint32_t to, const std::uint32_t (&from)[4], bool transposed);

using Widen = float (*)(std::uint16_t);
void multiply_16(const char* what, Widen widen, float (&d)[4], const std::uint32_t (&a)[4],
                 const std::uint32_t (&b)[2]);
void multiply_tf32(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]);

}  // namespace emulate

namespace ptx {

inline std::uint32_t shared_address(const void* pointer) {
  return emulate::block().shared_address(pointer);
}

inline void cp_async_16(std::uint32_t to, const void* from, int bytes = 16) {
  emulate::copy_async(to, from, bytes, 16);
}
inline void cp_async_4(std::uint32_t to, const void* from, int bytes = 4) {
  emulate::copy_async(to, from, bytes, 4);
}
inline void cp_async_commit() {
  emulate::thread().copies.commit();
}
template <int Pending>
void cp_async_wait() {
  emulate::thread().copies.wait(Pending);
}

inline void ldmatrix_x4(std::uint32_t (&to)[4], std::uint32_t from) {
  emulate::load_matrices("ldmatrix", to, from, false);
}
inline void ldmatrix_x4_transposed(std::uint32_t (&to)[4], std::uint32_t from) {
  emulate::load_matrices("ldmatrix.trans", to, from, true);
}

inline void mma_m16n8k16(F16, float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  emulate::multiply_16("mma.m16n8k16.f16", F16::widen, d, a, b);
}
inline void mma_m16n8k16(BF16, float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  emulate::multiply_16("mma.m16n8k16.bf16", BF16::widen, d, a, b);
}

// To 10 bits of mantissa, to nearest, ties away from zero.
inline std::uint32_t to_tf32(float value) {
  return (std::bit_cast<std::uint32_t>(value) + 0x1000U) & 0xFFFFE000U;
}
inline std::uint32_t near_tf32(std::uint32_t bits) {
  return static_cast<std::int32_t>(bits + 0x1000U) > static_cast<std::int32_t>(bits) ? bits + 0x1000U : bits;
}
inline void mma_m16n8k8_tf32(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  emulate::multiply_tf32(d, a, b);
}

inline void named_barrier_sync(int id, int threads) {
  emulate::block().sync(id, threads);
}
inline void named_barrier_arrive(int id, int threads) {
  emulate::block().arrive(id, threads);
}

}  // namespace ptx
