#include "kernels/ptx/small.cuh"

namespace emulate {

// PTX ISA, "prmt", without its sign mode.
std::uint32_t bytes_of_two(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
  if ((selector & 0x8888U) != 0 || selector > 0x7777U)
    block().fail("prmt with a selector that is not four numbers from 0 to 7");
  const std::uint64_t all = low | static_cast<std::uint64_t>(high) << 32;
  std::uint32_t chosen = 0;
  for (int i = 0; i < 4; ++i)
    chosen |= static_cast<std::uint32_t>(all >> (8 * (selector >> (4 * i) & 7U)) & 0xFFU) << (8 * i);
  return chosen;
}

namespace {

void require_sixteen(const void* at, const std::string& access) {
  if (reinterpret_cast<std::uintptr_t>(at) % 16 != 0)
    block().fail(access + " of 16 bytes at an address not aligned");
  const std::string outside = outside_memory(at, 16);
  if (!outside.empty()) block().fail(access + " touches " + outside);
}

}  // namespace

uint4 load_sixteen(const void* from) {
  require_sixteen(from, "a load");
  uint4 to = {};
  std::memcpy(&to, from, sizeof to);
  return to;
}

void store_sixteen(void* to, uint4 from) {
  require_sixteen(to, "a store");
  std::memcpy(to, &from, sizeof from);
}

}  // namespace emulate
