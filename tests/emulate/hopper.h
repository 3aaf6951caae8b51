// The emulator's counterparts of kernels/ptx/hopper.cuh, after the PTX ISA: "mbarrier", "Tensors" with the
// 128-byte swizzle mode, "cp.async.bulk.tensor". Landing late, a box arrives when nothing else can go on; the
// memory it goes to is poisoned when the copy is issued.
#pragma once

#include "tests/emulate/mma.h"

namespace ptx {

struct TensorMap {
  const std::byte* base = nullptr;
  std::size_t element_bytes = 0;
  TensorLayout layout;
};

}  // namespace ptx

namespace emulate {

void check_tensor_map(const ptx::TensorMap& map);
void load_box(std::uint32_t to, const ptx::TensorMap& map, const int (&at)[4], std::uint32_t barrier);
void store_box(const ptx::TensorMap& map, const int (&at)[4], std::uint32_t from);
void init_mbarrier(std::uint32_t barrier, int arrivals);
void arrive_at_mbarrier(std::uint32_t barrier, int bytes);
void wait_for_mbarrier(std::uint32_t barrier, int parity);
void set_registers(const char* what, int registers);

// Where a byte lies under the 128-byte swizzle: bits 4 to 6 of its address are changed by bits 7 to 9.
constexpr std::uint32_t swizzle_128(std::uint32_t address) {
  return address ^ ((address >> 7 & 7U) << 4);
}

}  // namespace emulate

namespace ptx {

template <class Element>
TensorMap make_tensor_map(const typename Element::Storage* base, const TensorLayout& layout) {
  const TensorMap map{reinterpret_cast<const std::byte*>(base), sizeof(typename Element::Storage), layout};
  emulate::check_tensor_map(map);
  return map;
}

inline void mbarrier_init(std::uint32_t barrier, int arrivals) {
  emulate::init_mbarrier(barrier, arrivals);
}
inline void fence_mbarrier_init() {}
inline void mbarrier_arrive(std::uint32_t barrier) {
  emulate::arrive_at_mbarrier(barrier, 0);
}
inline void mbarrier_arrive_expect(std::uint32_t barrier, int bytes) {
  emulate::arrive_at_mbarrier(barrier, bytes);
}
inline void mbarrier_wait(std::uint32_t barrier, int parity) {
  emulate::wait_for_mbarrier(barrier, parity);
}
inline void fence_proxy_async() {}
inline void prefetch_tensor_map(const TensorMap*) {}

inline void tma_load_2d(std::uint32_t to, const TensorMap* map, int x, int y, std::uint32_t barrier) {
  emulate::load_box(to, *map, {x, y, 0, 0}, barrier);
}
inline void tma_load_3d(std::uint32_t to, const TensorMap* map, int x, int y, int z, std::uint32_t barrier) {
  emulate::load_box(to, *map, {x, y, z, 0}, barrier);
}
inline void tma_load_4d(std::uint32_t to, const TensorMap* map, int x, int y, int z, int w,
                        std::uint32_t barrier) {
  emulate::load_box(to, *map, {x, y, z, w}, barrier);
}
inline void stmatrix_x4(std::uint32_t to, const std::uint32_t (&from)[4]) {
  emulate::store_matrices(to, from, false);
}
inline void stmatrix_x4_transposed(std::uint32_t to, const std::uint32_t (&from)[4]) {
  emulate::store_matrices(to, from, true);
}

inline void tma_store_2d(const TensorMap* map, int x, int y, std::uint32_t from) {
  emulate::store_box(*map, {x, y, 0, 0}, from);
}
inline void tma_store_3d(const TensorMap* map, int x, int y, int z, std::uint32_t from) {
  emulate::store_box(*map, {x, y, z, 0}, from);
}
inline void tma_store_commit() {
  emulate::thread().stores.commit();
}
template <int Pending>
void tma_store_wait() {
  emulate::thread().stores.wait(Pending);
}

template <int Registers>
void take_registers() {
  emulate::set_registers("setmaxnreg.inc", Registers);
}
template <int Registers>
void give_registers() {
  emulate::set_registers("setmaxnreg.dec", Registers);
}

}  // namespace ptx
