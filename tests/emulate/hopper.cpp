#include "kernels/ptx/hopper.cuh"

namespace emulate {
namespace {

// The content of an initialised mbarrier here, to notice a write over it.
constexpr std::uint64_t mark = 0x656D756C61746564;

Mbarrier& mbarrier_at(std::uint32_t address) {
  Block& here = block();
  const std::byte* const place = here.shared(address, 8, "an mbarrier");
  const auto found = here.mbarriers.find(address);
  if (found == here.mbarriers.end())
    here.fail("the mbarrier at shared address " + std::to_string(address) + " was not initialised");
  std::uint64_t held = 0;
  std::memcpy(&held, place, sizeof held);
  if (held != mark)
    here.fail("the mbarrier at shared address " + std::to_string(address) + " was overwritten");
  return found->second;
}

void complete_phase_if_done(Mbarrier& barrier) {
  if (barrier.missing != 0 || barrier.bytes != 0) return;
  barrier.parity ^= 1;
  barrier.missing = barrier.arrivals;
}

// Calls act(offset in the box, element or null outside the tensor) for every element of the box at `at`.
template <class Act>
void for_each_element(const ptx::TensorMap& map, const int (&at)[4], Act act) {
  const ptx::TensorLayout& layout = map.layout;
  const auto& box = layout.box;
  std::size_t offset = 0;
  for (std::uint32_t w = 0; w < box[3]; ++w)
    for (std::uint32_t z = 0; z < box[2]; ++z)
      for (std::uint32_t y = 0; y < box[1]; ++y)
        for (std::uint32_t x = 0; x < box[0]; ++x, offset += map.element_bytes) {
          const std::uint32_t steps[4] = {x, y, z, w};
          bool inside = true;
          std::size_t place = 0;
          for (int d = 0; d < 4; ++d) {
            const std::int64_t index = at[d] + static_cast<std::int64_t>(steps[d]);
            inside = inside && index >= 0 && index < static_cast<std::int64_t>(layout.extents[d]);
            place += static_cast<std::size_t>(index) * (d == 0 ? map.element_bytes : layout.strides[d]);
          }
          act(offset, inside ? map.base + place : nullptr);
        }
}

std::size_t box_bytes(const ptx::TensorMap& map) {
  const auto& box = map.layout.box;
  return static_cast<std::size_t>(box[0]) * box[1] * box[2] * box[3] * map.element_bytes;
}

std::uint32_t placed(const ptx::TensorMap& map, std::uint32_t address) {
  return map.layout.swizzled ? swizzle_128(address) : address;
}

void check_box_address(const ptx::TensorMap& map, std::uint32_t address) {
  (void)block().shared(address, box_bytes(map), "a bulk copy");
  const std::uint32_t alignment = map.layout.swizzled ? 1024 : 128;
  if (address % alignment != 0)
    block().fail("a bulk copy at shared address " + std::to_string(address) + ", not a multiple of " +
                 std::to_string(alignment));
}

}  // namespace

// The rules of cuTensorMapEncodeTiled (CUDA driver API).
void check_tensor_map(const ptx::TensorMap& map) {
  const ptx::TensorLayout& layout = map.layout;
  const std::size_t width = layout.box[0] * map.element_bytes;
  if (reinterpret_cast<std::uintptr_t>(map.base) % 16 != 0)
    throw Failure("a tensor map's base must be a multiple of 16");
  if (width % 16 != 0 || (layout.swizzled && width > 128))
    throw Failure("a tensor map's box is " + std::to_string(width) + " bytes wide");
  std::size_t last = (layout.extents[0] - 1) * map.element_bytes;
  for (int d = 0; d < 4; ++d) {
    if (layout.box[d] < 1 || layout.box[d] > 256 || layout.extents[d] < 1)
      throw Failure("a tensor map's box and extents: dimension " + std::to_string(d));
    if (d > 0 && d < layout.dimensions && (layout.strides[d] % 16 != 0 || layout.strides[d] == 0))
      throw Failure("a tensor map's stride " + std::to_string(d) + " must be a multiple of 16");
    if (d > 0) last += (layout.extents[d] - 1) * layout.strides[d];
  }
  const std::string outside = outside_memory(map.base, last + map.element_bytes);
  if (!outside.empty()) throw Failure("a tensor map reaches " + outside);
}

void load_box(std::uint32_t to, const ptx::TensorMap& map, const int (&at)[4], std::uint32_t barrier) {
  Block& here = block();
  check_box_address(map, to);
  (void)mbarrier_at(barrier);
  const std::size_t bytes = box_bytes(map);
  std::memset(here.shared(to, bytes, "a bulk copy"), 0xFF, bytes);
  const std::array<int, 4> corner = {at[0], at[1], at[2], at[3]};
  here.later([&here, to, map, corner, barrier, bytes] {
    const int from[4] = {corner[0], corner[1], corner[2], corner[3]};
    for_each_element(map, from, [&](std::size_t offset, const std::byte* element) {
      std::byte* const place =
          here.shared(placed(map, to + static_cast<std::uint32_t>(offset)), map.element_bytes, "a bulk copy");
      if (element != nullptr)
        std::memcpy(place, element, map.element_bytes);
      else
        std::memset(place, 0, map.element_bytes);
    });
    Mbarrier& waiting = here.mbarriers.at(barrier);
    waiting.bytes -= static_cast<std::int64_t>(bytes);
    complete_phase_if_done(waiting);
  });
}

void store_box(const ptx::TensorMap& map, const int (&at)[4], std::uint32_t from) {
  Block& here = block();
  check_box_address(map, from);
  const std::array<int, 4> corner = {at[0], at[1], at[2], at[3]};
  const Action land = [&here, from, map, corner] {
    const int to[4] = {corner[0], corner[1], corner[2], corner[3]};
    for_each_element(map, to, [&](std::size_t offset, const std::byte* element) {
      if (element == nullptr) return;
      const std::byte* const place = here.shared(placed(map, from + static_cast<std::uint32_t>(offset)),
                                                 map.element_bytes, "a bulk copy");
      std::memcpy(const_cast<std::byte*>(element), place, map.element_bytes);
    });
  };
  if (here.options().landing == Landing::early) return land();
  here.thread().stores.add(land);
}

void init_mbarrier(std::uint32_t barrier, int arrivals) {
  Block& here = block();
  if (barrier % 8 != 0) here.fail("an mbarrier at an address that is not a multiple of 8");
  if (arrivals < 1) here.fail("an mbarrier for " + std::to_string(arrivals) + " arrivals");
  std::memcpy(here.shared(barrier, 8, "mbarrier.init"), &mark, sizeof mark);
  here.mbarriers[barrier] = {arrivals, arrivals, 0, 0};
}

void arrive_at_mbarrier(std::uint32_t barrier, int bytes) {
  Mbarrier& at = mbarrier_at(barrier);
  if (at.missing == 0) block().fail("more arrivals at an mbarrier than it was initialised for");
  at.bytes += bytes;
  --at.missing;
  complete_phase_if_done(at);
}

void wait_for_mbarrier(std::uint32_t barrier, int parity) {
  if (parity != 0 && parity != 1) block().fail("a parity of " + std::to_string(parity));
  const Mbarrier& at = mbarrier_at(barrier);
  block().wait_until("mbarrier.try_wait", [&at, parity] { return at.parity != parity; });
}

void set_registers(const char* what, int registers) {
  if (registers % 8 != 0 || registers < 24 || registers > 256)
    block().fail(std::string(what) + " to " + std::to_string(registers) + " registers");
  block().meet_warp(what, 0xFFFFFFFF, nullptr, [](auto) {});
}

}  // namespace emulate
